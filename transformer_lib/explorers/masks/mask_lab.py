"""mask_lab: who may look at whom, cell by cell, and what that does to the weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from ..toolkit.controls import choice, stops
from ..toolkit.explorer import Arrays, Explorer
from ..toolkit.inputs import labels, matrix_input
from ..toolkit.panel import Panel
from .hiding import KINDS, LIBRARY, WAYS, adjusted, conventions, preset, weigh
from .mask_panels import SHOWN, lab_panels

PAD = "⟨pad⟩"
Matrix = NDArray[np.float64]
Cross = tuple[ArrayLike, ArrayLike, Sequence[str]]


@dataclass(frozen=True)
class _Side:
    """One attention of the lab: the sentence's own, or its look at the source."""

    prefix: str
    rows: Sequence[str]
    columns: Sequence[str]

    def words(self, mask: str, length: int) -> tuple[list[str], list[str]]:
        """The labels, with padding named as such where the mask hides it."""
        real = length if "padding" in mask or self.prefix else len(self.columns)
        columns = [w if n < real else PAD for n, w in enumerate(self.columns)]
        return list(self.rows) if self.prefix else columns, columns

    def steps(self, *, mask: str, hide: str, **rest: Any) -> Arrays:
        """`mask_steps` of this side's matrices, which keep their own names too."""
        scores, V, look = (rest[self.prefix + n] for n in ("scores", "V", "look"))
        length = rest[self.prefix + "length"]
        steps = mask_steps(scores, V, look, mask=mask, length=length, hide=hide)
        named = {self.prefix + n: steps[n] for n in ("scores", "V", "look")}
        return {**named, **steps}

    def panels(self, arrays: Arrays, mask: str, **settings: Any) -> list[Panel]:
        """`lab_panels` of this side's matrices."""
        words = self.words(mask, settings[self.prefix + "length"])
        written, way = settings["convention"], settings["hide"]
        return lab_panels(arrays, self.prefix, words, written, way)


def mask_lab(
    scores: ArrayLike,
    V: ArrayLike,
    tokens: Sequence[str] | None = None,
    *,
    cross: Cross | None = None,
    mask: str = "causal",
    real: int | None = None,
) -> Explorer:
    """A mask to choose and to change cell by cell, between scores and weights.

    Args:
        scores: scaled scores (T, T) of a sentence for itself; at most 64 a side.
        V: values (T, d_v).
        tokens: T words; by default 1, 2, ….
        cross: the same for a source that the sentence looks at: scaled scores (T, S),
            values (S, d_v) and S words. It adds the mask "cross".
        mask: which mask to begin with.
        real: how many keys are no padding to begin with; all of them by default.

    Returns:
        an Explorer with controls "mask", "length", "convention", "hide" and, with
        `cross`, "cross_length"; a length can be moved where its padding is hidden.
        The cells of "look" (or "cross_look") can be edited: 1 may look, 0 may not.
        Another mask or length undoes that.

    Raises:
        TypeError, ValueError: a matrix, a word or a setting does not fit.

    Source: Vaswani et al. (2017), §3.2.3; D2.8, D3.4.3, D3.9.3.
    """
    sides, inputs = _sides(scores, V, tokens, cross)
    controls = _controls(sides, mask, real)

    def as_preset(_: object) -> None:
        for side in sides:
            explorer.inputs[side.prefix + "look"] = inputs[side.prefix + "look"].copy()
        _rest_what_is_of_no_use(controls)

    for name in {"mask", "length", "cross_length"} & controls.keys():
        controls[name].observe(as_preset, names="value")  # before the explorer's own
    explorer = Explorer(
        lambda *, mask, **rest: sides[mask == "cross"].steps(mask=mask, **rest),
        lambda x, *, mask, **rest: sides[mask == "cross"].panels(x, mask, **rest),
        controls,
        inputs,
    )
    return explorer


def _sides(
    scores: ArrayLike,
    V: ArrayLike,
    tokens: Sequence[str] | None,
    cross: Cross | None,
) -> tuple[list[_Side], Arrays]:
    """The attentions of the lab, and the matrices of each."""
    own = matrix_input("scores", scores)
    words = labels("tokens", tokens, len(own))
    if own.shape[0] != own.shape[1]:
        raise ValueError(f"scores must be square, (T, T), got shape {own.shape}")
    sides, inputs = [_Side("", words, words)], _matrices("", own, V)
    if cross is not None:
        if not isinstance(cross, tuple | list) or len(cross) != 3:
            raise TypeError(f"cross must be (scores, values, words), got {cross!r}")
        across = matrix_input("cross scores", cross[0])
        if len(across) != len(own):
            raise ValueError(
                f"cross scores must have a row for each of {len(own)} tokens, "
                f"got shape {across.shape}"
            )
        source = labels("source words", cross[2], across.shape[1])
        sides.append(_Side("cross_", words, source))
        inputs |= _matrices("cross_", across, cross[1])
    return sides, inputs


def _matrices(prefix: str, scores: Matrix, V: ArrayLike) -> Arrays:
    values = matrix_input(f"{prefix}V", V)
    if len(values) != scores.shape[1]:
        raise ValueError(
            f"{prefix}V must have a row for each of {scores.shape[1]} keys, "
            f"got shape {values.shape}"
        )
    as_preset = np.full(scores.shape, np.nan)
    return {
        f"{prefix}scores": scores,
        f"{prefix}V": values,
        f"{prefix}look": as_preset,
    }


def _controls(sides: Sequence[_Side], mask: str, real: int | None) -> dict[str, Any]:
    kinds = [*KINDS, *("cross" for side in sides if side.prefix)]
    if mask not in kinds:
        raise ValueError(f"mask must be one of {kinds}, got {mask!r}")
    begins = sides[mask == "cross"]
    most = len(begins.columns)
    if real is not None and real not in range(most + 1):
        raise ValueError(f"real must be between 0 and {most}, got {real}")
    controls: dict[str, Any] = {"mask": choice("mask", kinds, wide=10.5)}
    controls["mask"].value = mask
    for side in sides:
        what = "real source tokens" if side.prefix else "real tokens"
        n = len(side.columns)
        start = n if real is None or side is not begins else real
        controls[f"{side.prefix}length"] = stops(what, range(n + 1), start)
    controls["convention"] = choice("mask written as", list(SHOWN), wide=6.5)
    controls["hide"] = choice("hide", list(WAYS), wide=8)
    _rest_what_is_of_no_use(controls)
    return controls


def _rest_what_is_of_no_use(controls: dict[str, Any]) -> None:
    """A length moves nothing where no padding is hidden: its slider is greyed out."""
    mask = controls["mask"].value
    controls["length"].disabled = "padding" not in mask
    if "cross_length" in controls:
        controls["cross_length"].disabled = mask != "cross"


def mask_steps(
    scores: Matrix,
    V: Matrix,
    look: Matrix,
    *,
    mask: str,
    length: int,
    hide: str = LIBRARY,
) -> Arrays:
    """Every step of masked attention, named.

        weights = softmax(scores with hidden keys at −∞),  output = weights V

    Args:
        scores: scaled scores (T, S).
        V: values (S, d_v).
        look: the mask's cells as set by hand (T, S): 1 may look, 0 may not, NaN as the
            mask says.
        mask: one of `hiding.KINDS`, or "cross".
        length: how many keys are no padding, 0 … S.
        hide: one of `hiding.WAYS`.

    Returns:
        "scores", "V", the mask in three conventions ("may_look", "hides", "added"; and
        "look", the first again), "masked", "weights" (T, S), their "sum" (T, 1),
        "output" (T, d_v), and what these are made of.

    Raises:
        ValueError: a setting is none of these, or a cell of `look` is none.
    """
    s, v = torch.from_numpy(scores), torch.from_numpy(V)
    T, S = scores.shape
    may_look = adjusted(preset(mask, T, S, length), look)
    steps = weigh(s, may_look, hide)
    weights = steps.pop("weights")
    written = conventions(may_look)
    return {
        "scores": scores,
        "V": V,
        "look": written["may_look"],
        **written,
        "masked": steps["masked"].numpy(),
        "weights": weights.numpy(),
        **{f"weights.{name}": x.numpy() for name, x in steps.items()},
        "sum": weights.sum(-1, keepdim=True).numpy(),
        "output": (weights @ v).numpy(),
        "output.products": (weights[:, None] * v.T).numpy(),  # (T, d_v, S)
    }

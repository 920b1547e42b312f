"""mask_lab: who may look at whom, cell by cell, and what that does to the weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..toolkit.controls import choice, stops
from ..toolkit.drawing import Matrix
from ..toolkit.explorer import Explorer
from ..toolkit.inputs import labels, matrix_input
from ..toolkit.looks import SHARES, fine, full_colour
from ..toolkit.sheet import Sheet
from ..toolkit.trace import Axis, Table
from .hiding import (
    AFTER,
    BEFORE,
    CONVENTIONS,
    KINDS,
    LARGE,
    RENORMALISED,
    WAYS,
    adjusted,
    hide_keys,
    preset,
    show_mask,
    written,
)

PAD = "⟨pad⟩"
ALL = "all three"
#: What the buttons say → the conventions that are shown.
SHOWN = {
    "may look": ("may_look",),
    "hidden": ("hides",),
    "0 / −∞": ("added",),
    ALL: tuple(CONVENTIONS),
}
FORMULAS = {AFTER: "softmax · mask", RENORMALISED: "softmax · mask ÷ its row's sum"}
Cross = tuple[ArrayLike, ArrayLike, Sequence[str]]


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
    words, inputs = _sides(scores, V, tokens, cross)
    controls = _controls(words, mask, real)

    def as_preset(_: object) -> None:
        for name in words:
            explorer.inputs[f"{name}look"] = inputs[f"{name}look"].copy()
        _rest_what_is_of_no_use(controls)

    for name in {"mask", "length", "cross_length"} & controls.keys():
        controls[name].observe(as_preset, names="value")  # before the explorer's own

    def sheet(**given: Any) -> Sheet:
        side = "cross_" if given["mask"] == "cross" else ""
        own = {n: given[side + n] for n in ("scores", "V", "look", "length")}
        rest = {n: given[n] for n in ("mask", "hide", "convention")}
        return mask_sheet(words=(words[""], words[side]), side=side, **own, **rest)

    explorer = Explorer("mask_lab", sheet, controls, inputs)
    return explorer


def _sides(
    scores: ArrayLike, V: ArrayLike, tokens: Sequence[str] | None, cross: Cross | None
) -> tuple[dict[str, list[str]], dict[str, Matrix]]:
    """By the prefix of their names: the keys of each attention, and its matrices."""
    own = matrix_input("scores", scores)
    words = {"": labels("tokens", tokens, len(own))}
    if own.shape[0] != own.shape[1]:
        raise ValueError(f"scores must be square, (T, T), got shape {own.shape}")
    inputs = _matrices("", own, V)
    if cross is not None:
        if not isinstance(cross, tuple | list) or len(cross) != 3:
            raise TypeError(f"cross must be (scores, values, words), got {cross!r}")
        across = matrix_input("cross scores", cross[0])
        if len(across) != len(own):
            raise ValueError(
                f"cross scores must have a row for each of {len(own)} tokens, "
                f"got shape {across.shape}"
            )
        words["cross_"] = labels("source words", cross[2], across.shape[1])
        inputs |= _matrices("cross_", across, cross[1])
    return words, inputs


def _matrices(side: str, scores: Matrix, V: ArrayLike) -> dict[str, Matrix]:
    values = matrix_input(f"{side}V", V)
    if len(values) != scores.shape[1]:
        raise ValueError(
            f"{side}V must have a row for each of {scores.shape[1]} keys, "
            f"got shape {values.shape}"
        )
    as_preset = np.full(scores.shape, np.nan)
    return {f"{side}scores": scores, f"{side}V": values, f"{side}look": as_preset}


def _controls(
    words: dict[str, list[str]], mask: str, real: int | None
) -> dict[str, Any]:
    kinds = [*KINDS, *("cross" for side in words if side)]
    if mask not in kinds:
        raise ValueError(f"mask must be one of {kinds}, got {mask!r}")
    begins = "cross_" if mask == "cross" else ""
    most = len(words[begins])
    if real is not None and real not in range(most + 1):
        raise ValueError(f"real must be between 0 and {most}, got {real}")
    controls: dict[str, Any] = {"mask": choice("mask", kinds, wide=10.5)}
    controls["mask"].value = mask
    for side, keys in words.items():
        what = "real source tokens" if side else "real tokens"
        start = len(keys) if real is None or side != begins else real
        controls[f"{side}length"] = stops(what, range(len(keys) + 1), start)
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


def mask_sheet(
    scores: Matrix,
    V: Matrix,
    look: Matrix,
    *,
    words: tuple[Sequence[str], Sequence[str]],
    mask: str,
    length: int,
    hide: str = WAYS[0],
    convention: str = "may look",
    side: str = "",
) -> Sheet:
    """Every step of masked attention: weights = softmax(scores, hidden keys at −∞).

    Args:
        scores: scaled scores (T, S).
        V: values (S, d_v).
        look: the mask's cells as set by hand (T, S): 1 may look, 0 may not, NaN as the
            mask says.
        words: the queries and the keys.
        mask: one of `hiding.KINDS`, or "cross".
        length: how many keys are no padding, 0 … S.
        hide: one of `hiding.WAYS`.
        convention: a key of SHOWN.
        side: what stands before the names of the matrices that can be edited.

    Raises:
        ValueError: a setting is none of these, or a cell of `look` is none.
    """
    s, axes = Sheet(), _axes(words, mask, length)
    given = s.given(f"{side}scores", *axes, scores)
    keys = Axis("value", axes[1].labels)
    values = s.given(f"{side}V", keys, Axis.numbered("feature", V.shape[1]), V)
    may_look = adjusted(preset(mask, len(scores), len(V), length), look)
    s.keep(f"{side}look", may_look)
    masks = written(s, axes, may_look)
    masked, weights = hide_keys(s, given, masks[0], hide)
    _show_given(s, given, values, [m for m in masks if m.name in SHOWN[convention]])
    _show_steps(s, masked, weights, hide, full_colour(scores))
    sums = s.total("sum", weights, Axis("sum", ("Σ",)))
    sentence = "the sum of the weights of “{row}”"
    s.show(sums, formula="of weights", sentence=sentence, limit=1.0, group=2)
    output = s.mix("output", weights, values)
    s.show(output, formula="weights · V", digits=fine(output), step=3, group=2)
    return s


def _axes(
    words: tuple[Sequence[str], Sequence[str]], mask: str, length: int
) -> tuple[Axis, Axis]:
    """The queries and the keys, with padding named as such where the mask hides it."""
    hides = "padding" in mask or mask == "cross"
    real = length if hides else len(words[1])
    keys = [w if n < real else PAD for n, w in enumerate(words[1])]
    return Axis.of("query", words[0] if mask == "cross" else keys), Axis.of("key", keys)


def _show_given(s: Sheet, scores: Table, values: Table, masks: Sequence[Table]) -> None:
    """Scores, the mask and V side by side; several masks in a row of their own."""
    look: dict[str, Any] = {
        "palette": "scores",
        "sentence": "scaled score of “{row}” for “{column}”",
    }
    s.show(scores, "scores", formula="scaled", editable=True, **look)
    for mask in masks:
        toggles = scores.name.replace("scores", "look")
        show_mask(s, mask, toggles, group=int(len(masks) > 1))
    s.show(values, "V", formula="values", editable=True)


def _show_steps(
    s: Sheet, masked: Table, weights: Table, way: str, limit: float
) -> None:
    """What the mask is applied to, or has been applied to, and the weights."""
    hidden = s["may_look"] == 0
    if way in BEFORE:
        s.show(
            masked,
            "masked scores",
            formula=f"hidden → {'−1e9' if way == LARGE else '−∞'}",
            limit=limit,
            veil="",
            sentence="the score of “{column}” for “{row}” that the softmax sees",
            step=1,
            group=2,
        )
    else:
        sentence = "the weight of “{column}” for “{row}”, before the mask"
        look = {"formula": "of all scores, hidden or not", "sentence": sentence}
        s.show(masked, "softmax", digits=fine(masked), step=1, group=2, **look)
    s.show(
        weights,
        formula=FORMULAS.get(way, "softmax of each row"),
        digits=fine(weights),
        words=("0",),
        hidden=hidden,
        veil="",
        note="",
        **SHARES,
        step=2,
        group=2,
    )

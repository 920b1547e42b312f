"""mask_lab: who may look at whom, cell by cell, and the weights that result."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from explorable import Array, Axis, Explorer, Sheet, Style, Table, plots
from explorable.controls import choice, stops
from explorable.inputs import labels, matrix_input
from explorable.style import SCORES, SHARES, full_color
from transformer_lib.checks.validation import brief

from . import hiding
from .hiding import AFTER, BEFORE, KINDS, SHOWN, SUM, SUMS, WAYS, WEIGHTS

PAD = "⟨pad⟩"
FEW = 5  # rows and columns of weights that are larger than all else
LESS: Style = {"size": "small"}  # than the weights, which all others lead to
CROSS = "cross_"  # what the names of the source's matrices begin with
Words = Mapping[str, Sequence[str]]


def mask_lab(
    scores: ArrayLike,
    V: ArrayLike,
    tokens: Sequence[str] | None = None,
    *,
    cross: tuple[ArrayLike, ArrayLike, Sequence[str]] | None = None,
    mask: str = "causal",
    real: int | None = None,
) -> Explorer:
    """Choose a mask, change its cells, and see the weights and outputs that result.

    Args:
        scores: scaled scores (T, T) of a sentence with itself; T is at most 64.
        V: values (T, d_v).
        tokens: T words; by default 1, 2, ….
        cross: the same for a source sentence to attend to: scaled scores (T, S), values
            (S, d_v) and S words. It adds the mask "cross".
        mask: which mask to show at first.
        real: how many keys are not padding at first; by default, all.

    Returns:
        an Explorer with controls "mask", "length", "convention", "hide" and, with
        `cross`, "cross_length"; a length is shown where its padding is hidden.
        The cells of "look" (or "cross_look") can be edited: 1 may look, 0 may not.
        Another mask or length undoes that.

    Raises:
        TypeError, ValueError: a matrix, a word or a setting does not fit.

    Source: Vaswani et al. (2017), §3.2.3; D2.8, D3.4.3, D3.9.3.
    """
    own, inputs = _side("", (scores, V, tokens))
    words = {"": own}
    if cross is not None:
        words[CROSS], matrices = _side(CROSS, cross, len(own))
        inputs |= matrices
    controls = _controls(words, mask, real)
    by_hand = {name: x for name, x in inputs.items() if name.endswith("look")}

    def undo(_: object) -> None:
        explorer.inputs = explorer.inputs | by_hand

    for name in {"mask", "length", "cross_length"} & controls.keys():
        controls[name].observe(undo, names="value")  # before the explorer's own
    explorer = Explorer(
        "mask_lab",
        mask_sheet,
        controls,
        inputs,
        words=words,
        title="Masks",
        task="Choose a mask, or click its cells, and watch what changes.",
        more=("hide", "convention"),
    )
    return explorer


def _side(name: str, given: Any, T: int = 0) -> tuple[list[str], dict[str, Array]]:
    """Return the words of the keys of one attention layer, and its matrices by name."""
    if not isinstance(given, tuple | list) or len(given) != 3:
        raise TypeError(f"cross must be (scores, values, words), got {brief(given)}")
    x = matrix_input(f"{name}scores", given[0])
    v = matrix_input(f"{name}V", given[1])
    S = x.shape[1]
    as_preset = np.full(x.shape, np.nan)
    for of, rows, n, what in (("scores", x, T or S, "tokens"), ("V", v, S, "keys")):
        if len(rows) != n:
            want = f"{name}{of} must have a row for each of {n} {what}"
            raise ValueError(f"{want}, got shape {rows.shape}")
    words = labels("source words" if name else "tokens", given[2], S)
    return words, {f"{name}scores": x, f"{name}V": v, f"{name}look": as_preset}


def _controls(words: Words, mask: str, real: int | None) -> dict[str, Any]:
    kinds = [*KINDS, "cross"] if CROSS in words else KINDS
    controls = {"mask": choice("mask", kinds, mask)}
    for side, keys in words.items():
        label = "real source tokens" if side else "real tokens"
        S = len(keys)
        begins = real is not None and bool(side) == (mask == "cross")
        start = real if begins else S
        controls[f"{side}length"] = stops(label, range(S + 1), start, "real")
    controls["convention"] = choice("mask written as", list(SHOWN))
    controls["hide"] = choice("hide", WAYS)
    return controls


def mask_sheet(
    words: Words, *, mask: str, hide: str, convention: str, **given: Any
) -> Sheet:
    """Compute each step of masked attention: softmax of scores with hidden keys at −∞.

    `words` are the keys of each side, at "" and at CROSS. `given` has scaled "scores"
    (T, S); "V" (S, d_v); "look" (T, S): 1 may look, 0 may not, NaN keeps the mask's own
    value; and "length": how many keys are not padding. For "cross" the prefix is CROSS.
    """
    side = CROSS if mask == "cross" else ""
    names = ("scores", "V", "look", "length")
    scores, V, by_hand, length = (given[side + name] for name in names)
    keys = list(words[side])
    preset = hiding.preset(mask, len(scores), len(keys), length)
    if "padding" in mask or side:
        keys[length:] = [PAD] * len(keys[length:])
    s = Sheet()
    for one in words:  # a length that hides nothing is not shown
        hides = "cross" if one else "padding"
        s.control(f"{one}length", shown=hides in mask)
    key = Axis("key", keys)
    query = Axis("query", words[""] if side else keys)
    x = s.leaf(f"{side}scores", query, key, scores)
    v = s.leaf(f"{side}V", Axis("value", key.labels), "feature", V)
    several = len(SHOWN[convention]) > 1  # compared with each other, and no more
    look = SCORES | {"sentence": f"scaled {SCORES['sentence']}", "formula": "scaled"}
    rest = side, convention, {} if several else LESS
    table = hiding.show_mask(s, preset, by_hand, (query, key), *rest)
    masked, weights = hiding.hide_keys(s, x, table, hide)
    output = s.matmul("output", weights, v)
    sums = s.reduce("sum", weights, "sum", SUM)
    s.control("hide", shown=not several)
    if several:
        return s
    s.show(x, "scores", **look, **LESS)
    _show_masked(s, x, masked, hide)
    _show_weights(s, weights, sums, hide)
    s.show(v, "V", formula="values", group=2)
    s.show(output, formula="weights · V", tracked=True, step=3, group=2)
    if hide == "after":  # else each sum is 1, or there is none
        said = "the sum of the weights of “{row}”"
        s.show(sums, sentence=said, group=2, **SUMS)
    return s


def _show_masked(s: Sheet, scores: Table, masked: Table, way: str) -> None:
    """Show the scores that enter the softmax, or its result before the mask."""
    if way in BEFORE:
        title = "masked scores"
        put = "−∞" if np.isinf(BEFORE[way]) else way
        said = "the score of “{row}” with “{column}” that enters the softmax"
        look: Style = {"formula": f"hidden → {put}", "masked_text": ""}
        look["vmax"] = full_color(scores.values)
    else:
        title = "softmax"
        look = {"formula": "of all scores, hidden or not"}
        said = "the weight that “{row}” gives to “{column}” before the mask"
    s.show(masked, title, sentence=said, step=1, tracked=True, **look, **LESS)


def _show_weights(s: Sheet, weights: Table, sums: Table, way: str) -> None:
    """Show the weights; what real tokens give to padding is flagged."""
    real = np.array(weights.rows.labels) != PAD
    padding = np.array(weights.columns.labels) == PAD
    wasted = real[:, None] & padding & (weights.values != 0)
    formula = AFTER.get(way, "softmax of each row")
    said = SHARES["sentence"]
    look = WEIGHTS | {"flagged": wasted, "leads": True, "concludes": True}
    look["note"] = _concluded(weights, sums)
    look["opens"] = 0 if padding.any() else len(real) // 2
    if max(weights.values.shape) <= FEW:
        look["size"] = "huge"
    if wasted.any():
        share = weights.values[np.ix_(real, padding)].sum(axis=1).mean()
        look["note"] = f"! Real tokens give {share:.0%} to padding"
    if way in BEFORE:  # the mask goes into the scores, as the formula says
        look["sources"] = ["masked"]
    s.show(weights, formula=formula, sentence=said, step=2, group=2, **look)


def _concluded(weights: Table, sums: Table) -> str:
    """Say how many weights a mask makes 0, or that rows no longer sum to 1."""
    if weights.hidden is None or not weights.hidden.any():
        return "All keys get some weight"
    if np.isnan(sums.values).any():
        return "! A query without an open key gets NaN"
    short = sums.values.min()
    if short < 0.995 and (weights.values != 0).any(axis=1).all():
        return f"! A row sums to {plots.number(short)}, not 1"
    zero = np.count_nonzero(weights.values == 0)
    return f"{zero} of {weights.values.size} weights are 0"

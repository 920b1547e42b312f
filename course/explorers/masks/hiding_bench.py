"""hiding_bench: one row of scores, with keys hidden in five ways."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from explorable import Array, Axis, Explorer, Sheet, Style, plots
from explorable.inputs import labels, matrix_input, whole_numbers
from explorable.style import full_color
from transformer_lib.checks.validation import brief, require

from .hiding import BEFORE, SUM, SUMS, WAYS, WEIGHTS, hide_keys, show_mask


def hiding_bench(
    scores: Sequence[float],
    values: Sequence[float],
    tokens: Sequence[str] | None = None,
    hidden: Iterable[int] = (),
) -> Explorer:
    """Compare five ways to hide keys from one query, side by side.

    Args:
        scores: the S scaled scores of one query; at most 64.
        values: S numbers, one per key.
        tokens: S words; by default 1, 2, ….
        hidden: which keys are hidden at first, counted from 0.

    Returns:
        an Explorer without controls: "scores", "values" and "look" (1 may look, 0 may
        not) are edited.

    Raises:
        TypeError, ValueError: an argument is not a row of numbers, the sizes do not
            fit, or a hidden key does not exist.

    Source: D2.8, D3.4.3.
    """
    x = _row("scores", scores)
    v = _row("values", values)
    one_each = f"hold {x.size} numbers, one for each score"
    require(x.shape == v.shape, "values", one_each, v.size)
    inputs = {"scores": x, "values": v, "look": np.ones(x.shape)}
    if isinstance(hidden, set | frozenset):  # here, their order says nothing
        hidden = list(hidden)
    inputs["look"][0, whole_numbers("hidden", hidden, 0, x.size - 1)] = 0
    key = Axis("key", labels("tokens", tokens, x.size))
    return Explorer(
        "hiding_bench",
        hiding_sheet,
        inputs=inputs,
        key=key,
        title="Five ways to hide a key",
        task="Change a score, a value or a cell of the mask, and compare the rows.",
    )


def _row(name: str, numbers: Any) -> Array:
    """Return a matrix of one row."""
    is_array = isinstance(numbers, np.ndarray | torch.Tensor)
    try:
        shape = (numbers if is_array else np.array(numbers, dtype=object)).shape
    except Exception:  # its content, or a kind of tensor, has no shape
        raise TypeError(f"{name} must be one row, got {brief(numbers)}") from None
    require(len(shape) == 1, name, "be one row", f"shape {tuple(shape)}")
    return matrix_input(name, numbers[None] if is_array else [numbers])


def hiding_sheet(scores: Array, values: Array, look: Array, key: Axis) -> Sheet:
    """Compute what enters the softmax and what comes of it, in each of `hiding.WAYS`.

    Scores, values and look are (1, S), and a 1 in look may look, a 0 may not.
    """
    s = Sheet()
    query = Axis("query", ("query",))
    x = s.leaf("scores", query, key, scores)
    v = s.leaf("values", Axis("value", ("value",)), key, values)
    said = "its scaled score for “{column}”"
    formula = "of one query, scaled"
    alike: Style = {"longest": max(WAYS, key=len)}  # one column below the other
    score: Style = {"palette": "scores", "decimals": 4}  # room for −1.00e9
    s.show(x, sentence=said, formula=formula, **score, **alike)
    mask = show_mask(s, torch.ones(scores.shape), look, (query, key), style=alike)
    said = "the value of “{column}”"
    formula = "one feature each"
    s.show(v, palette="value", sentence=said, formula=formula)
    both = {way: hide_keys(s, x, mask, way, f"{way} ") for way in WAYS}
    hidden = np.repeat(mask.values == 0, len(WAYS), axis=0)
    ways = Axis("hidden by", WAYS)
    before = [masked if way in BEFORE else x for way, (masked, _) in both.items()]
    entering = s.revise(s.stack("entering", ways, before), hidden=hidden)
    weights = s.stack("weights", ways, [of_way for _, of_way in both.values()])
    weights = s.revise(weights, hidden=hidden)
    total = s.reduce("sum", weights, "sum", SUM)
    into = Axis("output", ("z",))
    output = s.matmul("output", weights, v, transposed=True, columns=into)
    said = "the weight of “{column}”"
    by = ", method: {row}"
    enters = "the score of “{column}” that enters the softmax"
    shown: Style = score | alike | {"vmax": full_color(scores), "tracked": True}
    shown |= {"formula": "scores, five ways", "masked_text": "", "group": 1}
    s.show(entering, "into softmax", sentence=enters + by, **shown)
    shown = WEIGHTS | alike | {"group": 1, "formula": "hidden in five ways"}
    sums, outputs = (x.values[:, 0] for x in (total, output))
    shown |= {"note": _compared(sums, outputs), "concludes": True}
    shown |= {"sources": ["entering", "may_look"]}
    s.show(weights, sentence=said + by, **shown)
    shown = {"formula": "Σ weight · value", "vmax": full_color(values), "group": 1}
    shown |= {"palette": "output", "words": ("0",), "tracked": True, "note": ""}
    shown |= {"leads": True, "flagged": _apart(outputs)[:, None]}
    s.show(output, sentence="the output" + by, **shown)
    said = "the sum of the weights in this row, method: {row}"
    of_sums = SUMS | {"flagged": _apart(sums)[:, None], "words": ("0",)}
    s.show(total, sentence=said, group=1, **of_sums)
    return s


def _apart(numbers: Array) -> NDArray[np.bool_]:
    """Tell which ways do not give what the first gives, in the digits shown."""
    apart: NDArray[np.bool_] = ~np.isclose(numbers, numbers[0], rtol=0, atol=0.005)
    return apart


def _compared(sums: Array, outputs: Array) -> str:
    """Say which ways do not give what the first gives, the sums first."""
    for numbers, what in ((sums, "sums to"), (outputs, "gives")):
        wrong = np.flatnonzero(_apart(numbers))
        right = plots.number(numbers[0])
        if len(wrong) == 1:
            [way] = wrong
            said = plots.number(numbers[way])
            return f"! “{WAYS[way]}” {what} {said}, not {right}"
        if len(wrong):
            return f"! {len(wrong)} of {len(WAYS)} ways do not sum to {right}"
    return f"All {len(WAYS)} ways agree: output {plots.number(outputs[0])}"

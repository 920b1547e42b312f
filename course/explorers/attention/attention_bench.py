"""attention_bench: every number of scaled dot-product attention, open to change."""

import math
from collections.abc import Sequence

from numpy.typing import ArrayLike

from explorable import Array, Axes, Axis, Explorer, Sheet, Style, Table, plots
from explorable.controls import choice, slider, switch
from explorable.inputs import matrix_input, token_axes
from explorable.style import AVERAGES, SCORES, full_color
from transformer_lib.checks.validation import check_number

from ..masks.hiding import preset

SAID = SCORES["sentence"]
FEW = 3  # rows and columns of weights that are larger than all else


def attention_bench(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    tokens: Sequence[str] | None = None,
    memory: Sequence[str] | None = None,
) -> Explorer:
    """Show attention on numbers that you can change: scores, scale, softmax, output.

    Args:
        Q: queries (T, d_k). Q, K and V can be edited in the explorer.
        K: keys (S, d_k).
        V: values (S, d_v).
        tokens: a word for each row when T = S; by default 1, 2, ….
        memory: a word for each key, if a sentence attends to a different one; the
            tokens are then the words of the queries.

    Returns:
        an Explorer with controls "scale", "temperature" and "mask".

    Raises:
        TypeError, ValueError: an input is not a finite matrix, the shapes do not fit, a
            size is above 64, or there is not one token per row.

    Source: Vaswani et al. (2017), §3.2.1; D0.5, D1.11, D1.14.
    """
    inputs = {n: matrix_input(n, x) for n, x in (("Q", Q), ("K", K), ("V", V))}
    axes = token_axes(tokens, len(inputs["Q"]), len(inputs["K"]), memory)
    controls = {
        "scale": switch("divide by √d_k", True),
        "temperature": slider("temperature", 1.0, 0.1, 5.0, 0.1),
        "mask": choice("mask", ["none", "causal"]),
    }
    return Explorer(
        "attention_bench",
        attention_sheet,
        controls,
        inputs,
        axes=axes,
        title="Attention, step by step",
        task="Edit a number in Q, K or V and follow it to the output.",
    )


def attention_sheet(
    Q: Array,
    K: Array,
    V: Array,
    *,
    axes: Axes,
    scale: bool = True,
    temperature: float = 1.0,
    mask: str = "none",
) -> Sheet:
    """Show every step of attention: weights = softmax(Q Kᵀ / (√d_k · temperature)).

    A large temperature flattens the weights, a small one sharpens them.
    """
    check_number("temperature", temperature, 0, above=True)
    s = Sheet()
    query, key = axes
    q = s.leaf("Q", query, "feature", Q)
    k = s.leaf("K", key, "feature", K)
    v = s.leaf("V", Axis("value", key.labels), "feature", V)
    scores = s.matmul("scores", q, k, transposed=True)
    by, divisor = _divisor(Q.shape[1], scale, temperature)
    steps = [("÷", divisor, by)] if by else []
    scaled = s.elementwise("scaled", scores, *steps, label="score")
    may_look = preset(mask, len(Q), len(K), len(K))
    table = None if mask == "none" else s.leaf("may look", *axes, may_look)
    weights = s.softmax("weights", scaled, table)
    output = s.matmul("output", weights, v)
    below = max(K.shape) > 4  # so many columns leave no room for the scores beside K
    look: Style = {"vmax": full_color(scores.values), "step": 1, "group": int(below)}
    s.show(q, formula="queries")
    s.show(k, formula="keys")
    look |= {"note": ""}  # a line from below ends at the table
    s.show(scores, formula="QKᵀ", sentence=f"{SAID}: its query · that key", **look)
    look |= {"step": 2, "hidden": weights.hidden}
    look |= {"note": f"divided by {plots.number(divisor, 3)}"}
    formula = f"scores ÷ {by}" if by else "scores, not scaled"
    s.show(scaled, formula=formula, sentence=f"scaled {SAID}", **look)
    last = int(below) + 1
    s.show(v, formula="values", group=last)
    sharpest, most = _sharpest(weights)
    look = {"formula": "softmax of each row", "note": most, "concludes": True}
    if max(weights.values.shape) <= FEW:
        look["size"] = "huge"
    s.show(weights, step=3, group=last, **look)
    look = AVERAGES | {"formula": "weights · V", "note": "", "opens": sharpest}
    s.show(output, step=4, group=last, **look)
    return s


def _sharpest(weights: Table) -> tuple[int, str]:
    """Return the row with the largest weight, and what is to be said of it."""
    row, column = divmod(int(weights.values.argmax()), weights.values.shape[1])
    asks, answers = weights.rows.labels[row], weights.columns.labels[column]
    whom = "itself" if asks == answers else f"“{answers}”"
    largest = plots.number(weights.values[row, column])
    return row, f"“{asks}” gives {whom} {largest}"


def _divisor(d_k: int, scale: bool, temperature: float) -> tuple[str, float]:
    """Return √d_k times the temperature, as a label and as a number."""
    warm = "" if temperature == 1.0 else plots.number(temperature, 1)
    both = f"(√{d_k} · {warm})" if warm else f"√{d_k}"
    return both if scale else warm, temperature * (math.sqrt(d_k) if scale else 1.0)

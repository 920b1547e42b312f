"""softmax_bench: from any scores to weights that sum to 1, with the steps between."""

from collections.abc import Sequence

import torch
from numpy.typing import ArrayLike

from explorable import Array, Axes, Axis, Explorer, Sheet, Style, Table, plots
from explorable.controls import slider
from explorable.inputs import labels, matrix_input
from explorable.style import full_color
from transformer_lib.checks.validation import require
from transformer_lib.model.attention import masked_softmax


def softmax_bench(
    scores: ArrayLike,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    *,
    multiply: float = 1.0,
) -> Explorer:
    """Show the softmax of each row of a matrix that you can edit, scale and shift.

    Args:
        scores: (R, C), at most 64 a side.
        rows: R labels; by default 1, 2, ….
        columns: C labels; by default 1, 2, ….
        multiply: what every score is multiplied by at first, −1 to 4.

    Returns:
        an Explorer with controls "multiply" and "add".

    Raises:
        TypeError, ValueError: `scores` is not such a matrix, a label is missing, or
            `multiply` is out of range.

    Source: D1.12.1–D1.12.4, D2.3.2.
    """
    x = matrix_input("scores", scores)
    query = Axis("query", labels("rows", rows, x.shape[0]))
    key = Axis("key", labels("columns", columns, x.shape[1]))
    controls = {
        "multiply": slider("multiply every score by", multiply, -1.0, 4.0, 0.1),
        "add": slider("then add", 0.0, -5.0, 5.0, 0.1),
    }
    inputs = {"scores": x}
    axes = (query, key)
    return Explorer(
        "softmax_bench",
        softmax_sheet,
        controls,
        inputs,
        axes=axes,
        title="Softmax",
        task="Edit a score, or change all scores at once, and watch the weights.",
    )


def softmax_sheet(
    scores: Array, axes: Axes, multiply: float = 1.0, add: float = 0.0
) -> Sheet:
    """Show every step of softmax(multiply · scores + add), row by row."""
    s = Sheet()
    x = s.leaf("scores", *axes, scores)
    a, b = plots.number(multiply, 1), plots.number(add, 1)
    steps = ("×", multiply, "multiply"), ("+", add, "add")
    moved = s.elementwise("moved", x, *steps, label="score")
    most = float(moved.values.max())
    least = float(moved.values.max(axis=1).min())
    # Or a power of e would be ∞, or a whole row of them 0.
    require(most <= 700, "exp of a score", "stay finite: at most 700", f"{most:g}")
    row = "a row needs a power of e above 0: its largest moved score"
    require(least >= -745, row, "be above −745", f"{least:g}")
    powers = s.elementwise("powers", moved, function="exp")
    weights = s.normalize_rows("weights", powers)
    score: Style = {"palette": "scores", "vmax": full_color(scores)}
    said = "score of “{row}” for “{column}”"
    s.show(x, sentence=said, **score)
    formula = f"scores × {a} + {b}"
    s.show(moved, "new scores", formula=formula, sentence=f"the new {said}", **score)
    said = "e to the new score of “{row}” for “{column}”: above 0"
    s.show(powers, "exp", formula="e to each", sentence=said, note="never negative")
    plain = masked_softmax(torch.from_numpy(scores)).numpy()
    opens, note = _compared(weights, plain)
    look: Style = {"formula": "exp ÷ its row’s sum", "opens": opens, "note": note}
    s.show(weights, concludes=True, **look)
    return s


def _compared(weights: Table, plain: Array) -> tuple[int, str]:
    """Return in which row the scores give the largest weight, and what became of it."""
    row, column = divmod(int(plain.argmax()), plain.shape[1])
    asks, answers = weights.rows.labels[row], weights.columns.labels[column]
    whom = "itself" if asks == answers else f"“{answers}”"
    now, then = (plots.number(x[row, column]) for x in (weights.values, plain))
    still = "as before" if now == then else f"not {then}"
    return row, f"“{asks}” gives {whom} {now}, {still}"

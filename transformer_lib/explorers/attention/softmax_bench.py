"""softmax_bench: from any scores to weights that sum to 1, with the steps between."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from ... import plots
from ...model.attention import masked_softmax
from ..toolkit import panels
from ..toolkit.controls import slider
from ..toolkit.explorer import Arrays, Explorer
from ..toolkit.inputs import labels, matrix_input
from ..toolkit.panel import Panel

Matrix = NDArray[np.float64]


def softmax_bench(
    scores: ArrayLike,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
) -> Explorer:
    """The softmax of each row of a matrix that can be edited, scaled and shifted.

    Args:
        scores: (R, C), at most 64 a side.
        rows: R labels; by default 1, 2, ….
        columns: C labels; by default 1, 2, ….

    Returns:
        an Explorer with controls "multiply" and "add".

    Raises:
        TypeError, ValueError: scores is no such matrix, or a label is missing.

    Source: D1.12.1–D1.12.4, D2.3.2.
    """
    x = matrix_input("scores", scores)
    names = labels("rows", rows, x.shape[0]), labels("columns", columns, x.shape[1])
    controls = {
        "multiply": slider("multiply every score by", 1.0, -1.0, 4.0, 0.1),
        "add": slider("then add", 0.0, -5.0, 5.0, 0.1),
    }

    def shown(arrays: Arrays, *, multiply: float, add: float) -> list[Panel]:
        return softmax_panels(arrays, *names, multiply, add)

    return Explorer(softmax_steps, shown, controls, {"scores": x})


def softmax_steps(scores: Matrix, *, multiply: float = 1.0, add: float = 0.0) -> Arrays:
    """Every step of softmax(multiply · scores + add), row by row.

    Args:
        scores: (R, C).
        multiply: finite.
        add: finite.

    Returns:
        "scores", "moved", "powers" (e to each moved score) and "weights", all (R, C),
        and the row sums "powers.total" (R, 1).

    Raises:
        ValueError: a moved score is above 700, or a whole row is below −745: its powers
            of e would be ∞, or all 0.
    """
    moved = torch.from_numpy(scores) * multiply + add
    if float(moved.max()) > 700:
        raise ValueError(
            f"exp of a score must stay finite: at most 700, got {float(moved.max()):g}"
        )
    powers = moved.exp()
    if not powers.sum(-1).all():
        raise ValueError(
            "a row needs a power of e above 0: its largest moved score must be "
            f"above −745, got {float(moved.amax(-1).min()):g}"
        )
    return {
        "scores": scores,
        "moved": moved.numpy(),
        "powers": powers.numpy(),
        "powers.total": powers.sum(-1, keepdim=True).numpy(),
        "weights": masked_softmax(moved).numpy(),
        "multiply": np.array([[multiply]]),
        "add": np.array([[add]]),
    }


def softmax_panels(
    arrays: Arrays,
    rows: Sequence[str],
    columns: Sequence[str],
    multiply: float,
    add: float,
) -> list[Panel]:
    """The four matrices: scores, moved, their powers of e, weights."""
    limit = 1.5 * max(1.0, panels.largest(arrays["scores"]))
    given = panels.given_table("scores", rows, columns, arrays["scores"])
    sentence = "score of “{row}” for “{column}”"
    scores = replace(given, palette="scores", limit=limit, sentence=sentence)
    recipe = {"of": "powers", "parts": "powers", "total": "powers.total"}
    return [
        scores,
        _moved(scores, multiply, add),
        _powers(scores, panels.largest(arrays["powers"])),
        panels.weights(rows, columns, "exp ÷ its row's sum", recipe),
    ]


def _moved(scores: Panel, multiply: float, add: float) -> Panel:
    steps = [["× multiply", "multiply"], ["+ add", "add"]]
    return replace(
        scores,
        name="moved",
        title="moved",
        formula=f"scores × {plots.number(multiply, 1)} + {plots.number(add, 1)}",
        sentence="the moved score of “{row}” for “{column}”",
        recipe={"kind": "apply", "of": "scores", "lead": "score", "steps": steps},
        editable=False,
    )


def _powers(scores: Panel, limit: float) -> Panel:
    return replace(
        scores,
        name="powers",
        title="exp",
        formula="e to each",
        palette="weights",
        limit=limit,
        sentence="e to the moved score of “{row}” for “{column}”: above 0",
        recipe={"kind": "apply", "of": "moved", "lead": "exp of", "steps": []},
        note="never negative",
        editable=False,
    )

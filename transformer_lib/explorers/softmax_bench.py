"""softmax_bench: from any scores to weights that sum to 1, with the steps between."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from .. import plots
from ..attention import masked_softmax
from .controls import slider
from .explorer import Arrays, Explorer
from .inputs import labels, matrix_input
from .views import Panel

LARGEST = 16
Matrix = NDArray[np.float64]


def softmax_bench(
    scores: ArrayLike,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
) -> Explorer:
    """The softmax of each row of a matrix that can be edited, scaled and shifted.

    Args:
        scores: (R, C), at most 16 a side.
        rows: R labels; by default 1, 2, ….
        columns: C labels; by default 1, 2, ….

    Returns:
        an Explorer with controls "multiply" and "add".

    Raises:
        TypeError, ValueError: scores is no such matrix, or a label is missing.

    Source: D1.12.1–D1.12.4, D2.3.2.
    """
    x = matrix_input("scores", scores, LARGEST)
    names = labels("rows", rows, x.shape[0]), labels("columns", columns, x.shape[1])
    controls = {
        "multiply": slider("multiply every score by", 1.0, -1.0, 4.0, 0.1),
        "add": slider("then add", 0.0, -5.0, 5.0, 0.1),
    }

    def panels(arrays: Arrays, *, multiply: float, add: float) -> list[Panel]:
        return softmax_panels(arrays, *names, multiply, add)

    return Explorer(softmax_steps, panels, controls, {"scores": x})


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
    shape = {"rows": rows, "columns": columns, "axes": ("query", "key")}
    limit = max(1.0, float(np.abs(arrays["scores"]).max()))
    rule = f"× {plots.number(multiply, 1)}", f"+ {plots.number(add, 1)}"
    make: Any = Panel
    return [
        make(
            name="scores",
            title="scores",
            formula="",
            **shape,
            palette="scores",
            limit=1.5 * limit,
            sentence="score of “{row}” for “{column}”",
            recipe={"kind": "plain"},
            editable=True,
        ),
        make(
            name="moved",
            title="moved",
            formula=f"scores {rule[0]} {rule[1]}",
            **shape,
            palette="scores",
            limit=1.5 * limit,
            sentence="the moved score of “{row}” for “{column}”",
            recipe={"kind": "apply", "of": "scores", "lead": "score"}
            | {"steps": [["× multiply", "multiply"], ["+ add", "add"]]},
        ),
        make(
            name="powers",
            title="exp",
            formula="e to each",
            **shape,
            palette="weights",
            limit=float(arrays["powers"].max()) or 1.0,
            sentence="e to the moved score of “{row}” for “{column}”: above 0",
            recipe={"kind": "apply", "of": "moved", "lead": "exp of", "steps": []},
            note="never negative",
        ),
        make(
            name="weights",
            title="weights",
            formula="exp ÷ its row's sum",
            **shape,
            digits=4 if len(columns) <= 4 else 2,
            sentence="the share of its attention that “{row}” gives to “{column}”",
            recipe={"kind": "share", "of": "powers", "parts": "powers"}
            | {"total": "powers.total"},
            note="each row sums to 1",
        ),
    ]

"""Operations on sheets that the course adds: activations, sinusoids, a norm's steps."""

from collections.abc import Sequence
from typing import Any

from explorable import Axis, Sheet, Table
from transformer_lib.model.config import Activation

from .torch_functions import SAID


def activate(s: Sheet, name: str, a: Table, kind: Activation) -> Table:
    """Each number through ReLU or GELU, by the library's own function."""
    return s.elementwise(name, a, label="sum", function=SAID[kind])


def sinusoid(
    s: Sheet,
    name: str,
    rows: Axis,
    columns: Axis,
    base: float,
    positions: Sequence[int] | None = None,
    *,
    d_model: int | None = None,
    first: int = 0,
) -> Table:
    """The sinusoidal encoding of each row's position, by default 0, 1, ….

    The base sets the slowest wave. The columns may be some of d_model features, from
    `first` on.
    """
    count = len(columns.labels)
    at = range(len(rows.labels)) if positions is None else positions
    params: dict[str, Any] = {"base": base, "d_model": d_model or first + count}
    axes = rows, columns
    return s.add(
        name, axes, "sinusoid", positions=[*at], count=count, first=first, **params
    )


def norm_steps(s: Sheet, x: Table, eps: float, at: str = "") -> dict[str, Table]:
    """What a norm takes of each row: mean, moved, square, variance, root.

        μ        x − μ        (x − μ)²        σ²        √(σ² + ε)

    The tables by these words; their names are `at` and the word.
    """
    mean = s.reduce(f"{at}mean", x, "mean", Axis("", ("μ",)))
    moved = s.elementwise(f"{at}moved", x, ("−", mean, "μ"), label="x")
    twice = ("×", moved, "x − μ")
    square = s.elementwise(f"{at}square", moved, twice, label="x − μ")
    variance = s.reduce(f"{at}variance", square, "mean", Axis("", ("σ²",)))
    steps = [("+", eps, "ε")] if eps else []
    root = s.elementwise(f"{at}root", variance, *steps, label="σ²", function="√")
    root = s.revise(root, columns=Axis("", ("√(σ² + ε)",)))
    tables = mean, moved, square, variance, root
    words = "mean", "moved", "square", "variance", "root"
    return dict(zip(words, tables, strict=True))

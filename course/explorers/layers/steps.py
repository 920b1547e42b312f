"""What these explorers share: a norm step by step, a vector before and after."""

from collections.abc import Mapping

import numpy as np

from explorable import Sheet, Table, plots
from explorable.drawings.bars import Bars
from explorable.sheet import Step

from ..operations import norm_steps

ENDS = (2.0, 4.0, 8.0)  # of the scale, on either side; a longer bar ends in an arrow


def norm_of(s: Sheet, x: Table, eps: float) -> list[Step]:
    """The two steps that normalize each row of x (T, D): (x − μ) / √(σ² + ε)."""
    t = norm_steps(s, x, eps)
    return [("−", t["mean"], "μ"), ("÷", t["root"], "√(σ² + ε)")]


def show_vector(
    s: Sheet,
    token: int,
    tables: Mapping[str, Table],
    *,
    below: bool = True,
) -> None:
    """Draw a token's row of two tables as bars: what comes in, and what goes out.

    They have the hues of these tables. The note gives the mean and the standard
    deviation of each. They stand `below` the tables, or else beside them.
    """
    rows = {name: table.values[token] for name, table in tables.items()}
    first = next(iter(tables.values()))
    numbers = np.stack([*rows.values()], axis=1)
    low, high = (_end(float(x)) for x in (-numbers.min(), numbers.max()))
    came, goes = rows.values()
    word = first.rows.labels[token]
    spread = _moves(came.std(), goes.std())
    said = f"“{word}”: σ {spread}, mean {_moves(came.mean(), goes.mean())}"
    bars = Bars(
        name="vector",
        title=word,
        formula="before and after",
        labels=first.columns.labels,
        series=list(rows),
        hues=("scores", "output"),
        scale=(-low, high),
        band=int(below),
        wide=18.0 if below else 14.0,
        measure=f"{first.columns.name} ↓",
        sentence="{label}: {series}",
        note=said,
        concludes=True,
        blank_zeros=True,
    )
    s.draw(bars, numbers)


def _moves(before: float, after: float) -> str:
    """Write what a number was, and what it is."""
    return f"{plots.number(before, 2)} → {plots.number(after, 2)}"


def _end(most: float) -> float:
    """Where the scale ends on a side whose longest bar reaches so far."""
    return next((end for end in ENDS if most <= end), ENDS[-1])


def compact(x: Table) -> str:
    """The size of panels that stand beside many others, where that leaves room."""
    return "small" if len(x.columns.labels) <= 8 else ""


def digits_of(x: Table) -> int:
    """Decimals that its numbers have room for in cells of two decimals."""
    return 2 if np.abs(x.values).max(initial=0.0) < 1000 else 0

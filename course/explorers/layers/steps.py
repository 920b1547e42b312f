"""What these explorers share: a norm step by step, a vector before and after."""

from collections.abc import Mapping, Sequence

import numpy as np

from explorable import Array, Axis, Sheet, Table, plots
from explorable.drawings.bars import Bars
from explorable.sheet import Step

from ..operations import norm_steps

ENDS = (2.0, 4.0, 8.0)  # of the scale, on either side; a longer bar ends in an arrow


def norm_of(
    s: Sheet, x: Table, gamma: Array, beta: Array, eps: float
) -> tuple[dict[str, Table], list[Step]]:
    """What layer normalization takes of x (T, D), by name, and its four steps.

    γ (x − μ) / √(σ² + ε) + β, where γ and β are (1, D)
    """
    g = s.leaf("gamma", Axis("", ("γ",)), x.columns, gamma)
    b = s.leaf("beta", Axis("", ("β",)), x.columns, beta)
    t = norm_steps(s, x, eps) | {"gamma": g, "beta": b}
    less, by = ("−", t["mean"], "μ"), ("÷", t["root"], "√(σ² + ε)")
    return t, [less, by, ("×", g, "γ"), ("+", b, "β")]


def show_vector(
    s: Sheet, token: int, tables: Mapping[str, Table], hues: Sequence[str]
) -> None:
    """Draw a token's row of each table as bars, with means and standard deviations.

    A table that is shown has the same hue there.
    """
    rows = {name: table.values[token] for name, table in tables.items()}
    first = next(iter(tables.values()))
    (before, *_, after) = rows
    numbers = np.stack([*rows.values()], axis=1)
    low, high = (_end(float(x)) for x in (-numbers.min(), numbers.max()))
    each = [(n, rows[n].mean(), rows[n].std()) for n in (before, after)]
    said = (
        f"{name}: mean {plots.number(mean, 2)}, σ {plots.number(std, 2)}"
        for name, mean, std in each
    )
    bars = Bars(
        name="vector",
        title=first.rows.labels[token],
        formula="before and after",
        labels=first.columns.labels,
        series=list(rows),
        hues=hues,
        scale=(-low, high),
        wide=14.0,
        measure=f"{first.columns.name} ↓",
        sentence="{label}: {series}",
        note=" · ".join(said),
    )
    s.draw(bars, numbers)


def _end(most: float) -> float:
    """Where the scale ends on a side whose longest bar reaches so far."""
    return next((end for end in ENDS if most <= end), ENDS[-1])


def compact(x: Table) -> str:
    """The size of panels that stand beside many others, where that leaves room."""
    return "small" if len(x.columns.labels) <= 8 else ""

"""The panels that several explorers show: what is given, weights, and the output."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .inputs import labels
from .panel import Panel

Matrix = NDArray[np.float64]


def largest(values: Matrix) -> float:
    """The magnitude that is coloured in full; 1 where there is nothing but zeros."""
    return float(np.abs(values).max()) or 1.0


def digits_for(rows: Sequence[str], columns: Sequence[str]) -> int:
    """Four decimals in a small matrix, two in a larger one."""
    return 4 if max(len(rows), len(columns)) <= 4 else 2


def features(values: Matrix) -> list[str]:
    """The columns' labels where they are features: 1, 2, …."""
    return labels("features", None, values.shape[1])


def given(
    name: str, formula: str, role: str, rows: Sequence[str], values: Matrix
) -> Panel:
    """One vector per token, to be edited: queries, keys or values."""
    return Panel(
        name=name,
        title=name,
        formula=formula,
        rows=rows,
        columns=features(values),
        axes=(role, "feature"),
        palette=role,
        limit=1.5 * largest(values),
        sentence=f"{role} of “{{row}}”, feature {{column}}",
        editable=True,
    )


def given_table(
    name: str, rows: Sequence[str], columns: Sequence[str], values: Matrix
) -> Panel:
    """One number per query and key, to be edited."""
    return Panel(
        name=name,
        title=name,
        formula="",
        rows=rows,
        columns=columns,
        axes=("query", "key"),
        limit=1.5 * largest(values),
        editable=True,
    )


def weights(
    rows: Sequence[str],
    columns: Sequence[str],
    formula: str,
    recipe: Mapping[str, object],
) -> Panel:
    """Shares of attention, each row of which sums to 1."""
    return Panel(
        name="weights",
        title="weights",
        formula=formula,
        rows=rows,
        columns=columns,
        axes=("query", "key"),
        digits=digits_for(rows, columns),
        sentence="the share of its attention that “{row}” gives to “{column}”",
        recipe={"kind": "share", **recipe},
        note="each row sums to 1",
    )


def output(rows: Sequence[str], values: Matrix) -> Panel:
    """The values V, averaged by the weights: weights · V."""
    panel = given("output", "weights · V", "output", rows, values)
    return replace(
        panel,
        axes=("query", "feature"),
        digits=digits_for(rows, panel.columns),
        sentence="output of “{row}”, feature {column}: the values, averaged",
        recipe={
            "kind": "dot",
            "left": "weights",
            "right": "V",
            "across": "column",
            "products": "output.products",
        },
        note="averages of V's rows",
        editable=False,
    )

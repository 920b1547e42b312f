"""How a table is shown unless its explorer says otherwise: colours and words."""

from typing import Any

import numpy as np

from ... import plots
from .drawing import Matrix
from .trace import Table

SHARES: dict[str, Any] = {
    "palette": "weights",
    "limit": 1.0,
    "sentence": "the share of its attention that “{row}” gives to “{column}”",
}
WEIGHTS = SHARES | {"note": "each row sums to 1"}
SCORES: dict[str, Any] = {
    "palette": "scores",
    "sentence": "score of “{row}” for “{column}”",
}
AVERAGES: dict[str, Any] = {
    "sentence": "output of “{row}”, feature {column}: the values, averaged",
    "note": "averages of V's rows",
}
#: How a table is shown that an operation has made, unless `show` is told otherwise.
LOOKS: dict[str, dict[str, Any]] = {
    "softmax": WEIGHTS,
    "share": WEIGHTS,
    "dot": SCORES | {"note": "each a dot product"},
    "scale": SCORES,
    "mask": SCORES,
    "mix": {"palette": "output", "sentence": "output of “{row}”, feature {column}"},
}


def usual_look(table: Table) -> dict[str, Any]:
    """The usual look of a table: by its operation, and of what is given by its rows."""
    op, kind = table.made["op"], table.rows.name
    look: dict[str, Any] = {"limit": full_colour(table.values), "hidden": table.hidden}
    if table.columns.name == "feature" and kind in plots.HUES and op not in LOOKS:
        look |= {"palette": kind, "sentence": kind + " of “{row}”, feature {column}"}
    return look | LOOKS.get(op, {})


def full_colour(values: Matrix) -> float:
    """The magnitude that is coloured in full: half as much again, and at least 1."""
    seen = np.abs(values[np.isfinite(values)])
    return max(1.0, 1.5 * float(seen.max(initial=0.0)))

"""How a table is shown unless its explorer says otherwise: colors and words."""

from typing import Any

import numpy as np

from . import plots
from .drawing import Array
from .trace import Table

Look = dict[str, Any]  # attributes of a drawing
SHARES: Look = {
    "palette": "weights",
    "vmax": 1.0,
    "sentence": "the share of its attention that “{row}” gives to “{column}”",
}
WEIGHTS = SHARES | {"note": "each row sums to 1"}
SCORES: Look = {
    "palette": "scores",
    "sentence": "score of “{row}” for “{column}”",
}
AVERAGES: Look = {
    "sentence": "output of “{row}”, feature {column}: the values, averaged",
    "note": "averages of V's rows",
}
#: How a table is shown that an operation has made, unless `show` is told otherwise.
LOOKS: dict[str, Look] = {
    "softmax": WEIGHTS,
    "share": WEIGHTS,
    "dot": SCORES | {"note": "each a dot product"},
    "scale": SCORES,
    "mask": SCORES,
    "mix": {"palette": "output", "sentence": "output of “{row}”, feature {column}"},
}


def usual_look(table: Table) -> Look:
    """The usual look of a table: by its operation, and of what is given by its rows."""
    op = table.made["op"]
    kind = table.rows.name
    columns = table.columns
    look: Look = {"rows": table.rows.labels, "columns": columns.labels}
    look |= {"axes": (kind, columns.name), "made": table.made, "hidden": table.hidden}
    look["vmax"] = full_color(table.values)
    if columns.name == "feature" and kind in plots.HUES and op not in LOOKS:
        look |= {"palette": kind, "sentence": kind + " of “{row}”, feature {column}"}
    return look | LOOKS.get(op, {})


def full_color(values: Array) -> float:
    """The magnitude that is colored in full: half as much again, and at least 1."""
    seen = np.abs(values[np.isfinite(values)])
    return max(1.0, 1.5 * float(seen.max(initial=0.0)))

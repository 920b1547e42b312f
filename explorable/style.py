"""How a table is shown unless its explorer says otherwise: colors and words."""

from typing import Any

import numpy as np

from . import plots
from .drawing import Array
from .operations import Record
from .trace import Table

Style = dict[str, Any]  # attributes of a drawing
SHARES: Style = {
    "palette": "weights",
    "vmax": 1.0,
    "blank_zeros": True,
    "sentence": "the share of its attention that “{row}” gives to “{column}”",
}
WEIGHTS = SHARES | {"note": "each row sums to 1"}
SCORES: Style = {
    "palette": "scores",
    "sentence": "score of “{row}” for “{column}”",
}
AVERAGES: Style = {
    "sentence": "output of “{row}”, feature {column}: the values, averaged",
    "note": "averages of V’s rows",
}
#: How a table is shown that an operation has made, unless `show` is told otherwise.
STYLES: dict[str, Style] = {
    "softmax": WEIGHTS,
    "normalize_rows": WEIGHTS,
    "mask": SCORES,
    "scaled": SCORES,
    "matmul": {"palette": "output", "sentence": "output of “{row}”, feature {column}"},
    "matmul, transposed": SCORES | {"note": "each a dot product"},
}


def usual_style(table: Table) -> Style:
    """The usual look of a table: by its operation, and of what is given by its rows."""
    op = _kind_of(table.provenance)
    kind = table.rows.name
    columns = table.columns
    look: Style = {"rows": table.rows.labels, "columns": columns.labels}
    look |= {"axes": (kind, columns.name), "provenance": table.provenance}
    look |= {"vmax": full_color(table.values), "hidden": table.hidden}
    if columns.name == "feature" and kind in plots.HUES and op not in STYLES:
        look |= {"palette": kind, "sentence": kind + " of “{row}”, feature {column}"}
    return look | STYLES.get(op, {})


def _kind_of(provenance: Record) -> str:
    """Which of STYLES an operation has: with numbers alone it scales what comes in."""
    op: str = provenance["op"]
    params = provenance["params"]
    if params.get("transposed"):
        return f"{op}, transposed"
    alone = len(provenance["inputs"]) == 1 and "function" not in params
    return "scaled" if op == "elementwise" and alone else op


def full_color(values: Array) -> float:
    """The magnitude that is colored in full: half as much again, and at least 1."""
    seen = np.abs(values[np.isfinite(values)])
    return max(1.0, 1.5 * float(seen.max(initial=0.0)))

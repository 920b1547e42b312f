"""Sheet: an explorer's mathematics on matrices with named axes, traced as it is done.

How a cell was computed follows from the operation that made its table, and its labels
from the axes. The trace (`Table.provenance`) is data: the page explains every cell by
it, and operations.py computes every table again from it.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .drawings.matrix import Matrix
from .style import usual_style
from .trace import ONE, Axis, Table, Trace, check_fits, check_same
from .validation import require

Step = tuple[str, float | Table, str]  # a sign, a number or table, and its label


class Sheet(Trace):
    """Tables that are made of each other by operations, and what is shown of them.

    An operation checks axes by name, calls the function that is registered for it, and
    gives a table that knows its provenance; its first argument is that table's name.

    Raises:
        ValueError: the axes of the tables that an operation is given do not fit each
            other, or numbers do not fit their labels.
    """

    def show(self, table: Table, title: str = "", **style: Any) -> None:
        """Add the drawing of a table; its labels, axes and colors follow from it.

        Args:
            table: of this sheet.
            title: what it is called; its name by default.
            style: attributes of `Matrix` that are to be others than `STYLES` says.
        """
        self.draw(Matrix(name=table.name, title=title, **usual_style(table) | style))

    def elementwise(
        self,
        name: str,
        a: Table,
        *steps: Step,
        label: str = "",
        function: str = "",
        decimals: int | None = None,
    ) -> Table:
        """Do one step after another to each number; then apply a function, and round.

        Args:
            name: of the new table.
            a: what to begin with.
            steps: (sign, operand, label): + − × or ÷, a number or a table, and what it
                is called; "" for the table's name. The table may have one number for
                each row or for each column of a, or one for all.
            label: what a cell of a is called, by default its table's name.
            function: by its registered name: "exp", "√", "ReLU", ….
            decimals: that the result is rounded to.

        Where a is a short sum of products and not drawn, a cell says these products.
        """
        for step in steps:
            fits = len(step) == 3 and step[0] in ("+", "−", "×", "÷")
            require(fits, "step", "be (a sign of + − × ÷, an operand, a label)", step)
        inputs = [a, *(b for _, b, _ in steps if isinstance(b, Table))]
        for table in inputs[1:]:
            check_fits(a, table)
        params: dict[str, Any] = {"steps": _plain(steps)} if steps else {}
        if function:
            params["function"] = function
        if decimals is not None:
            params["decimals"] = decimals
        labels = [label or a.name, *_labels(steps)]
        made = self.add(name, a.axes, "elementwise", inputs, labels, **params)
        return self._inside(made, a)

    def matmul(
        self,
        name: str,
        a: Table,
        b: Table,
        *steps: Step,
        bias: Table | None = None,
        transposed: bool = False,
        columns: Axis | None = None,
    ) -> Table:
        """The product a b, plus one number for each column; or a bᵀ.

        Args:
            name: of the new table.
            a: its columns are called as b's rows are, or are b's columns for a bᵀ.
            b: the second factor.
            steps: done to each sum; numbers alone, as in `elementwise`.
            bias: (1, columns) that is added.
            transposed: whether rows are multiplied by rows.
            columns: the axis of the result, where it is not that of b.
        """
        if transposed:
            check_same(a.columns == b.columns, "columns", a, b)
        else:
            check_same(a.columns.labels == b.rows.labels, "inner labels", a, b)
        inputs = [a, b]
        own = b.rows if transposed else b.columns
        if bias is not None:
            check_same(bias.columns.labels == own.labels, "columns", b, bias)
            inputs.append(bias)
        params: dict[str, Any] = {"transposed": True} if transposed else {}
        if steps:
            params["steps"] = _plain(steps)
        axes = a.rows, columns or own
        return self.add(name, axes, "matmul", inputs, _labels(steps), **params)

    def reduce(self, name: str, a: Table, how: str, columns: Axis = ONE) -> Table:
        """The "sum" or the "mean" of each row, (rows, 1)."""
        return self.add(name, (a.rows, columns), "reduce", [a], how=how)

    def normalize_rows(self, name: str, a: Table) -> Table:
        """Each number divided by its row's sum; NaN where that is 0."""
        return self.add(name, a.axes, "normalize_rows", [a])

    def softmax(
        self, name: str, scores: Table, mask: Table | None = None, *, bare: bool = False
    ) -> Table:
        """Each row of scores as weights that sum to 1, by the library's own function.

        The mask is 1 where a query may attend and 0 where it may not. A `bare` row of
        −∞ alone gives NaN, as the formula by itself does.
        """
        params: dict[str, Any] = {"bare": True} if bare else {}
        if mask is None:
            return self.add(name, scores.axes, "softmax", [scores], **params)
        check_fits(scores, mask)
        weights = self.add(name, scores.axes, "softmax", [scores, mask], **params)
        return self.revise(weights, hidden=mask.values == 0)

    def mask(
        self, name: str, scores: Table, mask: Table, hidden_as: float = -np.inf
    ) -> Table:
        """The scores, with another number where the mask is not 1."""
        check_fits(scores, mask)
        other: dict[str, Any] = {} if hidden_as == -np.inf else {"hidden_as": hidden_as}
        labels = "score", "may look?"
        inputs = [scores, mask]
        masked = self.add(name, scores.axes, "mask", inputs, labels, **other)
        return self.revise(masked, hidden=mask.values == 0)

    def fill(self, name: str, a: Table, b: Table, labels: tuple[str, str]) -> Table:
        """The numbers of a, and those of b where a has none (NaN)."""
        check_same(a.axes == b.axes, "axes", a, b)
        return self.add(name, a.axes, "fill", [a, b], labels)

    def pick(self, name: str, a: Table, rows: Axis, at: Sequence[int]) -> Table:
        """Some rows of a table, under labels of their own, in the order of `at`."""
        made = self.add(name, (rows, a.columns), "pick", [a], [a.name], rows=[*at])
        return self._inside(made, a)

    def stack(self, name: str, rows: Axis, tables: Sequence[Table]) -> Table:
        """Tables of one row each, one below the other; each explains its own cells."""
        first = tables[0]
        for table in tables:
            check_same(table.columns == first.columns, "columns", table, first)
            one = len(table.rows.labels) == 1
            require(one, table.name, "have one row", f"shape {table.values.shape}")
        made = self.add(name, (rows, first.columns), "stack", tables)
        each = [table.provenance for table in tables]
        return self.revise(made, provenance=made.provenance | {"rows": each})

    def concat(
        self, name: str, columns: Axis, tables: Sequence[Table], labels: Sequence[str]
    ) -> Table:
        """Tables of the same rows side by side; `labels` say whose a cell is.

        A cell of a table that is not drawn is explained as that table explains it.
        """
        for table in tables:
            check_same(table.rows == tables[0].rows, "rows", table, tables[0])
        made = self.add(name, (tables[0].rows, columns), "concat", tables, labels)
        each = [table.provenance for table in tables]
        return self.revise(made, provenance=made.provenance | {"parts": each})

    def _inside(self, made: Table, a: Table) -> Table:
        """A table that may say how a was made, where a comes from products."""
        if a.provenance["op"] != "matmul" and "parts" not in a.provenance:
            return made
        return self.revise(made, provenance=made.provenance | {"parts": [a.provenance]})

    def renamed(self, name: str, table: Table) -> Table:
        """The same table under another name, with the same provenance."""
        return self.enter(replace(table, name=name))

    def with_recorded(self, table: Table, values: ArrayLike, close: float) -> Table:
        """The table with the numbers that a model has computed for it.

        Where the operation does not give a row, up to `close` of the largest, it stands
        for itself: it was changed on its way, by hand or by dropout.
        """
        recorded = np.asarray(values, dtype=np.float64)
        both = np.stack([recorded, table.values])
        largest = np.abs(both).max(initial=0.0, where=np.isfinite(both))
        near = {"rtol": 0.0, "atol": close * largest, "equal_nan": True}
        same = np.isclose(recorded, table.values, **near).all(axis=1)  # (rows,)
        own = table.provenance | {"recorded": True}
        if not same.all():
            own["changed"] = np.flatnonzero(~same).tolist()
        return self.revise(table, values=recorded, provenance=own)

    def alike(self, tables: Sequence[Table], labels: Sequence[str]) -> list[Table]:
        """Say of each cell what it is in all of these tables, of one shape."""
        said = {"inputs": [t.name for t in tables], "labels": [*labels]}
        return [
            self.revise(table, provenance=table.provenance | {"also": said})
            for table in tables
        ]


def _plain(steps: Sequence[Step]) -> list[list[Any]]:
    """The signs of some steps, and their numbers; None for a table."""
    return [[sign, None if isinstance(b, Table) else float(b)] for sign, b, _ in steps]


def _labels(steps: Sequence[Step]) -> list[str]:
    """What each step is called: its sign, and what it takes."""
    return [
        f"{sign} {label or (b.name if isinstance(b, Table) else '')}".strip()
        for sign, b, label in steps
    ]

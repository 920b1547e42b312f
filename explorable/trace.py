"""Tables with named axes that know their provenance, and the trace that keeps them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .drawing import Array, Drawing
from .operations import LEAF, Record, evaluate
from .validation import require


@dataclass(frozen=True)
class Axis:
    """What the rows or columns of a table are, such as "query", and their labels."""

    name: str
    labels: Sequence[str]

    def __post_init__(self) -> None:
        vars(self)["labels"] = tuple(self.labels)  # for good: it is frozen

    @staticmethod
    def numbered(name: str, count: int, first: int = 1) -> "Axis":
        """An axis whose labels are numbers, from `first` on."""
        return Axis(name, [str(n) for n in range(first, first + count)])


Axes = tuple[Axis, Axis]
FEW = 8  # sources of a drawing, to be connected with it
ONE = Axis("", ("",))  # the axis of a table that has one number for a whole row, or all


@dataclass(frozen=True, eq=False)
class Table:
    """A matrix with named axes, and how it was made.

    Its provenance is plain data, complete enough to compute the numbers again:

        op: the operation, by the name it was registered under; "leaf" where the
            numbers stand for themselves.
        inputs: the names of the tables that went in.
        params: what else the operation was given; see operations.py.
        labels: what a cell of each input, or each step, is called.
        recorded: True where the numbers are those of a model's pass.
        changed: the rows of these that the operation does not give.
        rows: of a stack, the provenance of each row.
        parts: the provenance of those inputs that may be explained in its place.
        also: {"inputs", "labels"}: tables that hold the same, each in its own way.

    Attributes:
        name: unlike that of any other table of the sheet.
        rows, columns: the axes.
        values: (rows, columns).
        provenance: as above; see also matrix/explain.js.
        hidden: boolean (rows, columns), True where a mask has hidden a cell, or None.
    """

    name: str
    rows: Axis
    columns: Axis
    values: Array
    provenance: Record
    hidden: NDArray[np.bool_] | None = None

    @property
    def axes(self) -> Axes:
        """Its rows and its columns."""
        return self.rows, self.columns


class Trace:
    """Tables that are made of each other, and the drawings that show them.

    What has no table, but is drawn, is an array with a name.

    Attributes:
        tables: by name, as they came.
        arrays: the numbers of every table by name, and those that are drawn alone.
        drawings: as they came.
        controls: by name, what the explorer's controls may do; see `control`.
    """

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self.arrays: dict[str, Array] = {}
        self.drawings: list[Drawing] = []
        self.controls: dict[str, dict[str, Any]] = {}

    def __getitem__(self, name: str) -> Array:
        return self.arrays[name]

    def draw(self, drawing: Drawing, values: ArrayLike | None = None) -> None:
        """Add a drawing of an array that is in the sheet, or comes along with it.

        Raises:
            ValueError: there is no array of its name, or there are two.
        """
        if values is not None:
            self.keep(drawing.name, values)
        wanted = f"show one of {sorted(self.arrays)}"
        name = drawing.name
        require(name in self.arrays, "a drawing", wanted, repr(name))
        self.drawings.append(replace(drawing, title=drawing.title or name))

    def connected(self) -> list[Drawing]:
        """Return the drawings, each with those whose tables went into its own.

        Where these are many, lines from all of them would hide what they lead to.
        """
        found = [
            (d, self._sources(d.name) if d.sources is None else d.sources)
            for d in self.drawings
        ]
        return [replace(d, sources=s if len(s) <= FEW else []) for d, s in found]

    def _sources(self, name: str, of: str = "") -> list[str]:
        """Name the drawn tables that a table is made of, through those not drawn.

        A table that is drawn side by side with others stands in the drawing of these.
        """
        if name not in self.tables:
            return []
        of = of or name
        drawn = {
            drawing.name: self.tables.get(drawing.name) for drawing in self.drawings
        }
        homes = {
            part: home
            for home, table in drawn.items()
            if table and table.provenance["op"] == "concat" and home != of
            for part in table.provenance["inputs"]
        }
        found = list[str]()
        for source in self.tables[name].provenance["inputs"]:
            if source in drawn or source in homes:
                found.append(source if source in drawn else homes[source])
            else:
                found += self._sources(source, of)
        return [*dict.fromkeys(found)]

    def control(self, name: str, *, shown: bool = True, **traits: Any) -> None:
        """Say what a control of the explorer may do while this sheet is shown.

            s.control("pair", max=last)  # a slider ends there
            s.control("seed", shown=strategy == "sample")

        The function may be called with a value beyond the new `max`; it must treat such
        a value as the `max`, to which the explorer then moves the control. What a sheet
        does not mention stays as it is.

        Args:
            name: of the control.
            shown: whether the reader sees it.
            **traits: of its widget, such as `max` and `disabled`. With `keep_last=True`
                a slider at its end moves with its end.
        """
        self.controls[name] = {"shown": shown, **traits}

    def keep(self, name: str, values: ArrayLike) -> None:
        """Add an array that no operation made.

        Raises:
            ValueError: there is an array of this name.
        """
        require(name not in self.arrays, "name", "be new in this sheet", repr(name))
        self.arrays[name] = np.asarray(values, dtype=np.float64)

    def enter(self, table: Table) -> Table:
        """Add a table, and give it.

        Raises:
            ValueError: its shape is not that of its labels, or its name is taken.
        """
        shape = table.values.shape
        size = tuple(len(axis.labels) for axis in table.axes)
        wanted = "be {} × {}, as its labels are".format(*size)
        require(shape == size, table.name, wanted, f"shape {shape}")
        self.keep(table.name, table.values)
        self.tables[table.name] = table
        return table

    def leaf(
        self, name: str, rows: Axis, columns: Axis | str, values: ArrayLike
    ) -> Table:
        """Numbers that stand for themselves; columns with but a name are numbered."""
        if isinstance(columns, str):
            columns = Axis.numbered(columns, np.shape(values)[-1])
        x = np.asarray(values, dtype=np.float64)
        return self.enter(Table(name, rows, columns, x, LEAF))

    def add(
        self,
        name: str,
        axes: Axes,
        op: str,
        inputs: Sequence[Table] = (),
        labels: Sequence[str] = (),
        **params: Any,
    ) -> Table:
        """Add a table that a registered operation makes of others, and give it.

        Args:
            name: of the new table.
            axes: its rows and columns.
            op: the name of the operation.
            inputs: tables of this sheet.
            labels: what a cell of each input, or each step, is called.
            params: what else the operation is given: plain data.

        Raises:
            ValueError: its shape is not that of its labels, its name is taken, or it
                is made of what is no table of this sheet.
            LookupError: there is no such operation.
        """
        for table in inputs:
            own = self.arrays.get(table.name) is table.values
            require(own, "what it is made of", "be of this sheet", repr(table.name))
        names = [table.name for table in inputs]
        record = {"op": op, "inputs": names, "params": params, "labels": [*labels]}
        return self.enter(Table(name, *axes, evaluate(record, self.arrays), record))

    def revise(self, table: Table, **changes: Any) -> Table:
        """Return the table with other axes or more provenance, and keep it."""
        self.tables[table.name] = revised = replace(table, **changes)
        self.arrays[table.name] = revised.values
        return revised

    def forget(self, table: Table) -> None:
        """Take a table out, so that another one may have its name."""
        del self.tables[table.name], self.arrays[table.name]


def check_same(holds: bool, what: str, a: Table, b: Table) -> None:
    """Raise unless two tables agree in what an operation asks of them."""
    each = (f"{t.rows.name} × {t.columns.name} {t.values.shape}" for t in (a, b))
    both = f"{a.name} and {b.name}"
    got = " and ".join(each)
    require(holds, both, f"have the same {what}", got)


def check_fits(a: Table, b: Table) -> None:
    """Raise unless b has the axes of a, or one number for a row, a column or all."""
    rows = b.rows in (a.rows, ONE) or len(b.rows.labels) == 1
    columns = b.columns in (a.columns, ONE) or len(b.columns.labels) == 1
    check_same(rows and columns, "axes", a, b)

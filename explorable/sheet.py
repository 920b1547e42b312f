"""Sheet: an explorer's mathematics on matrices with named axes, traced as it is done.

What a cell was made of follows from the operation that made its table, and its labels
from the axes. The trace (`Table.made`) is data: the page explains every cell by it.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .drawing import Array
from .drawings.matrix import Matrix
from .functions import registered
from .looks import Look, usual_look
from .trace import ONE, Axis, Table, Trace, check_fits, check_same

LARGEST_SHIFT = 20.0  # scores below it are raised to e as they are, with no shift
SIGNS = {"+": np.add, "−": np.subtract, "×": np.multiply, "÷": np.divide}
SAID: dict[str, str] = {
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu_tanh": "GELU, by tanh",
}
#: What is said of a number of a pass that its operation does not give.
CHANGED: Look = {"op": "given", "of": [], "lead": "changed on its way"}
Step = tuple[str, str, float]  # a sign, what a number is called, the number


class Sheet(Trace):
    """Tables that are made of each other by operations, and what is shown of them.

    An operation checks axes by name, calls the library, and gives a table that knows
    what made it; its first argument is that table's name.

    Raises:
        ValueError: the axes of the tables that an operation is given do not fit each
            other, or numbers do not fit their labels.
    """

    def show(self, table: Table, title: str = "", **look: Any) -> None:
        """Add the drawing of a table; its labels, axes and colors follow from it.

        Args:
            table: of this sheet.
            title: what it is called; its name by default.
            look: attributes of `Matrix` that are to be others than `LOOKS` says.
        """
        self.draw(Matrix(name=table.name, title=title, **usual_look(table) | look))

    def given(
        self, name: str, rows: Axis, columns: Axis | str, values: ArrayLike
    ) -> Table:
        """Numbers that stand for themselves; columns with but a name are numbered."""
        if isinstance(columns, str):
            columns = Axis.numbered(columns, np.shape(values)[-1])
        return self.add(name, (rows, columns), values, "given")

    def dot(self, name: str, a: Table, b: Table, *steps: Step) -> Table:
        """Rows of a times rows of b, over the columns that both have: a bᵀ.

        The steps are done to each sum, as by `scale`.
        """
        check_same(a.columns == b.columns, "columns", a, b)
        values, said = _stepped(a.values @ b.values.T, steps)
        say: Look = {"steps": said} if said else {}
        return self.add(name, (a.rows, b.rows), values, "dot", a, b, **say)

    def mix(
        self, name: str, weights: Table, v: Table, columns: Axis | None = None
    ) -> Table:
        """Rows of v, each weighted and added: weights v."""
        check_same(weights.columns.labels == v.rows.labels, "keys", weights, v)
        axes = weights.rows, columns or v.columns
        return self.add(name, axes, weights.values @ v.values, "mix", weights, v)

    def affine(self, name: str, x: Table, W: Table, b: Table | None = None) -> Table:
        """Rows of x times a matrix, plus one number a column: x W + b."""
        check_same(x.columns.labels == W.rows.labels, "features", x, W)
        axes = (x.rows, W.columns)
        of = [x, W]
        values = x.values @ W.values
        if b is not None:
            check_same(b.columns.labels == W.columns.labels, "columns", W, b)
            values = values + b.values
            of.append(b)
        return self.add(name, axes, values, "affine", *of)

    def scale(self, name: str, a: Table, *steps: Step, lead: str = "") -> Table:
        """One number after another added to every cell, or multiplied or divided by.

        A step is its sign, what the number is called, and the number; `lead` is what
        a cell of `a` is called, its table's name by default.
        """
        values, said = _stepped(a.values, steps)
        say = {"lead": lead or a.name, "steps": said}
        return self.add(name, a.axes, values, "scale", a, **say)

    def exp(self, name: str, a: Table) -> Table:
        """Raise e to each number."""
        return self.add(name, a.axes, np.exp(a.values), "exp", a, lead="exp of")

    def root(self, name: str, a: Table, plus: float = 0.0, lead: str = "") -> Table:
        """The square root of each number, plus a small one: √(a + plus)."""
        say = {"plus": plus, "lead": lead or a.name}
        return self.add(name, a.axes, np.sqrt(a.values + plus), "root", a, **say)

    def activate(self, name: str, a: Table, kind: str) -> Table:
        """Each number through ReLU or GELU, by the library's own function."""
        values = registered("activate")(a.values, kind)
        say = {"lead": "sum", "kind": kind, "said": SAID[kind]}
        return self.add(name, a.axes, values, "activate", a, **say)

    def zip(
        self,
        name: str,
        a: Table,
        sign: str,
        b: Table,
        leads: tuple[str, str] = ("", ""),
        decimals: int = 15,
    ) -> Table:
        """Cell by cell a + b, a − b, a × b or a ÷ b, rounded to so many decimals.

        b may have one number for each row or for each column of a, or one for all.
        `leads` are what a cell of a and of b is called, by default the tables' names.
        """
        check_fits(a, b)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = SIGNS[sign](a.values, b.values)
        if decimals < 15:
            values = values.round(decimals) + 0.0  # no −0
        said = [leads[0] or a.name, f"{sign} {leads[1] or b.name}"]
        return self.add(name, a.axes, values, "zip", a, b, leads=said)

    def chain(
        self, name: str, a: Table, *steps: tuple[str, Table, str], lead: str = ""
    ) -> Table:
        """Cell by cell, one table after another: added, subtracted, times, divided by.

        A step is its sign, the table, and what a cell of it is called; as `zip`.
        """
        values = a.values
        said = [lead or a.name]
        for sign, b, called in steps:
            check_fits(a, b)
            values = SIGNS[sign](values, b.values)
            said.append(f"{sign} {called}")
        of = a, *(b for _, b, _ in steps)
        return self.add(name, a.axes, values, "zip", *of, leads=said)

    def total(self, name: str, a: Table, columns: Axis = ONE) -> Table:
        """The sum of each row, (rows, 1)."""
        return self.add(name, (a.rows, columns), a.values.sum(1)[:, None], "sum", a)

    def mean(self, name: str, a: Table, columns: Axis = ONE) -> Table:
        """The mean of each row, (rows, 1)."""
        return self.add(name, (a.rows, columns), a.values.mean(1)[:, None], "mean", a)

    def share(self, name: str, a: Table) -> Table:
        """Each number divided by its row's sum; NaN where that is 0."""
        total = a.values.sum(axis=1, keepdims=True)
        say = {"parts": a.name, "total": self.keep(f"{name}.total", total)}
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.add(name, a.axes, a.values / total, "share", a, **say)

    def softmax(
        self, name: str, scores: Table, mask: Table | None = None, *, bare: bool = False
    ) -> Table:
        """Each row of scores as weights that sum to 1, by the library's own function.

        The mask is 1 where a query may look and 0 where it may not. A `bare` row of −∞
        alone gives NaN, as the formula by itself does.
        """
        x = scores.values
        seen = None if mask is None else mask.values == 1
        weights = _softmax_alone(x) if bare else registered("softmax")(x, seen)
        # It divides powers of e: where these would be large to read, the largest score
        # is subtracted first.
        known = x if seen is None else np.where(seen, x, -np.inf)
        top = known.max(axis=1, keepdims=True)
        plain = (np.abs(top) < LARGEST_SHIFT) | np.isinf(top)
        shift = np.where(plain, 0.0, top)
        parts = np.exp(known - shift)
        kept = {"parts": parts, "total": parts.sum(1, keepdims=True), "shift": shift}
        say: Look = {part: self.keep(f"{name}.{part}", x) for part, x in kept.items()}
        say["open"] = mask.name if mask is not None else ""
        made = self.add(name, scores.axes, weights, "softmax", scores, **say)
        return made if mask is None else replace(made, hidden=mask.values == 0)

    def wave(
        self,
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

        "name.angles" and "name.divisors" explain its cells; the base sets the slowest
        wave. The columns may be some of d_model features, from `first` on.
        """
        end = first + len(columns.labels)
        D = d_model or end
        at = list(range(len(rows.labels)) if positions is None else positions)
        evens = range(first - first % 2, end, 2)  # where a pair begins
        divisors = base ** (np.array(evens) / D)
        angles = np.array(at)[:, None] / divisors
        of = self.given(f"{name}.angles", rows, "pair", angles)
        say: Look = {"divisors": self.keep(f"{name}.divisors", divisors[None])}
        say["texts"] = [f"pos ÷ {base:.10g}^({n}/{D})" for n in evens]
        say |= {"positions": at, "odd": first % 2}
        all_of = registered("sinusoid")(max(at) + 1, D, float(base))
        axes = rows, columns
        return self.add(name, axes, all_of[at, first:end], "wave", of, **say)

    def mask(
        self, name: str, scores: Table, mask: Table, hidden_as: float = -np.inf
    ) -> Table:
        """The scores, with another number where the mask is not 1."""
        check_fits(scores, mask)
        values = np.where(mask.values == 1, scores.values, hidden_as)
        say = {"leads": ["score", "may look?"]}
        made = self.add(name, scores.axes, values, "mask", scores, mask, **say)
        return replace(made, hidden=mask.values == 0)

    def stack(self, name: str, rows: Axis, tables: Sequence[Table]) -> Table:
        """Tables of one row each, one below the other; each explains its own cells."""
        columns = tables[0].columns
        for table in tables:
            check_same(table.columns == columns, "columns", table, tables[0])
        values = np.concatenate([t.values for t in tables])
        made = [t.made for t in tables]
        return self.add(name, (rows, columns), values, "stack", made=made)

    def beside(
        self, name: str, columns: Axis, tables: Sequence[Table], leads: Sequence[str]
    ) -> Table:
        """Tables of the same rows side by side; `leads` say whose a cell is."""
        for table in tables:
            check_same(table.rows == tables[0].rows, "rows", table, tables[0])
        values = np.concatenate([t.values for t in tables], axis=1)
        axes = tables[0].rows, columns
        return self.add(name, axes, values, "beside", *tables, leads=list(leads))

    def renamed(self, name: str, table: Table) -> Table:
        """The same table under another name, explained as it is."""
        return replace(table, name=self.keep(name, table.values))

    def taken(self, table: Table, values: ArrayLike, close: float) -> Table:
        """The table with the numbers that a model has computed for it.

        Where the operation does not give a row, up to `close` of the largest, it stands
        for itself: it was changed on its way, by hand or by dropout.
        """
        taken = np.asarray(values, dtype=np.float64)
        self.arrays[table.name] = taken
        both = np.stack([taken, table.values])
        largest = np.abs(both).max(initial=0.0, where=np.isfinite(both))
        near = {"rtol": 0.0, "atol": close * largest, "equal_nan": True}
        same = np.isclose(taken, table.values, **near)
        whole = same.all(axis=1)  # (rows,)
        made = table.made
        if not whole.all():
            each = [made if fits else CHANGED for fits in whole]
            made = {"op": "stack", "of": [], "made": each}
        return replace(table, values=taken, made=made)

    def spread(self, x: Table, eps: float, at: str = "") -> dict[str, Table]:
        """What a norm takes of each row: mean, moved, square, variance, root.

            μ        x − μ        (x − μ)²        σ²        √(σ² + ε)

        The tables by these words; their names are `at` and the word.
        """
        mean = self.mean(f"{at}mean", x, Axis("", ("μ",)))
        moved = self.zip(f"{at}moved", x, "−", mean, ("x", "μ"))
        both = "x − μ", "x − μ"
        square = self.zip(f"{at}square", moved, "×", moved, both)
        variance = self.mean(f"{at}variance", square, Axis("", ("σ²",)))
        root = self.root(f"{at}root", variance, eps, "σ²")
        root = replace(root, columns=Axis("", ("σ",)))
        made = mean, moved, square, variance, root
        words = "mean", "moved", "square", "variance", "root"
        return dict(zip(words, made, strict=True))

    def alike(self, tables: Sequence[Table], leads: Sequence[str]) -> list[Table]:
        """Say of each cell what it is in all of these tables, of one shape."""
        say = {"op": "same", "of": [t.name for t in tables], "leads": list(leads)}
        return [replace(table, made=say) for table in tables]


def _stepped(values: Array, steps: Sequence[Step]) -> tuple[Array, list[Any]]:
    """Numbers after some steps, and what is said of these."""
    said: list[Any] = []
    for sign, text, number in steps:
        values = SIGNS[sign](values, number)
        said.append([f"{sign} {text}", float(number)])
    return values, said


def _softmax_alone(scores: Array) -> Array:
    """Divide powers of e by their sum, whatever comes of a row of −∞."""
    with np.errstate(invalid="ignore"):
        parts = np.exp(scores - scores.max(axis=1, keepdims=True))
        alone: Array = parts / parts.sum(axis=1, keepdims=True)
    return alone

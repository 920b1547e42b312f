"""Drawings: what every part of a picture has, and the panel, which shows a matrix."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ... import plots

Matrix = NDArray[np.float64]
SIZES = {"large": 7, "small": 16, "tiny": 32}  # cells, up to so many columns


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """One part of a picture; what kinds there are says `views.VIEWS`.

    Attributes:
        name: the array it shows.
        title, formula: its heading: what it is, by default its name, and how it comes
            about.
        palette: a key of `plots.HUES`.
        digits: decimals of its numbers.
        sentence: what the part in view says; the kind tells what is filled in.
        note: one line under it.
        step: its number where the drawings are steps of one computation, or 0.
        band: drawings of one band stand side by side, the bands one below the other.
        group: within a band, drawings of one kind and group stand in one row.
        shares: drawings that name the same thing here show the place in view together.
        axes: what rows and columns are, or x and y, such as ("query", "key").
    """

    name: str
    title: str = ""
    formula: str = ""
    palette: str = "weights"
    digits: int = 2
    sentence: str = ""
    note: str = ""
    step: int = 0
    band: int = 0
    group: int = 0
    shares: str = ""
    axes: tuple[str, str] = ("", "")

    kind: ClassVar[str] = ""
    #: The attributes that stay while numbers change, and those that change with them.
    still: ClassVar[tuple[str, ...]] = ()
    moving: ClassVar[tuple[str, ...]] = ()

    def frame(self) -> dict[str, Any]:
        """What stays while numbers change, for the view: a change builds it anew."""
        names = ("name", "title", "palette", "digits", "step", "shares", *self.still)
        return {name: _as_sent(getattr(self, name)) for name in names}

    def live(self) -> dict[str, Any]:
        """What may change with the numbers, for the view: it is changed in place."""
        names = ("formula", "sentence", "note", *self.moving)
        return {name: _as_sent(getattr(self, name)) for name in names}

    def heading(self) -> str:
        """What it is and how it comes about, in one line."""
        return f"{self.title}  {self.formula}".strip()

    def text(self, arrays: Mapping[str, Matrix]) -> str:
        """This drawing as text: its heading and a table of its numbers."""
        table = [[*map(_one_line, line)] for line in self.table(arrays)]
        widths = [max(len(line[c]) for line in table) for c in range(len(table[0]))]
        head = " · ".join(filter(None, (self.heading(), self.about(), self.note)))
        lines = [_one_line(head)]
        for first, *rest in table:
            words = [first.ljust(widths[0]), *map(str.rjust, rest, widths[1:])]
            lines.append("  ".join(words).rstrip())
        return "\n".join(lines)

    def numbers(self, arrays: Mapping[str, Matrix]) -> str:
        """The same as `text`, with tabs, for a program that reads tables."""
        lines = ["\t".join(map(in_a_cell, line)) for line in self.table(arrays)]
        return "\n".join([in_a_cell(self.heading()), *lines])

    def about(self) -> str:
        """What the table's rows and columns are, in one line, or ""."""
        named = zip(self.axes, "↓→", strict=True)
        return " ".join(f"{name} {way}" for name, way in named if name)

    def table(self, arrays: Mapping[str, Matrix]) -> list[Sequence[str]]:
        """The numbers as rows of texts, the labels first; every row is as long."""
        raise NotImplementedError

    def said(self, numbers: Iterable[float]) -> list[str]:
        """Numbers as texts, with this drawing's decimals."""
        return [plots.number(x, self.digits) for x in numbers]


@dataclass(frozen=True, kw_only=True)
class Grid(Drawing):
    """Numbers between the labels of rows and columns; a mask may hide some of them.

    Attributes:
        rows, columns: labels, one per row and column.
        hidden: boolean, True where a cell is masked.
        veil: what a masked cell says; "" for what it holds.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    hidden: NDArray[np.bool_] | None = None
    veil: str = "hidden"

    def cells(self, values: Matrix) -> list[list[str]]:
        """What each cell says."""
        cells = [self.said(row) for row in values.tolist()]
        if self.veil and self.hidden is not None:
            for r, c in np.argwhere(self.hidden):
                cells[r][c] = self.veil
        return cells

    def table(self, arrays: Mapping[str, Matrix]) -> list[Sequence[str]]:
        """The cells' texts between the labels."""
        rows = zip(self.rows, self.cells(arrays[self.name]), strict=True)
        return [["", *self.columns], *([label, *cells] for label, cells in rows)]


@dataclass(frozen=True, kw_only=True)
class Panel(Grid):
    """One matrix of a picture: what it is called, how it reads, how a cell was made.

    Its sentence may hold {row} and {column}, the labels of the cell in view.

    Attributes:
        limit: the magnitude that is coloured in full.
        made: the operation that made its cells, as data; see `trace.Table`.
        editable: whether the reader may change it: an input, as the explorer knows.
        toggles: the array of zeros and ones whose cell a click turns over, or "".
        words: what a cell that holds 0, 1, … says instead of the number.
        size: how large its cells are drawn; see `sized`. "fine", without gaps, is for
            a pattern that reads as one picture.
        chooses: (control, value) that a click on it or its heading sets, or None.
        chosen: whether that control has that value now.
        tracked: whether the cells are outlined that the last change has changed.
        flagged: boolean, True where a cell is what must not be: red, with a "!".
        outlined: boolean, True where a cell belongs to what the picture is about.
    """

    limit: float = 1.0
    made: dict[str, Any] = field(default_factory=lambda: {"op": "given", "of": []})
    editable: bool = False
    toggles: str = ""
    words: Sequence[str] = ()
    size: str = ""
    chooses: tuple[str, Any] | None = None
    chosen: bool = False
    tracked: bool = False
    flagged: NDArray[np.bool_] | None = None
    outlined: NDArray[np.bool_] | None = None

    kind = "matrix"
    still = (
        *("rows", "columns", "axes", "editable"),
        *("toggles", "words", "veil", "size", "tracked", "chooses"),
    )
    moving = ("limit", "made", "chosen")

    def said(self, numbers: Iterable[float]) -> list[str]:
        """Numbers as texts, some of them as words."""
        words: dict[float, str] = dict(enumerate(self.words))
        return [words.get(x) or plots.number(x, self.digits) for x in numbers]

    def cells(self, values: Matrix) -> list[list[str]]:
        """What each cell says."""
        cells = super().cells(values)
        for r, c in np.argwhere(self.flagged) if self.flagged is not None else ():
            cells[r][c] += "!"
        return cells


@dataclass(frozen=True, kw_only=True)
class Links(Grid):
    """Queries at the left, keys at the right, each weight a line between them.

    Its sentence may hold {word}: the query in view. `back` is what is said when a key
    is in view, and `all_of_it` when nothing is. What is hidden has no line.

    Attributes:
        arcs: the words stand in one row, the same as queries and keys, below arcs.
        chosen: the query in view while none is pointed at, or -1.
    """

    axes: tuple[str, str] = ("query", "key")
    sentence: str = "what “{word}” looks at"
    back: str = "how much looks at “{word}”"
    all_of_it: str = "Point at a word to see its weights."
    arcs: bool = False
    chosen: int = -1

    kind = "links"
    still = ("rows", "columns", "axes", "arcs", "chosen")
    moving = ("back", "all_of_it")


def laid_out(drawings: Sequence[Drawing], inputs: Iterable[str]) -> list[Drawing]:
    """In reading order, the panels of each group with one size of cell.

    "large" up to 7 columns, "small" up to 16; without numbers "tiny" up to 32, and
    "minute" beyond. A panel that names its size keeps it. What shows or turns over one
    of the inputs is editable.
    """
    widest: dict[tuple[int, int], int] = {}
    for p in (d for d in drawings if isinstance(d, Panel)):
        most = max(len(p.columns), len(p.rows) // 2)
        widest[p.band, p.group] = max(most, widest.get((p.band, p.group), 0))
    drawn = sorted(drawings, key=lambda d: (d.band, d.group))
    for at, d in enumerate(drawn):
        if isinstance(d, Panel):
            wide = min(widest[d.band, d.group], len(d.columns) * 3)
            size = next((size for size, n in SIZES.items() if wide <= n), "minute")
            mine = not {d.name, d.toggles}.isdisjoint(inputs)
            drawn[at] = replace(d, size=d.size or size, editable=mine)
    return drawn


def _as_sent(value: Any) -> Any:
    """Sequences as lists, as they come back from the page."""
    if isinstance(value, list | tuple | range):
        return [_as_sent(one) for one in value]
    return value


def _one_line(text: str) -> str:
    """A label may hold the end of a line; in a table it must not end the row."""
    return " ".join(text.splitlines())


def in_a_cell(text: str) -> str:
    """A text for one cell of a spreadsheet: a number, or a word that is no formula."""
    text = _one_line(text).replace("\t", " ")
    number = text.replace("−", "-").replace("∞", "inf")
    try:
        float(number)
    except ValueError:
        return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
    return number

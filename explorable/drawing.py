"""Drawings: what every part of a picture has, of whatever kind it is."""

import inspect
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from . import plots

if TYPE_CHECKING:
    from .at_rest import AtRest

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """One part of a picture; its kinds stand in `explorers/drawings`, a folder each.

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

    #: What the folder of its kind is called.
    kind: ClassVar[str] = ""
    #: Whether the page needs every array, and not only those that bear its name.
    needs_all: ClassVar[bool] = False
    #: The attributes that stay while numbers change, and those that change with them.
    still: ClassVar[tuple[str, ...]] = ()
    moving: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def folder(cls) -> pathlib.Path:
        """Where its kind stands: its Python, its JavaScript and its style."""
        return pathlib.Path(inspect.getfile(cls)).parent

    def among(self, group: "Sequence[Drawing]", inputs: Iterable[str]) -> "Drawing":
        """This drawing as it is in a picture: a kind may fit it to its group.

        Args:
            group: those of its kind that stand in one row with it, itself among them.
            inputs: the names of the arrays that the reader may change.
        """
        return self

    def choice(self, row: int, column: int) -> tuple[str, Any] | None:
        """Which control a click on a place sets, and to what; None where it sets none.

        Raises:
            TypeError, ValueError: there is no such place.
        """
        return None

    def check(self, arrays: Mapping[str, Array]) -> None:
        """Raise a ValueError unless it can show what these arrays hold for it."""

    def at_rest(self, arrays: Mapping[str, Array]) -> "AtRest":
        """How it is drawn in the picture that a saved notebook keeps."""
        raise NotImplementedError

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

    def text(self, arrays: Mapping[str, Array]) -> str:
        """This drawing as text: its heading and a table of its numbers."""
        table = [[*map(_one_line, line)] for line in self.table(arrays)]
        widths = [max(len(line[c]) for line in table) for c in range(len(table[0]))]
        head = " · ".join(filter(None, (self.heading(), self.about(), self.note)))
        lines = [_one_line(head)]
        for first, *rest in table:
            words = [first.ljust(widths[0]), *map(str.rjust, rest, widths[1:])]
            lines.append("  ".join(words).rstrip())
        return "\n".join(lines)

    def numbers(self, arrays: Mapping[str, Array]) -> str:
        """The same as `text`, with tabs, for a program that reads tables."""
        lines = ["\t".join(map(in_a_cell, line)) for line in self.table(arrays)]
        return "\n".join([in_a_cell(self.heading()), *lines])

    def about(self) -> str:
        """What the table's rows and columns are, in one line, or ""."""
        named = zip(self.axes, "↓→", strict=True)
        return " ".join(f"{name} {way}" for name, way in named if name)

    def table(self, arrays: Mapping[str, Array]) -> list[Sequence[str]]:
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

    def cells(self, values: Array) -> list[list[str]]:
        """What each cell says."""
        cells = [self.said(row) for row in values.tolist()]
        if self.veil and self.hidden is not None:
            for r, c in np.argwhere(self.hidden):
                cells[r][c] = self.veil
        return cells

    def table(self, arrays: Mapping[str, Array]) -> list[Sequence[str]]:
        """The cells' texts between the labels."""
        rows = zip(self.rows, self.cells(arrays[self.name]), strict=True)
        return [["", *self.columns], *([label, *cells] for label, cells in rows)]


def laid_out(drawings: Sequence[Drawing], inputs: Iterable[str]) -> list[Drawing]:
    """In reading order, each as it is among those of its group and kind."""
    drawn = sorted(drawings, key=lambda d: (d.band, d.group))
    groups = dict[tuple[int, int, str], list[Drawing]]()
    for d in drawn:
        groups.setdefault((d.band, d.group, d.kind), []).append(d)
    return [d.among(groups[d.band, d.group, d.kind], inputs) for d in drawn]


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

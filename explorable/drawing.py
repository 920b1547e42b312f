"""Drawings: what every part of a picture has, of whatever kind it is.

In a page its view draws it; in the picture that a notebook keeps, a `StaticDrawing`.
"""

import inspect
import pathlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from . import plots

Array = NDArray[np.float64]
#: A control, and by place the value that a click sets it to, or None.
Chooses = tuple[str, Sequence[Any]] | None

# All sizes of the picture that is kept are in inches.
PAGE = 12.3  # that a row of drawings may fill beside what explains a number
WHOLE = 14.5  # that it may fill where that stands below
HEAD = 0.75  # inches above a body, for its heading
FOOT = 0.35  # inches below it, and a LINE for each of its note's
LINE = 0.16
GAP = 0.18  # inches between two
EM = 0.175  # to one em of the page


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """One part of a picture; each kind has a folder in `drawings`.

    Attributes:
        name: the array it shows.
        title, formula: its heading: what it is, by default its name, and how it is
            computed.
        palette: a key of `plots.HUES`.
        digits: decimals of its numbers.
        sentence: what is said of the place in view; each kind has its own fields.
        note: one line under it.
        concludes: whether the note is what a reader is to see: it is large then.
        step: its number where the drawings are steps of one computation, or 0.
        band: drawings of one band are side by side; the bands are stacked.
        group: within a band, drawings of one kind and group form a row.
        shares: drawings with the same text here highlight the place in view together.
        axes: what rows and columns are, or x and y, such as ("query", "key").
        sources: the names of the drawings whose numbers it is made of: lines lead from
            them. By default, those that a table's operation took; () for no line.
        leads: whether it is explained before any place is pointed at.
    """

    name: str
    title: str = ""
    formula: str = ""
    palette: str = "weights"
    digits: int = 2
    sentence: str = ""
    note: str = ""
    concludes: bool = False
    step: int = 0
    band: int = 0
    group: int = 0
    shares: str = ""
    axes: tuple[str, str] = ("", "")
    sources: Sequence[str] | None = None
    leads: bool = False

    #: What the folder of its kind is called.
    kind: ClassVar[str] = ""
    #: Whether the page needs every array, and not only those that bear its name.
    needs_all: ClassVar[bool] = False
    #: The attributes that stay while numbers change, and those that change with them.
    still: ClassVar[tuple[str, ...]] = ()
    moving: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def folder(cls) -> pathlib.Path:
        """The folder of its kind: Python, JavaScript and style."""
        return pathlib.Path(inspect.getfile(cls)).parent

    def among(self, group: "Sequence[Drawing]", inputs: Iterable[str]) -> "Drawing":
        """Return this drawing as it appears in a picture, fitted to its group.

        Args:
            group: the drawings of its kind in its row, itself included.
            inputs: the names of the arrays that the reader may change.
        """
        return self

    def choice(self, row: int, column: int) -> tuple[str, Any] | None:
        """Which control a click on a place sets, and to what; or None.

        Raises:
            TypeError, ValueError: there is no such place.
        """
        return None

    def check(self, arrays: Mapping[str, Array]) -> None:
        """Raise a ValueError unless it can show these arrays."""

    def at_rest(self, arrays: Mapping[str, Array]) -> "StaticDrawing":
        """Return how it is drawn in the picture that a saved notebook keeps."""
        raise NotImplementedError

    def frame(self) -> dict[str, Any]:
        """What stays the same while numbers change; a change rebuilds the view."""
        of_all = "name", "title", "palette", "digits", "step", "shares", "concludes"
        names = (*of_all, *self.still)
        return {name: _as_sent(getattr(self, name)) for name in names}

    def live(self) -> dict[str, Any]:
        """What changes with the numbers; the view updates it in place."""
        names = ("formula", "sentence", "note", "sources", *self.moving)
        return {name: _as_sent(getattr(self, name)) for name in names}

    def heading(self) -> str:
        """What it is and how it is computed, in one line."""
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
        """The same as `text`, separated by tabs, for a spreadsheet."""
        lines = ["\t".join(map(in_a_cell, line)) for line in self.table(arrays)]
        return "\n".join([in_a_cell(self.heading()), *lines])

    def about(self) -> str:
        """What the table's rows and columns are, in one line, or ""."""
        named = zip(self.axes, "↓→", strict=True)
        return " ".join(f"{name} {way}" for name, way in named if name)

    def table(self, arrays: Mapping[str, Array]) -> list[Sequence[str]]:
        """The numbers as rows of texts of one length, the labels first."""
        raise NotImplementedError

    def said(self, numbers: Iterable[float]) -> list[str]:
        """Write numbers with this drawing's decimals."""
        return [plots.number(x, self.digits) for x in numbers]


@dataclass(frozen=True, kw_only=True)
class Grid(Drawing):
    """Numbers between the labels of rows and columns; a mask may hide some of them.

    Attributes:
        rows, columns: labels, one per row and column.
        hidden: boolean, True where a cell is masked.
        masked_text: what a masked cell says; "" for what it holds.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    hidden: NDArray[np.bool_] | None = None
    masked_text: str = "hidden"

    def cells(self, values: Array) -> list[list[str]]:
        """What each cell says."""
        cells = [self.said(row) for row in values.tolist()]
        if self.masked_text and self.hidden is not None:
            for r, c in np.argwhere(self.hidden):
                cells[r][c] = self.masked_text
        return cells

    def table(self, arrays: Mapping[str, Array]) -> list[Sequence[str]]:
        """The cells' texts between the labels."""
        rows = zip(self.rows, self.cells(arrays[self.name]), strict=True)
        return [["", *self.columns], *([label, *cells] for label, cells in rows)]


@dataclass(frozen=True)
class StaticDrawing:
    """A drawing in the picture: a body under a heading, words around it, and a note.

    Attributes:
        drawing: what is drawn.
        size: of its body, across and down.
        ends: of the body's coordinates: x, and y from its foot to its top.
        draw: draws the body.
        room: for words on the left, above (on top of HEAD), on the right and below.
        axes: a line under the heading.
    """

    drawing: Drawing
    size: tuple[float, float]
    ends: tuple[tuple[float, float], tuple[float, float]]
    draw: Callable[[plots.Area], object]
    room: tuple[float, float, float, float]
    axes: str = ""

    def title(self) -> str:
        """The heading's first words, the step before them."""
        step = f"{self.drawing.step}  " if self.drawing.step else ""
        return plots.shortened(step + self.drawing.title, 72 * 4, 12)

    def width(self) -> float:
        """As wide as its body, or its heading in the page's letters; at most PAGE."""
        heading = 8 + plots.width(self.title(), 13.9, bold=True)
        heading += plots.width(plots.drawable(self.drawing.formula), 12.6)
        note = 12 * EM if self.drawing.note else 0.0
        body = self.room[0] + self.size[0] + self.room[2]
        return min(PAGE, max(0.8, note, body, heading / 72 + 0.12) + GAP)

    def letters(self) -> float:
        """The size of the note's letters, in points."""
        return 13 if self.drawing.concludes else 9

    def note(self) -> list[str]:
        """The note in lines as wide as the drawing."""
        room = 72 * (self.width() - GAP)
        bold = self.drawing.concludes
        return plots.wrapped(self.drawing.note, room, self.letters(), 4, bold)

    def line(self) -> float:
        """From a line of the note to the next."""
        return LINE * self.letters() / 9

    def above(self) -> float:
        """From the top of its heading to that of its body."""
        return HEAD + self.room[1]

    def below(self) -> float:
        """From the top of its body to the end of its note."""
        lines = FOOT * self.letters() / 9 + self.line() * max(0, len(self.note()) - 1)
        return self.size[1] + self.room[3] + lines

    def put(self, page: plots.Area, left: float, top: float, above: float) -> None:
        """Draw it with its left end and its heading's top here, its body `above` lower.

        The page's coordinates are inches.
        """
        x, y = left + self.room[0], top - above - self.size[1]
        self.draw(plots.Area(page.on, *self.ends, (x, y, *self.size)))
        foot = y - self.room[3] - 0.2 * self.letters() / 9
        self._write(page, left + 0.12, top - 0.22, foot)

    def _write(self, page: plots.Area, x: float, y: float, foot: float) -> None:
        """Write the title and the formula at the top, and the note at `foot`."""
        title = self.title()
        room = 72 * (self.width() - GAP)
        end = plots.width(title, 12, bold=True)
        page.word(title, x, y, 12, bold=True, middle=False)
        hue = plots.HUES[self.drawing.palette]
        page.line([x, x + end / 72], [y - 0.09] * 2, color=hue, lw=3)
        formula = plots.shortened(self.drawing.formula, room - end - 8, 9.5)
        page.word(formula, x + (end + 8) / 72, y, 9.5, middle=False)
        quiet = {"color": plots.QUIET, "middle": False}
        page.word(self.axes, x, y - 0.24, 8, **quiet)
        if self.drawing.concludes:
            quiet = {"bold": True, "middle": False}
        for n, line in enumerate(self.note()):
            page.word(line, x, foot - n * self.line(), self.letters(), **quiet)


def choice_of(chooses: Chooses, place: int) -> tuple[str, Any] | None:
    """Return the control that a click on a place sets, and its value; or None."""
    if chooses is None:
        return None
    control, values = chooses
    return None if values[place] is None else (control, values[place])


def clickable(chooses: Chooses) -> list[bool]:
    """Tell at which places a click sets something; [] if at none."""
    return [value is not None for value in chooses[1]] if chooses else []


def laid_out(drawings: Sequence[Drawing], inputs: Iterable[str]) -> list[Drawing]:
    """Put drawings in reading order, each fitted to its group."""
    drawn = sorted(drawings, key=lambda d: (d.band, d.group))
    groups = dict[tuple[int, int, str], list[Drawing]]()
    for d in drawn:
        groups.setdefault((d.band, d.group, d.kind), []).append(d)
    return [d.among(groups[d.band, d.group, d.kind], inputs) for d in drawn]


def _as_sent(value: Any) -> Any:
    """Turn sequences into lists, as JSON does."""
    if isinstance(value, list | tuple | range):
        return [_as_sent(one) for one in value]
    return value


def _one_line(text: str) -> str:
    """Join lines: a line break in a label must not end a table's row."""
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

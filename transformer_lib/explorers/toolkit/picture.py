"""The picture that is kept: an explorer's drawings as one figure, PNG or SVG.

Every drawing has a heading (HEAD), a body with room for words around it, and a line for
a note (FOOT). All sizes are in inches.
"""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from PIL import Image

from ... import plots
from .bars import Bars
from .curves import Curves, Plane
from .drawing import Drawing, Matrix
from .links import Links
from .panel import WORDLESS, Panel
from .tiles import Tiles

PAGE = 13.5  # that a row of drawings may fill
HEAD, FOOT, GAP = 0.75, 0.5, 0.3  # around a body
CELLS = {  # across and down
    "large": (0.62, 0.40),
    "small": (0.46, 0.32),
    "tiny": (0.2, 0.2),
    "minute": (0.13, 0.13),
    "fine": (0.11, 0.11),
}
EM = 0.175  # to one em of the page
LANE, LINE, BETWEEN, TILE = 3.2, 0.3, 1.8, 0.44
LETTERS = (
    f"{plots.LACKING} stands for a letter that no font of this machine has. "
    "“Copy numbers” gives it."
)
Ends = tuple[float, float]
Size = tuple[float, float]


@dataclass(frozen=True)
class Body:
    """What stands under a heading: its size, the room around it, and how it is drawn.

    Attributes:
        size: across and down, without the words around it.
        draw: draws it in an area that is so large.
        x, y: what the area's ends are called.
        left, above, right, below: the room for words; `above` adds to HEAD.
        axes: a line under the heading.
    """

    size: Size
    draw: Callable[[plots.Area], None]
    x: Ends
    y: Ends
    left: float
    above: float = 0.0
    right: float = 0.0
    below: float = 0.0
    axes: str = ""


@singledispatch
def body(drawing: Drawing, arrays: Mapping[str, Matrix]) -> Body:
    """The body of a drawing of any kind; `arrays` hold what it shows."""
    raise TypeError(f"drawing must be of a known kind, got {type(drawing).__name__}")


@body.register
def _matrix(panel: Panel, arrays: Mapping[str, Matrix]) -> Body:
    values = arrays[panel.name]
    hidden = np.zeros(values.shape, bool) if panel.hidden is None else panel.hidden
    cell, (rows, columns) = _cell(panel), values.shape
    labels = plots.plan_labels(panel.rows, panel.columns, cell)

    def draw(area: plots.Area) -> None:
        silent = "hidden" if panel.veil == "hidden" else None
        cells = [] if panel.size in WORDLESS else panel.cells(values)
        texts = [["" if text == silent else text for text in row] for row in cells]
        look = panel.palette, panel.limit, texts, 10 if cell[0] > 0.5 else 8
        plots.draw_cells(area, values, hidden, *look)
        plots.draw_labels(area, panel.rows, panel.columns, labels)

    return Body(
        (cell[0] * columns, cell[1] * rows),
        draw,
        (0, columns),
        (rows, 0),
        left=0.25 + labels.left,
        above=max(0.0, labels.above - 0.2),
        right=labels.right,
        axes=f"{panel.axes[0]} ↓  {panel.axes[1]} →" if panel.axes[0] else "",
    )


def _cell(panel: Panel) -> Size:
    """A cell's size: wider than usual where there are few columns with long names."""
    across, down = CELLS[panel.size]
    if panel.size == "fine":
        across = down = 7 / max(40, len(panel.rows), len(panel.columns))
    if len(panel.columns) <= 3 and panel.size not in WORDLESS:
        across = max(across, min(1.1, plots.widest(panel.columns, 10) / 72 + 0.2))
    return across, down


@body.register
def _links(links: Links, arrays: Mapping[str, Matrix]) -> Body:
    rows = max(len(links.rows), len(links.columns))
    sides = [
        plots.widest(words, 10) / 72 + 0.2 for words in (links.rows, links.columns)
    ]
    words = links.rows, links.columns, links.hidden, links.palette
    return Body(
        (BETWEEN, LINE * rows),
        lambda area: plots.draw_links(area, arrays[links.name], *words),
        (0, 1),
        (rows, 0),
        left=sides[0],
        right=sides[1],
        axes=f"{links.axes[0]} →  {links.axes[1]}",
    )


@body.register
def _tiles(tiles: Tiles, arrays: Mapping[str, Matrix]) -> Body:
    (wide, high), look = tiles.board, (tiles.faces, tiles.marks, tiles.palette)
    return Body(
        (TILE * wide, TILE * high),
        lambda area: plots.draw_tiles(area, arrays[tiles.name], *look),
        (0, wide),
        (high, 0),
        left=0.12,
        above=-0.2,
        below=0.05,
    )


@body.register
def _bars(bars: Bars, arrays: Mapping[str, Matrix]) -> Body:
    count, digits = len(bars.labels), bars.digits if bars.roomy() else None
    bar = 0.24 if bars.roomy() else max(0.05, min(0.15, 8 / (count * len(bars.series))))
    labels = bars.labels, bars.series
    return Body(
        (LANE, count * len(bars.series) * bar),
        lambda area: plots.draw_bars(
            area, arrays[bars.name], *labels, bars.colours(), bars.guide, digits
        ),
        bars.scale,
        (count, 0),
        left=0.1 + plots.plan_bars(*labels, bars.scale, digits).all / 72,
        right=0.6,
        below=0.25,
        axes=bars.measure,
    )


@body.register
def _curves(curves: Curves, arrays: Mapping[str, Matrix]) -> Body:
    x, right = np.asarray(curves.x, dtype=np.float64), 0.1 + 0.085 * curves.room
    look = curves.series, curves.hues, curves.looks, curves.axes, curves.marks
    return Body(
        (curves.wide * EM - 0.75 - right, curves.high * EM - 0.65),
        lambda area: plots.draw_curves(area, x, arrays[curves.name], *look),
        *curves.limits,
        left=0.75,
        above=0.15,
        right=right,
        below=0.45,
    )


@body.register
def _plane(plane: Plane, arrays: Mapping[str, Matrix]) -> Body:
    points, ends, arc = (arrays[plane.name + end] for end in ("", ".arrows", ".arc"))
    look = plane.arrows, plane.hues, arc, plane.axes
    side, reach = plane.side * EM - 0.7, (-plots.REACH, plots.REACH)
    return Body(
        (side, side),
        lambda area: plots.draw_plane(area, points, ends, *look),
        reach,
        reach,
        left=0.6,
        above=0.05,
        right=0.1,
        below=0.42,
    )


# ── the page ────────────────────────────────────────────────────────────────────
def draw_picture(
    drawings: Sequence[Drawing], arrays: Mapping[str, Matrix], foot: float = 0.0
) -> Figure:
    """Draw a picture as a figure, one row per band and group.

    Args:
        drawings: in reading order.
        arrays: by name, what the drawings show.
        foot: room under all of them, for a line about letters that are missing.
    """
    lines = _lines([Part(d, body(d, arrays)) for d in drawings])
    heights = [_above(line) + max(part.below() for part in line) for line in lines]
    size = max(map(_width, lines)), sum(heights) + foot
    figure = Figure(figsize=size, dpi=min(100, 100 * PAGE / size[0]))
    page = plots.Area.in_inches(figure, (0, 0, *size), (0, size[0]), (0, size[1]))
    top = size[1]
    for line, height in zip(lines, heights, strict=True):
        left = 0.0
        for part in line:
            part.draw(page, figure, left, top, _above(line))
            left += part.width()
        top -= height
    if foot:
        page.word(LETTERS, 0.12, 0.15, 9, colour=plots.QUIET)
    elif any(plots.LACKING in word.text for word in plots.said(figure)):
        return draw_picture(drawings, arrays, foot=0.35)
    return figure


def as_png(figure: Figure) -> bytes:
    """The figure as a PNG file; the same figure gives the same bytes."""
    file = io.BytesIO()
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    opaque = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    opaque.save(file, "png", compress_level=3)  # half the time of 6, as many bytes
    return file.getvalue()


def as_svg(figure: Figure) -> str:
    """The figure as the text of an SVG file; the same figure gives the same text."""
    file = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "transformer_lib"}):
        canvas: Any = FigureCanvasSVG(figure)
        canvas.print_svg(file, metadata={"Date": None})
    return file.getvalue()


@dataclass(frozen=True)
class Part:
    """A drawing and its body."""

    drawing: Drawing
    body: Body

    def title(self) -> str:
        """The heading's first words, the step before them."""
        step = f"{self.drawing.step}  " if self.drawing.step else ""
        return plots.shortened(step + self.drawing.title, 72 * 4, 12)

    def width(self) -> float:
        """As wide as its body, its heading or its note, but not wider than the page."""
        title = plots.width(self.title(), 12, bold=True) + 8
        heading = title + plots.width(self.drawing.formula, 9.5)
        words = max(heading, plots.width(self.drawing.note, 9)) / 72 + 0.12
        across = self.body.left + self.body.size[0] + self.body.right
        return min(PAGE, max(2.2, across, words) + GAP)

    def below(self) -> float:
        """From the top of its body to the end of its note."""
        return self.body.size[1] + self.body.below + FOOT

    def draw(
        self, page: plots.Area, figure: Figure, left: float, top: float, above: float
    ) -> None:
        """Draw it with its upper left corner at (left, top), its body `above` lower."""
        (across, down), x = self.body.size, left + self.body.left
        y = top - above - down
        bounds = x, y, across, down
        area = plots.Area.in_inches(figure, bounds, self.body.x, self.body.y)
        self.body.draw(area)
        self._write(page, left + 0.12, top - 0.22, y - self.body.below - 0.2)

    def _write(self, page: plots.Area, x: float, y: float, foot: float) -> None:
        """Write the title and the formula at the top, and the note at `foot`."""
        title, room = self.title(), 72 * (self.width() - GAP)
        end = plots.width(title, 12, bold=True)
        page.word(title, x, y, 12, bold=True, middle=False)
        style = {"color": plots.HUES[self.drawing.palette], "lw": 3}
        page.line([x, x + end / 72], [y - 0.09] * 2, **style)
        formula = plots.shortened(self.drawing.formula, room - end - 8, 9.5)
        page.word(formula, x + (end + 8) / 72, y, 9.5, middle=False)
        quiet = {"colour": plots.QUIET, "middle": False}
        page.word(self.body.axes, x, y - 0.24, 8, **quiet)
        page.word(plots.shortened(self.drawing.note, room, 9), x, foot, 9, **quiet)


def _lines(parts: Sequence[Part]) -> list[list[Part]]:
    """One line per band and group, or more where one does not fit the page."""
    lines: list[list[Part]] = []
    for part in parts:
        line = lines[-1] if lines else []
        fits = _width(line) + part.width() <= PAGE
        if line and fits and _together(line[-1].drawing, part.drawing):
            line.append(part)
        else:
            lines.append([part])
    return lines


def _together(one: Drawing, next_: Drawing) -> bool:
    """Whether two drawings stand side by side: in one band, two kinds always do."""
    if one.band != next_.band:
        return False
    return one.group == next_.group or one.kind != next_.kind


def _width(line: Sequence[Part]) -> float:
    return sum(part.width() for part in line)


def _above(line: Sequence[Part]) -> float:
    """From the top of a line to that of its bodies, which stand on one height."""
    return HEAD + max(part.body.above for part in line)

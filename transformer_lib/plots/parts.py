"""The parts of a kept picture: how large a drawing is and how it is drawn, by kind."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .area import Area
from .bars import bars as draw_bars
from .bars import room_at_left
from .colours import HUES, INK, QUIET
from .curves import curves as draw_curves
from .lettering import drawable, shortened, widest, width
from .links import draw_arcs, draw_links
from .matrices import (
    draw_cells,
    draw_labels,
    draw_tiles,
    mask_or_none,
    plan_labels,
)
from .plane import REACH, draw_plane

# All sizes are in inches.
PAGE = 13.5  # that a row of drawings may fill
HEAD, FOOT, GAP = 0.75, 0.5, 0.3  # around a body: its heading, its note
CELLS = {  # across and down
    "large": (0.62, 0.40),
    "small": (0.46, 0.32),
    "tiny": (0.2, 0.2),
    "minute": (0.13, 0.13),
}
EM = 0.175  # to one em of the page
LANE, LINE, BETWEEN, TILE = 3.2, 0.3, 1.8, 0.44
WORDLESS = ("tiny", "minute", "fine")  # cells without their numbers
Arrays = Mapping[str, NDArray[np.float64]]
Drawing = Any  # of the explorers' toolkit, which this package does not know


@dataclass(frozen=True)
class Part:
    """A drawing in the picture: a body under a heading, words around it, and a note.

    Attributes:
        drawing: what is drawn.
        size: of its body, across and down.
        ends: of the body's coordinates: x, and y from its foot to its top.
        draw: draws the body.
        room: for words at the left, above (on top of HEAD), at the right and below.
        axes: a line under the heading.
    """

    drawing: Drawing
    size: tuple[float, float]
    ends: tuple[tuple[float, float], tuple[float, float]]
    draw: Callable[[Area], object]
    room: tuple[float, float, float, float]
    axes: str = ""

    def title(self) -> str:
        """The heading's first words, the step before them."""
        step = f"{self.drawing.step}  " if self.drawing.step else ""
        return shortened(step + self.drawing.title, 72 * 4, 12)

    def width(self) -> float:
        """As wide as its body, its heading or its note, but not wider than the page."""
        heading = 8 + width(self.title(), 12, bold=True)
        heading += width(drawable(self.drawing.formula), 9.5)
        note = width(drawable(self.drawing.note), 9)
        body = self.room[0] + self.size[0] + self.room[2]
        return min(PAGE, max(1.6, body, max(heading, note) / 72 + 0.12) + GAP)

    def put(self, page: Area, left: float, top: float, above: float) -> None:
        """Draw it with its left end and its heading's top here, its body `above` lower.

        The page's coordinates are inches.
        """
        x, y = left + self.room[0], top - above - self.size[1]
        self.draw(Area(page.on, *self.ends, (x, y, *self.size)))
        self._write(page, left + 0.12, top - 0.22, y - self.room[3] - 0.2)

    def _write(self, page: Area, x: float, y: float, foot: float) -> None:
        """Write the title and the formula at the top, and the note at `foot`."""
        title, room = self.title(), 72 * (self.width() - GAP)
        end = width(title, 12, bold=True)
        page.word(title, x, y, 12, bold=True, middle=False)
        hue = HUES[self.drawing.palette]
        page.line([x, x + end / 72], [y - 0.09] * 2, color=hue, lw=3)
        formula = shortened(self.drawing.formula, room - end - 8, 9.5)
        page.word(formula, x + (end + 8) / 72, y, 9.5, middle=False)
        quiet = {"colour": QUIET, "middle": False}
        page.word(self.axes, x, y - 0.24, 8, **quiet)
        page.word(shortened(self.drawing.note, room, 9), x, foot, 9, **quiet)


# ── the bodies ────────────────────────────────────────────────────────────────────
def _matrix(panel: Drawing, arrays: Arrays) -> Part:
    values, cell = arrays[panel.name], _cell(panel)
    rows, columns = values.shape
    hidden = mask_or_none(panel.hidden, values.shape)
    labels = plan_labels(panel.rows, panel.columns, cell)

    def draw(area: Area) -> None:
        silent = "hidden" if panel.veil == "hidden" else None
        said = [] if panel.size in WORDLESS else panel.cells(values)
        look: dict[str, Any] = {"palette": panel.palette, "limit": panel.limit}
        texts = [["" if t == silent else t.strip() for t in line] for line in said]
        look["size"] = 10 if cell[0] > 0.5 else 8
        look |= {"texts": texts, "hidden": hidden, "flagged": panel.flagged}
        draw_cells(area, values, **look)
        _frame(area, panel.outlined)
        draw_labels(area, panel.rows, panel.columns, labels)

    size, ends = (cell[0] * columns, cell[1] * rows), ((0, columns), (rows, 0))
    room = 0.25 + labels.left, max(0.0, labels.above - 0.2), labels.right, 0.0
    axes = panel.about() if panel.axes[0] else ""
    return Part(panel, size, ends, draw, room, axes)


def _frame(area: Area, outlined: NDArray[np.bool_] | None) -> None:
    """Draw a frame in each cell that is outlined."""
    if outlined is not None:
        places = [(c + 0.03, r + 0.03) for r, c in np.argwhere(outlined)]
        area.boxes([(*at, 0.94, 0.94) for at in places], fc="none", ec=INK, lw=2)


def _cell(panel: Drawing) -> tuple[float, float]:
    """A cell's size: wider than usual where there are few columns with long names."""
    if panel.size == "fine":
        side = 5.2 / max(32, len(panel.rows), len(panel.columns))
        return side, side
    across, down = CELLS[panel.size]
    if len(panel.columns) <= 3 and panel.size not in WORDLESS:
        across = max(across, min(1.1, widest(panel.columns, 10) / 72 + 0.2))
    return across, down


def _links(links: Drawing, arrays: Arrays) -> Part:
    if links.arcs:
        return _arcs(links, arrays[links.name])
    queries, keys, rows = links.rows, links.columns, max(arrays[links.name].shape)
    left, right = (widest(words, 10) / 72 + 0.2 for words in (queries, keys))
    words, look = (arrays[links.name], queries, keys), (links.hidden, links.palette)

    def draw(area: Area) -> None:
        draw_links(area, *words, *look)

    size, ends = (BETWEEN, LINE * rows), ((0, 1), (rows, 0))
    axes = f"{links.axes[0]} →  {links.axes[1]}"
    return Part(links, size, ends, draw, (left, 0.0, right, 0.0), axes)


def _arcs(links: Drawing, weights: NDArray[np.float64]) -> Part:
    words, across = links.rows, max(0.6, widest(links.rows, 10) / 72 + 0.15)

    def draw(area: Area) -> None:
        draw_arcs(area, weights, words, links.chosen, links.palette)

    size, ends = (across * len(words), 1.9), ((0, len(words)), (0, 1))
    return Part(links, size, ends, draw, (0.12, -0.2, 0.0, 0.45))


def _tiles(tiles: Drawing, arrays: Arrays) -> Part:
    wide, high = tiles.board
    faces, marks = tiles.faces, tiles.marks

    def draw(area: Area) -> None:
        draw_tiles(area, arrays[tiles.name], faces, marks, tiles.palette, tiles.corners)

    size, ends = (TILE * wide, TILE * high), ((0, wide), (high, 0))
    return Part(tiles, size, ends, draw, (0.12, -0.2, 0.0, 0.05))


def _bars(bars: Drawing, arrays: Arrays) -> Part:
    count, digits = len(bars.labels), bars.digits if bars.roomy else None
    many, words = count * len(bars.series), (bars.labels, bars.series)
    bar = 0.24 if bars.roomy else max(0.05, min(0.15, 8 / many))
    left = 0.1 + room_at_left(*words, bars.scale, digits)[-1] / 72
    look: dict[str, Any] = {"hues": bars.hues, "guide": bars.guide or None}
    look |= {"scale": bars.scale, "digits": digits}

    def draw(area: Area) -> None:
        draw_bars(arrays[bars.name], *words, **look, area=area)

    ends, room = (bars.scale, (count, 0)), (left, 0.0, 0.6, 0.25)
    return Part(bars, (LANE, many * bar), ends, draw, room, bars.measure)


def _curves(curves: Drawing, arrays: Arrays) -> Part:
    right = 0.1 + 0.085 * curves.room
    look: dict[str, Any] = {"x": curves.x, "hues": curves.hues, "looks": curves.looks}
    look |= {"axes": curves.axes, "marks": curves.marks, "doubling": curves.doubling}

    def draw(area: Area) -> None:
        draw_curves(arrays[curves.name], curves.series, **look, area=area)

    size = curves.wide * EM - 0.75 - right, curves.high * EM - 0.65
    return Part(curves, size, curves.limits, draw, (0.75, 0.15, right, 0.45))


def _plane(plane: Drawing, arrays: Arrays) -> Part:
    points, ends, arc = (arrays[plane.name + end] for end in ("", ".arrows", ".arc"))
    look: dict[str, Any] = {"names": plane.arrows, "hues": plane.hues}
    look |= {"arrows": ends, "arc": arc, "axes": plane.axes}

    def draw(area: Area) -> None:
        draw_plane(area, points, **look)

    side, reach = plane.side * EM - 0.7, (-REACH, REACH)
    return Part(plane, (side, side), (reach, reach), draw, (0.6, 0.05, 0.1, 0.42))


PARTS: dict[str, Callable[[Drawing, Arrays], Part]] = {
    "Panel": _matrix,
    "Links": _links,
    "Tiles": _tiles,
    "Bars": _bars,
    "Curves": _curves,
    "Plane": _plane,
}


def part(drawing: Drawing, arrays: Arrays) -> Part:
    """How a drawing of any kind is drawn; `arrays` hold what it shows."""
    return PARTS[type(drawing).__name__](drawing, arrays)

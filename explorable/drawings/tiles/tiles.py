"""Tiles on a board, which the reader may move between three corners."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import plots
from ...drawing import Array, Chooses, Drawing, StaticDrawing, choice_of, clickable

TILE = (3.0, 3.0)  # em across and down
CHARACTER = (0.64, 1.7)  # of one in a text
INCH = 0.16  # at rest, to one em
READ = 1.2  # how much larger the letters of a text are
LISTED = "#F3F3F3"  # the paper of a line that can be chosen
WIDEST = 17.0  # points: the line to a corner that gives all
MARKED = "✓"  # above a piece of a text: what comes next


@dataclass(frozen=True, kw_only=True)
class Tiles(Drawing):
    """Tiles on a board; its array holds (x, y, shade) of each, in tiles and shades.

    With `wide` they are the pieces of a text, which is read as any text is: what one
    says above stands in the text form alone, and what is marked "✓" is underlined.

    Attributes:
        faces: what each tile says, above and below.
        sayings: for each tile, what is said when it is in view.
        marks: (x, y, text) of what stands beside the tiles.
        board: how many tiles wide and high the place for them is.
        corners: the three places where a tile is made of one part alone. The reader may
            move a tile between them; the shares of the three parts at its new place
            are put into its row of the input `sets`, and sum to that row's `totals`.
        parts: what the parts are, one for each corner.
        wide: of a text, the characters that each piece has room for. The board is then
            measured in characters and lines.
        listed: whether the pieces are the lines of lists that stand side by side.
        later: how many of the last ones are not reached yet: they are pale.
        opens: the tile that is in view first, or −1 for none. Between corners, lines as
            wide as its shares lead there from the one in view, and what is said of
            it stands below.
        chooses: (control, values) that a click on a tile sets, by tile; None where it
            sets nothing.
    """

    faces: Sequence[tuple[str, str]]
    sayings: Sequence[str]
    marks: Sequence[tuple[float, float, str]] = ()
    board: tuple[float, float]
    corners: Sequence[tuple[float, float]] = ()
    sets: str = ""
    totals: Sequence[float] = ()
    parts: Sequence[str] = ()
    wide: Sequence[float] = ()
    listed: bool = False
    later: int = 0
    opens: int = -1
    chooses: Chooses = None

    kind = "tiles"
    still = ("faces", "corners", "sets", "running", "listed", "tile")
    moving = (
        "sayings",
        "marks",
        "board",
        "totals",
        "wide",
        "later",
        "opens",
        "clickable",
    )

    def choice(self, row: int, column: int) -> tuple[str, Any] | None:
        """Which control a click on a tile sets, and to what."""
        return choice_of(self.chooses, row)

    @property
    def clickable(self) -> list[bool]:
        """Which tiles a click chooses."""
        return clickable(self.chooses)

    @property
    def running(self) -> bool:
        """Whether they are a text."""
        return bool(self.wide)

    @property
    def tile(self) -> tuple[float, float]:
        """How large one is, in em."""
        return CHARACTER if self.running else TILE

    def is_alone(self, wide: float) -> bool:
        """Whether a piece of a text that is so wide is a line, of its own or a list."""
        return self.listed or wide > self.board[0] - 2

    def table(self, arrays: Mapping[str, Array]) -> list[Sequence[str]]:
        """The tiles as they lie, line by line, each as "above.below".

        Between corners they are a mixture of parts: then it is how much of each.
        """
        places = arrays[self.name]
        if self.corners:
            ends = np.column_stack([self.corners, np.ones(3)])
            at = np.column_stack([places[:, :2], np.ones(len(places))])
            shares = np.linalg.solve(ends.T, at.T).T.tolist()
            named = zip(self.faces, shares, strict=True)
            return [["", *self.parts], *([face[1], *self.said(x)] for face, x in named)]
        lines: dict[float, list[tuple[float, str]]] = {}
        for (x, y, _), face in zip(places.tolist(), self.faces, strict=True):
            lines.setdefault(y, []).append((x, ".".join(filter(None, face))))
        rows = [[text for _, text in sorted(lines[y])] for y in sorted(lines)]
        longest = max(map(len, rows))
        return [["", *row, *[""] * (longest - len(row))] for row in rows]

    def at_rest(self, arrays: Mapping[str, Array]) -> StaticDrawing:
        """The board with its tiles."""
        wide, high = self.board

        def draw(area: plots.Area) -> None:
            if self.corners:
                ends = np.array([*self.corners, self.corners[0]]).T + 0.5
                area.line(*ends, color=plots.EDGE, lw=1.2)
                if self.opens >= 0:
                    _draw_pulls(area, self, arrays[self.name][self.opens, :2])
            if self.running:
                if not all(map(self.is_alone, self.wide)):
                    page = [(-0.5, -0.15, wide + 1, high + 0.3)]
                    area.boxes(page, facecolor="none", edgecolor=plots.EDGE, lw=0.6)
                _draw_pieces(area, self, arrays[self.name])
                return
            draw_one = _draw_words if self.corners else _draw_tiles
            for step in np.unique(arrays[self.name][:, 2]).tolist():
                some = np.flatnonzero(arrays[self.name][:, 2] == step).tolist()
                placed = [
                    (*arrays[self.name][n, :2].tolist(), *self.faces[n]) for n in some
                ]
                draw_one(area, placed, *plots.shade(self.palette, int(step)))
            for x, y, mark in self.marks:
                align = 0.5 if self.corners else 0.0
                text = mark if self.corners else plots.short(mark)
                area.word(text, x, y + 0.5, 8, align=align, room=2.6)

        inch = READ * INCH if self.running else INCH
        size = (inch * self.tile[0] * wide, inch * self.tile[1] * high)
        ends = ((0, wide), (high, 0))
        shown = self
        if self.corners and self.opens >= 0:
            shown = replace(self, note=self.sayings[self.opens], concludes=True)
        return StaticDrawing(shown, size, ends, draw, (0.17, -0.2, 0.05, 0.05))


Placed = Sequence[tuple[float, float, str, str]]  # x, y and what is said there


def _draw_tiles(area: plots.Area, tiles: Placed, fill: str, ink: str) -> None:
    """Draw a square for each tile, two lines of text on it."""
    boxes = [(x + 0.03, y + 0.03, 0.94, 0.94) for x, y, *_ in tiles]
    area.boxes(boxes, facecolor=fill, edgecolor=plots.EDGE)
    for x, y, above, below in tiles:
        look = {"color": ink, "align": 0.5, "room": 0.85}
        area.word(plots.short(above), x + 0.5, y + 0.25, 6.5, **look)
        area.word(plots.short(below), x + 0.5, y + 0.64, 9, **look)


def _draw_words(area: plots.Area, tiles: Placed, fill: str, ink: str) -> None:
    """Draw each word on a tile as wide as it needs, with round ends, as in the page."""
    for x, y, _, word in tiles:
        text = plots.short(word)
        half = max(0.1, plots.width(plots.drawable(text), 10) / 72 / INCH / TILE[0] / 2)
        for color, thick in ((plots.EDGE, 27.4), (fill, 26.0)):
            ends = [x + 0.5 - half, x + 0.5 + half], [y + 0.5] * 2
            area.line(*ends, color=color, lw=thick, solid_capstyle="round")
        area.word(text, x + 0.5, y + 0.5, 10, color=ink, align=0.5)


def _draw_pulls(area: plots.Area, mixtures: Tiles, at: Array) -> None:
    """Draw lines from a tile to the corners, as wide as its shares, which they say."""
    ends = np.column_stack([mixtures.corners, np.ones(3)])
    shares = np.linalg.solve(ends.T, [*at, 1.0]).tolist()
    for corner, share in zip(mixtures.corners, shares, strict=True):
        line = np.array([at, corner]).T + 0.5
        look = {"color": plots.HUES["weights"], "alpha": 0.75, "lw": WIDEST * share}
        area.line(*line, solid_capstyle="butt", **look)
        if share >= 0.005 and np.hypot(*(at - corner)) > 1.6:
            x, y = at + 0.58 * (corner - at) + 0.5
            look = {"align": 0.5, "bold": True, "paper": plots.PAPER["light"]}
            area.word(plots.number(share), x, y, 10, **look)


def _draw_pieces(area: plots.Area, text: Tiles, places: Array) -> None:
    """Shade each piece in its border, underline what comes next, and pale the rest."""
    reached = len(places) - text.later
    for n, (x, y, step) in enumerate(places.tolist()):
        above, below = text.faces[n]
        fill, ink = plots.shade(text.palette, int(step))
        edge = plots.EDGE if n < reached else "none"
        alone = text.is_alone(text.wide[n])
        if alone and text.clickable and text.clickable[n]:  # one of a list
            fill, edge = fill if step else LISTED, "none"
        box = [(x, y + 0.06, text.wide[n], 0.88)]
        area.boxes(box, facecolor=fill, edgecolor=edge, lw=0.6)
        color = ink if n < reached or alone else plots.QUIET
        inset = 0.5 if n < reached else 0.0
        align, at = (0.0, x + inset) if alone else (0.5, x + text.wide[n] / 2)
        look = {"color": color, "align": align, "room": text.wide[n]}
        area.word(below, at, y + 0.5, 8.5, **look)
        if above == MARKED:
            ends = [x, x + text.wide[n]], [y + 0.94] * 2
            area.line(*ends, color=plots.INK, lw=1.8)

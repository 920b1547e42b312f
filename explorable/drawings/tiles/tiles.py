"""Tiles on a board, which the reader may move between three corners."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ... import plots
from ...drawing import Array, Drawing, StaticDrawing

TILE = 0.44  # inches a side at rest


@dataclass(frozen=True, kw_only=True)
class Tiles(Drawing):
    """Tiles on a board; its array holds (x, y, shade) of each, in tiles and shades.

    Attributes:
        faces: what each tile says, above and below.
        sayings: for each tile, what is said when it is in view.
        marks: (x, y, text) of what stands beside the tiles.
        board: how many tiles wide and high the place for them is.
        corners: the three places where a tile is made of one part alone. The reader may
            move a tile between them; the shares of the three parts at its new place
            are put into its row of the input `sets`, and sum to that row's `totals`.
        parts: what the parts are, one for each corner.
    """

    faces: Sequence[tuple[str, str]]
    sayings: Sequence[str]
    marks: Sequence[tuple[float, float, str]] = ()
    board: tuple[float, float]
    corners: Sequence[tuple[float, float]] = ()
    sets: str = ""
    totals: Sequence[float] = ()
    parts: Sequence[str] = ()

    kind = "tiles"
    still = ("faces", "corners", "sets")
    moving = ("sayings", "marks", "board", "totals")

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
            look = self.faces, self.marks, self.palette, self.corners
            draw_tiles(area, arrays[self.name], *look)

        size = (TILE * wide, TILE * high)
        ends = ((0, wide), (high, 0))
        return StaticDrawing(self, size, ends, draw, (0.12, -0.2, 0.0, 0.05))


def draw_tiles(
    area: plots.Area,
    places: Array,
    faces: Sequence[tuple[str, str]],
    marks: Sequence[tuple[float, float, str]],
    palette: str,
    corners: Sequence[tuple[float, float]] = (),
) -> None:
    """Draw one square per tile, two lines of text on each.

    Args:
        area: where to draw, in tiles.
        places: (N, 3): x and y of each tile's upper left corner, and its shade.
        faces: N texts, above and below.
        marks: (x, y, text) of what stands beside the tiles.
        palette: a key of HUES.
        corners: of a shape behind them, as tiles that stood there.
    """
    if corners:
        area.line(*np.array([*corners, corners[0]]).T + 0.5, color=plots.EDGE, lw=1.2)
    for step in np.unique(places[:, 2]).tolist():
        fill, ink = plots.shade(palette, int(step))
        some = np.flatnonzero(places[:, 2] == step).tolist()
        boxes = [(*(places[n, :2] + 0.03), 0.94, 0.94) for n in some]
        area.boxes(boxes, facecolor=fill, edgecolor=plots.EDGE)
        for n in some:
            x = places[n, 0] + 0.5
            y = places[n, 1]
            look = {"color": ink, "align": 0.5}
            area.word(plots.short(faces[n][0]), x, y + 0.25, 6.5, room=0.85, **look)
            area.word(plots.short(faces[n][1]), x, y + 0.64, 9, room=0.85, **look)
    for x, y, mark in marks:
        area.word(plots.short(mark), x, y + 0.5, 8)

"""Tiles: numbers that keep their face and change their place, as in TilesView."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from matplotlib.figure import Figure

from ... import plots
from .drawing import FOOT, GAP, HEAD, Drawing, Matrix

TILE = 0.44  # inches


@dataclass(frozen=True, kw_only=True)
class Tiles(Drawing):
    """Tiles on a board; its array holds (x, y, shade) of each, in tiles and shades.

    Attributes:
        faces: what each tile says, above and below.
        sayings: for each tile, what is said when it is in view.
        marks: (x, y, text) of what stands beside the tiles.
        board: how many tiles wide and high the place for them is.
    """

    faces: Sequence[tuple[str, str]]
    sayings: Sequence[str]
    marks: Sequence[tuple[float, float, str]] = ()
    board: tuple[float, float]

    kind: ClassVar[str] = "tiles"
    still: ClassVar[tuple[str, ...]] = ("faces",)
    moving: ClassVar[tuple[str, ...]] = ("sayings", "marks", "board")

    def frame(self) -> dict[str, Any]:
        """What stays while tiles move; sequences as lists, as they come back."""
        return super().frame() | {"faces": [list(face) for face in self.faces]}

    def table(self, arrays: Mapping[str, Matrix]) -> list[Sequence[str]]:
        """The tiles as they lie, line by line, each as "above.below"."""
        places = arrays[self.name]
        lines: dict[float, list[tuple[float, str]]] = {}
        for (x, y, _), face in zip(places.tolist(), self.faces, strict=True):
            lines.setdefault(y, []).append((x, ".".join(face)))
        rows = [[text for _, text in sorted(lines[y])] for y in sorted(lines)]
        longest = max(map(len, rows))
        return [["", *row, *[""] * (longest - len(row))] for row in rows]

    def extent(self) -> tuple[float, float]:
        """Inches across and down, the heading, the marks and the note included."""
        across, down = (TILE * side for side in self.board)
        return max(across, 5.0) + GAP, HEAD + down + FOOT

    def draw(
        self, figure: Figure, arrays: Mapping[str, Matrix], left: float, top: float
    ) -> None:
        """Draw it with its upper left corner at (left, top), in inches."""
        wide, high = figure.get_size_inches()
        across, down = (TILE * side for side in self.board)
        x, y = left + 0.12, top - HEAD + 0.2 - down
        ax = figure.add_axes((x / wide, y / high, across / wide, down / high))
        places = arrays[self.name]
        plots.draw_tiles(ax, places, self.faces, self.marks, self.palette, self.board)
        self.draw_heading(figure, left, top, y - 0.25)

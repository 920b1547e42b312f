"""Tiles: numbers that keep their face and change their place, as in TilesView."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .drawing import Drawing, Matrix


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

    kind = "tiles"
    still = ("faces",)
    moving = ("sayings", "marks", "board")

    def table(self, arrays: Mapping[str, Matrix]) -> list[Sequence[str]]:
        """The tiles as they lie, line by line, each as "above.below"."""
        places = arrays[self.name]
        lines: dict[float, list[tuple[float, str]]] = {}
        for (x, y, _), face in zip(places.tolist(), self.faces, strict=True):
            lines.setdefault(y, []).append((x, ".".join(face)))
        rows = [[text for _, text in sorted(lines[y])] for y in sorted(lines)]
        longest = max(map(len, rows))
        return [["", *row, *[""] * (longest - len(row))] for row in rows]

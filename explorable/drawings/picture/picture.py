"""A picture made of cells of gray or color, on which the reader may paint."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import plots
from ...drawing import EM, Array, Drawing, StaticDrawing
from ...validation import check_number, require
from .at_rest import draw_key, draw_outlines, draw_patches, draw_pixels, key_size

LARGEST = 64  # cells a side
MOST_COLORS = 16
WIDE = 20.0  # em, of a picture
NARROWEST = 0.45  # em, of a cell
WIDEST = 1.6  # em, of a cell
ROOM = 4.0, 2.5  # em of a patch, of which the number of its weight takes the middle
GRAYS = 5  # inks from white to black


@dataclass(frozen=True, kw_only=True)
class PixelGrid(Drawing):
    """Cells of gray or color, on which the reader may paint if it is an input.

    Its array is (rows, columns): how dark each cell is, from 0, white, to `vmax`,
    black; or, with `colors`, which of them it has: 0, 1, …. With `rgb` it is
    (rows, 3 columns): red, green and blue of one cell after another, 0 to `vmax`.

    An array "name.weights" of (rows, columns) of patches lies over it, if there is one:
    the larger a weight, the more its patch is tinted; those with much have a frame.

    Its sentence may hold {row} and {column}, counted from 1, and {value}; without
    one it says what the cell has: ink, light or a color.

    Attributes:
        size: its rows and columns of cells, at most 64 each.
        colors: at most 16 names, each with its "#RRGGBB"; with `rgb` the inks alone.
        rgb: whether each cell has a red, a green and a blue of its own.
        vmax: the number of full black, or of full red, green and blue.
        patch: the rows and columns of a patch, each framed by a line.
        full: the weight that is tinted in full.
        side: em a side of one cell; by default as its size allows.
        editable: whether the reader may paint: an input, as the explorer knows.
        outlined: boolean, True where a cell is what the picture is about.

    Raises:
        ValueError: these do not fit each other.
    """

    size: tuple[int, int]
    colors: Sequence[tuple[str, str]] = ()
    rgb: bool = False
    vmax: float = 1.0
    patch: tuple[int, int] | tuple[()] = ()
    full: float = 1.0
    side: float = 0.0
    editable: bool = False
    outlined: NDArray[np.bool_] | None = None

    kind = "picture"
    still = (
        *("size", "colors", "rgb", "vmax", "inks", "tint"),
        *("patch", "roomy", "side", "editable"),
    )
    moving = ("full",)

    def __post_init__(self) -> None:
        small = _is_pair(self.size) and all(1 <= n <= LARGEST for n in self.size)
        require(small, "size", f"be 1 to {LARGEST} rows and columns", self.size)
        for name in ("vmax", "full"):
            check_number(name, getattr(self, name), 0, above=True)
        check_number("side", self.side, 0)
        few = len(self.colors) <= MOST_COLORS
        require(few, "colors", f"be at most {MOST_COLORS}", len(self.colors))
        for ink in self.colors:
            pair = isinstance(ink, tuple) and len(ink) == 2 and isinstance(ink[1], str)
            fits = pair and re.fullmatch("#[0-9A-Fa-f]{6}", ink[1]) is not None
            require(fits, "a color", "be a name and its #RRGGBB", repr(ink))
        if self.patch:
            pair = _is_pair(self.patch)
            require(pair, "patch", "be two whole numbers", repr(self.patch))
            sides = zip(self.size, self.patch, strict=True)
            fits = all(part > 0 and whole % part == 0 for whole, part in sides)
            require(fits, "patch", f"divide the size {self.size}", self.patch)
        best = min(WIDEST, max(NARROWEST, WIDE / max(self.size)))
        vars(self)["side"] = self.side or round(best, 2)  # for good: it is frozen
        vars(self)["sentence"] = self.sentence or self._usual_sentence()

    def _usual_sentence(self) -> str:
        """What is said of a cell: where it is, and what its numbers are."""
        if self.rgb:
            return "the light of the cell in row {row}, column {column}"
        if self.colors:
            return "the cell in row {row}, column {column} is {value}"
        return "how dark the cell in row {row}, column {column} is: {value}"

    @property
    def inks(self) -> list[dict[str, Any]]:
        """What the reader paints with: a name, its color, a cell's numbers."""
        if self.rgb:
            return [_ink(name, c, self._three(c)) for name, c in self.colors]
        if self.colors:
            return [_ink(*color, [float(n)]) for n, color in enumerate(self.colors)]
        grays = np.linspace(0.0, self.vmax, GRAYS)
        shown = [_hexadecimal([level] * 3) for level in _levels(1 - grays / self.vmax)]
        each = zip(self.said(grays), shown, grays.tolist(), strict=True)
        return [_ink(name, color, [x]) for name, color, x in each]

    def _three(self, color: str) -> list[float]:
        """The red, green and blue of "#RRGGBB", as the array holds them."""
        return [level / 255 * self.vmax for level in bytes.fromhex(color[1:])]

    def check(self, arrays: Mapping[str, Array]) -> None:
        """Raise unless the array, and what lies over it, can be shown.

        Raises:
            ValueError: it has another shape, or holds a number that is no gray, no
                color or no weight of the picture.
        """
        x = arrays[self.name]
        rows, columns = self.size
        wanted = (rows, 3 * columns if self.rgb else columns)
        require(x.shape == wanted, self.name, f"have shape {wanted}", x.shape)
        most = self.vmax if self.rgb or not self.colors else len(self.colors) - 1
        wrong = x[~((x >= 0) & (x <= most))]
        if self.colors and not self.rgb:
            wrong = x[~np.isin(x, range(len(self.colors)))]
        if wrong.size:
            whole = "a whole number from" if self.colors and not self.rgb else "from"
            raise ValueError(
                f"a cell of {self.name} must be {whole} 0 to {most:g}, got {wrong[0]:g}"
            )
        if self.outlined is not None:
            shape = self.outlined.shape
            fits = shape == self.size
            require(fits, "outlined", f"have the size {self.size}", shape)
        if (weights := self.weights(arrays)) is not None:
            per = f"have one number for each patch, shape {self.patches}"
            fits = bool(self.patch) and weights.shape == self.patches
            require(fits, f"{self.name}.weights", per, weights.shape)
            for weight in weights.flat:
                check_number(f"a weight of {self.name}", float(weight), 0)

    @property
    def tint(self) -> str:
        """The color of its weights: the cells below are as light on any page."""
        return plots.HUES[self.palette]

    @property
    def patches(self) -> tuple[int, int]:
        """Its rows and columns of patches; without any, all of it is one."""
        high, wide = self.patch or self.size
        return self.size[0] // high, self.size[1] // wide

    @property
    def roomy(self) -> bool:
        """Whether a patch has room for the number of its weight."""
        high, wide = self.patch or (0, 0)
        return self.side * high >= ROOM[1] and self.side * wide >= ROOM[0]

    def weights(self, arrays: Mapping[str, Array]) -> Array | None:
        """The weights that lie over its patches, or None."""
        return arrays.get(f"{self.name}.weights")

    def among(self, group: Sequence[Drawing], inputs: Iterable[str]) -> "PixelGrid":
        """Editable where it is an input, and there is an ink to paint with."""
        return replace(self, editable=self.name in inputs and bool(self.inks))

    def cells(self, values: Array) -> list[list[str]]:
        """What each cell says: its number, its color's name, or its three numbers."""
        if self.rgb:
            threes = values.reshape(*self.size, 3).tolist()
            return [[" ".join(self.said(cell)) for cell in row] for row in threes]
        if self.colors:
            return [[self.colors[int(x)][0] for x in row] for row in values.tolist()]
        return [self.said(row) for row in values.tolist()]

    def painted(self, values: Array) -> NDArray[np.str_]:
        """The color (rows, columns) of each cell, "#RRGGBB"."""
        if self.colors and not self.rgb:
            named = np.array([color for _, color in self.colors])
            return np.take(named, values.astype(int))
        share = values / self.vmax if self.rgb else 1 - values / self.vmax
        levels = _levels(share).reshape(*self.size, -1)
        three = np.broadcast_to(levels, (*self.size, 3)).tolist()
        return np.array([[*map(_hexadecimal, row)] for row in three])

    def table(self, arrays: Mapping[str, Array]) -> list[Sequence[str]]:
        """What the cells say between the numbers of rows and columns; the weights."""
        rows, columns = self.size
        lines = [["", *_counted(columns)]]
        cells = self.cells(arrays[self.name])
        lines += [[n, *line] for n, line in zip(_counted(rows), cells, strict=True)]
        if (weights := self.weights(arrays)) is not None:
            room = [""] * (columns - weights.shape[1])
            lines.append(["weights", *_counted(weights.shape[1]), *room])
            for n, line in enumerate(weights, 1):
                lines.append([str(n), *self.said(line), *room])
        return list(lines)

    def at_rest(self, arrays: Mapping[str, Array]) -> StaticDrawing:
        """The cells, the patches over them, and on the right what the colors mean."""
        rows, columns = self.size
        cell = self.side * EM
        key = () if self.rgb else self.colors
        right, high = key_size([plots.short(name) for name, _ in key])

        def draw(area: plots.Area) -> None:
            draw_pixels(area, self.painted(arrays[self.name]))
            if self.outlined is not None:
                draw_outlines(area, self.outlined, self.palette)
            self._draw_patches(area, self.weights(arrays))
            draw_key(area, key, cell)

        body = (cell * columns, cell * rows)
        ends = ((0, columns), (rows, 0))
        below = max(0.0, high - cell * rows)
        return StaticDrawing(self, body, ends, draw, (0.12, -0.2, right, below))

    def _draw_patches(self, area: plots.Area, weights: Array | None) -> None:
        """Draw the patches, their weights written where there is room."""
        if not self.patch:
            return
        shares = np.zeros(self.patches)
        texts = list[list[str]]()
        if weights is not None:
            shares = np.minimum(1.0, np.maximum(0.0, weights / self.full))
            texts = [self.said(row) for row in weights.tolist()] if self.roomy else []
        draw_patches(area, self.patch, shares, texts, self.palette)


def _is_pair(sizes: object) -> bool:
    """Whether these are two whole numbers."""
    pair = isinstance(sizes, tuple) and len(sizes) == 2
    return pair and all(type(n) is int for n in sizes)  # type: ignore[attr-defined]


def _ink(name: str, color: str, numbers: list[float]) -> dict[str, Any]:
    return {"name": name, "color": color, "numbers": numbers}


def _levels(shares: Array) -> NDArray[np.int64]:
    """Shares of full light as 0 to 255, rounded as the page does."""
    return np.floor(255 * shares + 0.5).astype(np.int64)


def _hexadecimal(levels: Iterable[int]) -> str:
    return f"#{bytes(levels).hex().upper()}"


def _counted(count: int) -> list[str]:
    return [str(n) for n in range(1, count + 1)]

"""A picture at rest: its cells, the patches over them, and what its colors mean."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.collections import PathCollection
from numpy.typing import NDArray

from ... import plots
from ...drawing import Array

GRID = "#80808060"  # between cells, to be seen on any color
LINE = 0.22  # inches from line to line of the key
SWATCH = 0.14  # inches, of a color in the key
LETTERS = 9  # points, in the key
TINT = 0.5  # how opaque the fullest weight is
THICKEST = 3.0  # points, of the fullest weight's frame
MUCH = 0.4  # of the largest weight: a smaller one has no frame and no number


def draw_pixels(area: plots.Area, colors: NDArray[np.str_]) -> None:
    """Fill the area with one square per cell: (rows, columns) of "#RRGGBB"."""
    found = np.unique(colors).tolist()
    squares = []
    for color in found:
        places = np.argwhere(colors == color)[:, ::-1]
        boxes = np.concatenate([places, np.ones_like(places)], axis=1)
        squares.append(plots.rectangles(boxes))
    edges: dict[str, Any] = {"edgecolors": GRID, "linewidths": 0.4, "snap": True}
    area.add(PathCollection(squares, facecolors=found, **edges))


def draw_outlines(area: plots.Area, outlined: NDArray[np.bool_], hue: str) -> None:
    """Frame cells in a hue, and white within, to be seen on any other color."""
    boxes = [(c, r, 1, 1) for r, c in np.argwhere(outlined)]
    for width, color in ((6, plots.HUES[hue]), (2, plots.PAPER["light"])):
        area.boxes(boxes, fc="none", ec=color, lw=width)


def draw_patches(
    area: plots.Area,
    patch: tuple[int, int],
    shares: Array,
    texts: Sequence[Sequence[str]],
    hue: str,
) -> None:
    """Tint the patches that have a weight, and frame those that have much.

    Args:
        area: in cells.
        patch: its rows and columns of cells.
        shares: (rows, columns) of patches: how full each weight is, 0 to 1.
        texts: what is written into those that have much, if anything is.
        hue: a key of `plots.HUES`.
    """
    high, wide = patch
    for (r, c), share in np.ndenumerate(shares):
        x, y = c * wide, r * high
        area.boxes([(x, y, wide, high)], fc="none", ec=plots.INK, lw=1.0)
        look = {"lw": THICKEST * share, "ec": plots.HUES[hue]}
        inside = (x + 0.05 * wide, y + 0.05 * high, 0.9 * wide, 0.9 * high)
        if share > 0:
            area.boxes([(x, y, wide, high)], fc=plots.HUES[hue], alpha=TINT * share)
        if share <= 0 or share < MUCH * shares.max():
            continue
        area.boxes([inside], fc="none", **look)
        if texts:
            corner = x + 0.9 * wide, y + 0.8 * high
            paper = plots.PAPER["light"]
            area.word(texts[r][c], *corner, 8, align=1.0, paper=paper)


def key_size(names: Sequence[str]) -> tuple[float, float]:
    """The inches that a key of these names needs, across and down."""
    wide = plots.widest(names, LETTERS) / 72 + SWATCH + 0.3 if names else 0.0
    return wide, LINE * len(names)


def draw_key(area: plots.Area, colors: Sequence[tuple[str, str]], cell: float) -> None:
    """Say on the right what each color is; a cell is so many inches a side."""
    left = area.x[1] + 0.15 / cell
    line = LINE / cell
    swatch = SWATCH / cell
    for n, (name, color) in enumerate(colors):
        y = n * line + 0.02 / cell
        area.boxes([(left, y, swatch, swatch)], fc=color, ec=plots.INK, lw=0.6)
        beside = left + swatch + 0.07 / cell
        area.word(plots.short(name), beside, y + swatch / 2, LETTERS)

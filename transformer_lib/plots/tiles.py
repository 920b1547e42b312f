"""Numbered tiles on a board: the static twin of TilesView."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from .colours import shade
from .given import short


def draw_tiles(
    ax: Axes,
    places: np.ndarray[Any, np.dtype[np.float64]],
    faces: Sequence[tuple[str, str]],
    marks: Sequence[tuple[float, float, str]],
    palette: str,
    board: tuple[float, float],
) -> None:
    """Fill the Axes with one square per tile, two lines of text on each.

    Args:
        ax: where to draw.
        places: (N, 3): x and y of each tile's upper left corner, and its shade.
        faces: N texts, above and below.
        marks: (x, y, text) of what stands beside the tiles.
        palette: a key of HUES.
        board: how many tiles wide and high the Axes are.
    """
    for (x, y, step), (above, below) in zip(places.tolist(), faces, strict=True):
        fill, ink = shade(palette, int(step))
        style: dict[str, Any] = {"facecolor": fill, "edgecolor": "#C8C8C8"}
        ax.add_patch(Rectangle((x + 0.03, y + 0.03), 0.94, 0.94, **style))
        text: dict[str, Any] = {"ha": "center", "va": "center", "parse_math": False}
        ax.text(x + 0.5, y + 0.27, short(above)[:5], size=6.5, color=ink, **text)
        ax.text(x + 0.5, y + 0.66, short(below)[:5], size=9, color=ink, **text)
    for x, y, mark in marks:
        ax.text(x, y + 0.5, short(mark), size=8, va="center", parse_math=False)
    ax.set(xlim=(0, board[0]), ylim=(board[1], 0), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)

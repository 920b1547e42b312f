"""Small pictures side by side, each with a title."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from .area import new_axes
from .lettering import drawable, warn_of_boxes

INCHES = 1.05  # a picture is wide and high
GAP = 0.12  # between two, as a share of it
ABOVE = 0.3  # for a title, likewise
ROUNDING = 1e-5  # by which numbers from 0 to 1 may be wrong


def gallery(
    pictures: ArrayLike, titles: Sequence[str] = (), *, across: int = 8
) -> Axes:
    """Draw pictures in rows, one after another.

    Args:
        pictures: (B, high, wide), from 0 for paper to 1 for ink; or (B, high, wide, 3),
            red, green and blue from 0 to 1.
        titles: B texts; none by default.
        across: how many stand in a row.

    Returns:
        the Axes.

    Raises:
        ValueError: there is no picture, they have another shape or are not from 0 to 1,
            a title is missing, or across is below 1.
    """
    x = np.asarray(pictures, dtype=np.float64)
    if not (x.ndim == 3 or (x.ndim == 4 and x.shape[3] == 3)) or 0 in x.shape:
        wanted = "(B, high, wide) or (B, high, wide, 3)"
        raise ValueError(f"pictures must be {wanted}, got {x.shape}")
    if not ((x > -ROUNDING) & (x < 1 + ROUNDING)).all():
        raise ValueError("pictures must be from 0 to 1, got others")
    if len(titles) not in (0, len(x)):
        raise ValueError(f"titles must be {len(x)} or none, got {len(titles)}")
    if across < 1:
        raise ValueError(f"across must be at least 1, got {across}")
    warn_of_boxes(titles)
    step = 1 + GAP, 1 + GAP + (ABOVE if titles else 0)
    places = [(step[0] * (n % across), step[1] * (n // across)) for n in range(len(x))]
    right, below = (max(ends) + 1 for ends in zip(*places, strict=True))
    top = ABOVE if titles else 0.0
    ax = new_axes(INCHES * right, INCHES * (below + top))
    gray: dict[str, Any] = {"cmap": "gray_r", "vmin": 0.0, "vmax": 1.0}
    for picture, (left, high) in zip(x.clip(0, 1), places, strict=True):
        ax.imshow(picture, extent=(left, left + 1, high + 1, high), **gray)
    centered: dict[str, Any] = {"ha": "center", "va": "bottom", "parse_math": False}
    for title, (left, high) in zip(titles, places, strict=False):
        ax.text(left + 0.5, high - 0.04, drawable(title), fontsize=9, **centered)
    ax.set(xlim=(0, right), ylim=(below, -top))
    ax.axis("off")
    return ax

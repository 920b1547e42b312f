"""Weights as lines from queries to keys: the static twin of LinksView."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgba
from matplotlib.path import Path
from numpy.typing import ArrayLike, NDArray

from .area import Area, new_axes
from .colors import HUES
from .lettering import short, warn_of_boxes
from .matrices import labels_or_numbers, mask_or_none

FAINTEST = 0.02  # a thinner line could not be seen; nor can NaN
WIDEST = 7.0  # points


def links(
    weights: ArrayLike,
    queries: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
    *,
    hidden: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw weights as lines between words: the wider and fuller, the larger.

    Args:
        weights: (T, S), each from 0 to 1.
        queries: T words, on the left; by default 1 … T.
        keys: S words, on the right; by default 1 … S.
        hidden: boolean (T, S), True where a query may not look: no line is drawn.
        ax: where to draw; by default a new figure.

    Returns:
        the Axes.

    Raises:
        ValueError: weights is no (T, S) matrix of shares, a word is missing, or hidden
            has another shape.
    """
    x = np.asarray(weights, dtype=np.float64)
    if x.ndim != 2 or 0 in x.shape:
        raise ValueError(f"weights must be a matrix (T, S), got shape {x.shape}")
    if not ((x >= 0) & (x <= 1 + 1e-9)).all():
        outside = x[~((x >= 0) & (x <= 1 + 1e-9))][0]
        raise ValueError(f"weights must be between 0 and 1, got {outside}")
    T, S = x.shape
    words = labels_or_numbers(queries, T, "queries"), labels_or_numbers(keys, S, "keys")
    masked = mask_or_none(hidden, x.shape)
    warn_of_boxes([*words[0], *words[1]])
    ax = ax or new_axes(3.68, 0.7 + 0.62 * max(T, S))
    draw_links(Area(ax, (0, 1), (max(T, S), 0)), x, *words, masked)
    return ax


def draw_links(
    area: Area,
    weights: NDArray[np.float64],
    queries: Sequence[str],
    keys: Sequence[str],
    hidden: NDArray[np.bool_] | None = None,
    palette: str = "weights",
) -> None:
    """Draw one line per weight, from 0 to 1 across, with the words at its sides."""
    seen = (weights >= FAINTEST) & (True if hidden is None else ~hidden)
    bends = [[(0, q), (0.45, q), (0.55, k), (1, k)] for q, k in np.argwhere(seen) + 0.5]
    draw_bends(area, bends, weights[seen], palette)
    for n, word in enumerate(queries):
        area.word(short(word), 0, n + 0.5, align=1, dx=-5)
    for n, word in enumerate(keys):
        area.word(short(word), 1, n + 0.5, dx=5)


def draw_bends(
    area: Area, bends: Sequence[Any], weights: NDArray[np.float64], palette: str
) -> None:
    """Draw a curve for each weight: the wider and fuller, the larger."""
    strengths = np.minimum(1.0, weights)
    colors = [to_rgba(HUES[palette], 0.15 + 0.85 * s) for s in strengths]
    look: dict[str, Any] = {"facecolors": "none", "edgecolors": colors}
    look |= {"linewidths": 0.5 + WIDEST * strengths, "capstyle": "butt"}
    paths = [Path(bend, [Path.MOVETO, *[Path.CURVE4] * 3]) for bend in bends]
    area.add(PathCollection(paths, **look))

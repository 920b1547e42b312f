"""Weights as lines from queries to keys: the static twin of LinksView."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from numpy.typing import ArrayLike

from .colours import HUES
from .given import given_labels, given_mask, new_axes, short

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
        queries: T words, at the left; by default 1 … T.
        keys: S words, at the right; by default 1 … S.
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
    words = (
        given_labels(queries, x.shape[0], "queries"),
        given_labels(keys, x.shape[1], "keys"),
    )
    masked = given_mask(hidden, x.shape)
    if ax is None:
        ax = new_axes(3.68, 0.7 + 0.62 * max(x.shape))
    draw_links(ax, x, *words, masked)
    return ax


def draw_links(
    ax: Axes,
    weights: np.ndarray[Any, np.dtype[np.float64]],
    queries: Sequence[str],
    keys: Sequence[str],
    hidden: np.ndarray[Any, np.dtype[np.bool_]] | None = None,
    palette: str = "weights",
) -> None:
    """Fill the Axes with one line per weight, the words at its sides."""
    for (q, k), weight in np.ndenumerate(weights):
        if not weight >= FAINTEST or (hidden is not None and hidden[q, k]):
            continue
        bend = Path(
            [(0, q + 0.5), (0.45, q + 0.5), (0.55, k + 0.5), (1, k + 0.5)],
            [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4],
        )
        look: dict[str, Any] = {"color": HUES[palette], "fill": False}
        strength = min(1.0, float(weight))
        look |= {"alpha": 0.15 + 0.85 * strength, "lw": 0.5 + WIDEST * strength}
        ax.add_patch(PathPatch(bend, **look, capstyle="butt", clip_on=False))
    ax.set(xlim=(0, 1), ylim=(max(weights.shape), 0), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    style: dict[str, Any] = {"va": "center", "size": 10, "parse_math": False}
    for n, word in enumerate(queries):
        ax.text(-0.04, n + 0.5, short(word), ha="right", **style)
    for n, word in enumerate(keys):
        ax.text(1.04, n + 0.5, short(word), ha="left", **style)

"""A matrix as a heat map: the static twin of MatrixView."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from .colours import DIVERGING, HUES, number, shade, step_of
from .given import given_labels, given_mask, new_axes, short


def matrix(
    values: ArrayLike,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    *,
    palette: str = "weights",
    hidden: ArrayLike | None = None,
    digits: int = 2,
    ax: Axes | None = None,
) -> Axes:
    """Draw a matrix as a heat map with every number printed.

    Args:
        values: (R, C), finite.
        rows: R labels; by default 1 … R.
        columns: C labels; by default 1 … C.
        palette: a key of HUES. "weights" colours 0 to 1, "scores" and "position"
            diverge around 0 and the others show magnitude, the largest in full.
        hidden: boolean (R, C), True where a cell is masked: drawn grey and hatched.
        digits: decimals of the numbers.
        ax: where to draw; by default a new figure.

    Returns:
        the Axes.

    Raises:
        ValueError: values is no finite (R, C) matrix, a label is missing, the palette
            is unknown, or hidden has another shape.
    """
    x = _checked(values, palette)
    labels = (
        given_labels(rows, x.shape[0], "rows"),
        given_labels(columns, x.shape[1], "columns"),
    )
    masked = given_mask(hidden, x.shape)
    if ax is None:
        ax = new_axes(1.2 + 0.62 * x.shape[1], 0.7 + 0.62 * x.shape[0])
    limit = 1.0 if palette == "weights" else float(np.abs(x).max())
    draw_cells(ax, x, masked, palette, limit, digits=digits)
    draw_labels(ax, *labels)
    if palette in ("weights", "scores"):
        ax.set(ylabel="query ↓", xlabel="key →")
    return ax


def draw_cells(
    ax: Axes,
    values: np.ndarray[Any, np.dtype[np.float64]],
    hidden: np.ndarray[Any, np.dtype[np.bool_]],
    palette: str,
    limit: float,
    *,
    digits: int | None = 2,
    texts: Sequence[Sequence[str]] | None = None,
) -> None:
    """Fill the Axes with one coloured square per value, numbered unless digits=None.

    A masked cell is hatched, and says nothing unless there are `texts`.
    """
    small = values.shape[1] > 7
    for (r, c), value in np.ndenumerate(values):
        hue = "negative" if palette in DIVERGING and value < 0 else palette
        fill, ink = shade(hue, step_of(value, limit))
        if hidden[r, c]:
            style: dict[str, Any] = {"facecolor": "#E6E6E6", "hatch": "////"}
            ax.add_patch(Rectangle((c, r), 1, 1, edgecolor="#8C8C8C", lw=0, **style))
            ink = "#000000"
        else:
            style = {"facecolor": fill, "edgecolor": "#C8C8C8", "clip_on": False}
            ax.add_patch(Rectangle((c, r), 1, 1, **style))
        if digits is None or (hidden[r, c] and texts is None):
            continue
        text = number(value, digits) if texts is None else texts[r][c]
        size = (8 if small else 10) - (2 if len(text) > digits + 4 else 0)
        label = ax.text(c + 0.5, r + 0.5, text, color=ink, size=size)
        label.set(ha="center", va="center", parse_math=False)
        if hidden[r, c]:
            label.set_bbox({"facecolor": "#E6E6E6", "lw": 0, "pad": 1})
    ax.set(xlim=(0, values.shape[1]), ylim=(values.shape[0], 0), aspect="equal")


def draw_labels(
    ax: Axes, rows: Sequence[str], columns: Sequence[str], upright: bool = False
) -> None:
    """Label rows at the left and columns at the top; a label is text, never TeX.

    The columns' labels stand upright where the columns are too narrow for them.
    """
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    for ticks, labels in ((ax.set_xticks, columns), (ax.set_yticks, rows)):
        every = -(-len(labels) // 16)  # at most 16 labels a side
        ticks(np.arange(0, len(labels), every) + 0.5, map(short, labels[::every]))
    for label in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        label.set_parse_math(False)
        label.set_fontsize(10)
    if upright:
        for label in (*ax.get_xticklabels(), *ax.get_yticklabels()):
            label.set_fontsize(8)
        for label in ax.get_xticklabels():
            label.set(rotation=90)
    elif len(columns) > 3 and max(len(short(c)) for c in columns) > 6:
        for label in ax.get_xticklabels():
            label.set(rotation=35, ha="left", rotation_mode="anchor")
    ax.spines[:].set_visible(False)


def _checked(values: ArrayLike, palette: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    if palette not in HUES:
        raise ValueError(f"palette must be one of {sorted(HUES)}, got {palette!r}")
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 2 or 0 in x.shape:
        raise ValueError(f"values must be a matrix (R, C), got shape {x.shape}")
    if not np.isfinite(x).all():
        raise ValueError(f"values must be finite, got {x[~np.isfinite(x)][0]}")
    return x

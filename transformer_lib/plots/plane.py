"""Points that turn on a circle: the static twin of CurvesView's plane."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle
from numpy.typing import ArrayLike

from .colours import HUES, INK, QUIET
from .given import new_axes, short

REACH = 1.35  # how far the plane reaches beyond its middle; the circle's radius is 1
RULE = "#BBBBBB"


def plane(
    points: ArrayLike,
    arrows: ArrayLike = (),
    names: Sequence[str] = (),
    *,
    hues: Sequence[str] = (),
    arc: ArrayLike = (),
    axes: tuple[str, str] = ("", ""),
    ax: Axes | None = None,
) -> Axes:
    """Draw points on the unit circle, arrows to some, and an arc from one to another.

    Args:
        points: (N, 2), drawn small.
        arrows: (A, 2): where arrows from the middle end.
        names: A names.
        hues: a key of HUES for each arrow.
        arc: (M, 2): a line that ends in an arrow's head.
        axes: what x and y are.
        ax: where to draw; by default a new figure.

    Returns:
        the Axes.

    Raises:
        ValueError: points, arrows or arc are not pairs, or an arrow has no name or hue.
    """
    small, ends, turn = (
        _pairs(n, x) for n, x in (("points", points), ("arrows", arrows), ("arc", arc))
    )
    if not len(ends) == len(names) == len(hues):
        raise ValueError(
            f"{len(ends)} arrows need as many names and hues, "
            f"got {len(names)} and {len(hues)}"
        )
    if ax is None:
        ax = new_axes(4, 4)
    _draw_circle(ax, axes)
    ax.plot(*small.T, "o", color=QUIET, ms=2.5)
    for end, name, hue in zip(ends, names, hues, strict=True):
        _draw_arrow(ax, end, name, HUES[hue])
    if len(turn) > 1:
        ax.plot(*turn.T, color=INK, lw=1.3)
        head: dict[str, Any] = {"arrowstyle": "-|>", "color": INK, "lw": 1.3}
        ax.annotate("", turn[-1], turn[-2], arrowprops=head)
    return ax


def _pairs(name: str, values: ArrayLike) -> Any:
    x = np.asarray(values, dtype=np.float64)
    if x.size == 0:
        return np.empty((0, 2))
    if x.ndim != 2 or x.shape[1] != 2:
        raise ValueError(f"{name} must have shape (N, 2), got {x.shape}")
    return x


def _draw_circle(ax: Axes, axes: tuple[str, str]) -> None:
    """The circle of radius 1, and both axes through its middle with their names."""
    ax.add_patch(Circle((0, 0), 1, fill=False, edgecolor=RULE, lw=1.2))
    ax.axhline(0, color=RULE, lw=0.8)
    ax.axvline(0, color=RULE, lw=0.8)
    ax.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal")
    ax.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    ax.set_xlabel(axes[0], size=9, color=QUIET, parse_math=False)
    ax.set_ylabel(axes[1], size=9, color=QUIET, parse_math=False)
    ax.tick_params(length=0, labelsize=8.5, colors=QUIET)
    ax.spines[:].set_visible(False)


def _draw_arrow(ax: Axes, end: Any, name: str, colour: str) -> None:
    """An arrow from the middle, its name beyond its end."""
    head: dict[str, Any] = {"arrowstyle": "-|>", "color": colour, "lw": 2.2}
    ax.annotate("", end, (0, 0), arrowprops={**head, "shrinkA": 0, "shrinkB": 0})
    side = "left" if end[0] > 0.3 else "right" if end[0] < -0.3 else "center"
    x, y = 1.1 * end
    ax.text(x, y, short(name), ha=side, va="center", size=9.5, parse_math=False)

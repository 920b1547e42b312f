"""Points that turn on a circle: the static twin of CurvesView's plane."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.patches import FancyArrowPatch, PathPatch
from matplotlib.path import Path
from numpy.typing import ArrayLike

from .area import Area
from .colours import HUES, INK, QUIET
from .curves import apart
from .lettering import short
from .scales import draw_scales

REACH = 1.35  # how far the plane reaches beyond its middle; the circle's radius is 1
LEAST_TURN = 0.8  # between the names of two arrows, so that both can be read
RULE = "#BBBBBB"


def draw_plane(
    area: Area,
    points: ArrayLike,
    *,
    arrows: ArrayLike = (),
    names: Sequence[str] = (),
    hues: Sequence[str] = (),
    arc: ArrayLike = (),
    axes: tuple[str, str] = ("", ""),
) -> None:
    """Draw points on the unit circle, arrows to some, and an arc from one to another.

    Args:
        area: a square in which x and y go from -REACH to REACH.
        points: (N, 2), drawn small.
        arrows: (A, 2): where arrows from the middle end.
        names: A names.
        hues: a key of HUES for each arrow.
        arc: (M, 2): a line that ends in an arrow's head.
        axes: what x and y are.

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
    draw_scales(area, [-1, 0, 1], [-1, 0, 1], axes, rules="none")
    area.lines([area.across(0), area.upright(0)], colors=RULE, linewidths=0.8)
    area.add(PathPatch(Path.unit_circle(), fill=False, edgecolor=RULE, lw=1.2))
    area.line(*small.T, marker="o", ls="", color=QUIET, ms=2.5)
    turns = np.unwrap(np.arctan2(*ends.T)).tolist()  # clockwise from the top
    places = apart(turns, LEAST_TURN)  # of the names
    for end, place, name, hue in zip(ends, places, names, hues, strict=True):
        draw_arrow(area, (0, 0), end, HUES[hue], 2.2)
        _draw_name(area, name, 1.2 * np.hypot(*end), place)
    if len(turn) > 1:
        area.line(*turn.T, color=INK, lw=1.3)
        draw_arrow(area, turn[-2], turn[-1], INK, 1.3)


def _draw_name(area: Area, name: str, far: float, turn: float) -> None:
    x, y = far * np.sin(turn), far * np.cos(turn)
    side = 0.0 if x > 0.3 else 1.0 if x < -0.3 else 0.5
    area.word(short(name), x, y, 9.5, align=side)


def _pairs(name: str, values: ArrayLike) -> Any:
    x = np.asarray(values, dtype=np.float64)
    if x.size == 0:
        return np.empty((0, 2))
    if x.ndim != 2 or x.shape[1] != 2:
        raise ValueError(f"{name} must have shape (N, 2), got {x.shape}")
    return x


def draw_arrow(area: Area, start: Any, end: Any, colour: str, thick: float) -> None:
    """Draw an arrow from one point (x, y) to another."""
    style: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 10, "color": colour}
    area.add(FancyArrowPatch(start, end, lw=thick, shrinkA=0, shrinkB=0, **style))

"""Points that turn on a circle, arrows to some of them, and an arc."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from numpy.typing import ArrayLike

from ... import plots
from ...drawing import EM, Array, Drawing, StaticDrawing

REACH = 1.35  # how far the plane reaches beyond its middle; the circle's radius is 1
LEAST_TURN = 0.8  # between the names of two arrows, so that both can be read
MARGIN = 0.2  # inches above and below the plane, for what its axes are
NAME = 0.15  # more of them on either side, for the names of arrows
RULE = "#BBBBBB"


@dataclass(frozen=True, kw_only=True)
class UnitCircle(Drawing):
    """Points on the unit circle, arrows to some of them, an arc from one to another.

    Its array is (N, 2), one point per row; "name.arrows" (A, 2) are where arrows from
    the middle end, and "name.arc" (M, 2) is a line that ends in an arrow's head. Its
    sentence may hold {x}, the row; a place that is shared is a row.

    Attributes:
        x: the rows, 0 to N − 1.
        arrows: A names.
        hues: a key of `plots.HUES` for each.
        marks: the row in view at first, with a word or "".
        side: its width and height in em.
    """

    x: range
    arrows: Sequence[str]
    hues: Sequence[str]
    marks: Sequence[tuple[int, str]] = ((0, ""),)
    side: float = 12.2

    kind = "curves"
    shape = "plane"
    reach = REACH
    still = ("shape", "reach", "hues", "side")
    moving = ("x", "axes", "arrows", "marks")

    def about(self) -> str:
        """What x and y are."""
        return f"x: {self.axes[0]} · y: {self.axes[1]}"

    def table(self, arrays: Mapping[str, Array]) -> list[Sequence[str]]:
        """One line per arrow: the points themselves stand in other drawings."""
        ends = zip(self.arrows, arrays[f"{self.name}.arrows"].tolist(), strict=True)
        return [["", *self.axes], *([name, *self.said(end)] for name, end in ends)]

    def at_rest(self, arrays: Mapping[str, Array]) -> StaticDrawing:
        """The plane with its circle."""
        parts = (arrays[self.name + end] for end in ("", ".arrows", ".arc"))
        points, ends, arc = parts
        look: dict[str, Any] = {"names": self.arrows, "hues": self.hues}
        look |= {"arrows": ends, "arc": arc, "axes": self.axes}

        def draw(area: plots.Area) -> None:
            draw_circle(area, points, **look)

        beside = MARGIN + NAME
        side = self.side * EM - 2 * beside
        reach = (-REACH, REACH)
        room = (beside, MARGIN, beside, MARGIN)
        return StaticDrawing(self, (side, side), (reach, reach), draw, room)


def draw_circle(
    area: plots.Area,
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
    for text, arrow, corner, side in zip(axes, "→↑", (1, -1), (1.0, 0.0), strict=True):
        if text:  # in two corners, where no name of an arrow ever is
            x, y = 1.35 * corner * REACH, -1.12 * corner * REACH
            area.word(f"{text} {arrow}", x, y, 9, align=side, color=plots.QUIET)
    area.lines([area.across(0), area.upright(0)], colors=RULE, linewidths=0.8)
    area.add(PathPatch(Path.unit_circle(), fill=False, edgecolor=RULE, lw=1.2))
    area.line(*small.T, marker="o", ls="", color=plots.QUIET, ms=2.5)
    turns = np.unwrap(np.arctan2(*ends.T)).tolist()  # clockwise from the top
    places = plots.apart(turns, LEAST_TURN)  # of the names
    for end, place, name, hue in zip(ends, places, names, hues, strict=True):
        area.arrow((0, 0), end, plots.HUES[hue], 2.2)
        _draw_name(area, name, 1.2 * np.hypot(*end), place)
    if len(turn) > 1:
        area.line(*turn.T, color=plots.INK, lw=1.3)
        area.arrow(turn[-2], turn[-1], plots.INK, 1.3)


def _draw_name(area: plots.Area, name: str, far: float, turn: float) -> None:
    x, y = far * np.sin(turn), far * np.cos(turn)
    side = 0.0 if x > 0.3 else 1.0 if x < -0.3 else 0.5
    area.word(plots.short(name), x, y, 9.5, align=side)


def _pairs(name: str, values: ArrayLike) -> Any:
    x = np.asarray(values, dtype=np.float64)
    if x.size == 0:
        return np.empty((0, 2))
    if x.ndim != 2 or x.shape[1] != 2:
        raise ValueError(f"{name} must have shape (N, 2), got {x.shape}")
    return x

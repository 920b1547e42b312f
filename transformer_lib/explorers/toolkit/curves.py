"""Curves and Plane: numbers over one axis, and points that turn on a circle."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import plots
from .drawing import Drawing, Matrix

MOST_ROWS = 2048  # points of one curve


@dataclass(frozen=True, kw_only=True)
class Curves(Drawing):
    """One to eight curves over one axis, on scales that stay.

    Its array is (N, C): N points of C curves; NaN where a curve has none. Its sentence
    may hold {x}, the number on the axis; a place that is shared is a row.

    Attributes:
        x: N rising numbers, where the rows stand.
        series: C names, shown where the curves end.
        hues: a key of `plots.HUES` for each; by default one after another.
        looks: "line", "dots" or "both" for each; by default lines.
        limits: the ends of x and of y: what lies beyond is not seen.
        marks: rows to point out, each with a word.
        x_digits: decimals of x where it is read.
        wide, high: its size in em, its words included.
        room: characters that the names at the ends have room for.

    Raises:
        ValueError: these do not fit each other.
    """

    x: Sequence[float]
    series: Sequence[str]
    limits: tuple[tuple[float, float], tuple[float, float]]
    hues: Sequence[str] = ()
    looks: Sequence[str] = ()
    marks: Sequence[tuple[int, str]] = ()
    x_digits: int = 0
    wide: float = 38
    high: float = 15
    room: int = 12

    kind, shape = "curves", "lines"
    still = ("shape", "styles", "wide", "high", "room", "x_digits")
    moving = ("x", "series", "axes", "limits", "ticks", "marks")

    def __post_init__(self) -> None:
        if len(self.x) > MOST_ROWS:
            raise ValueError(f"x may be {MOST_ROWS} numbers, got {len(self.x)}")
        shape = len(self.x), len(self.series)
        x = np.asarray(self.x, dtype=np.float64)
        hues = plots.hues_for(self.hues, len(self.series))
        looks = self.looks or ["line"] * len(self.series)
        plots.check_curves(np.zeros(shape), x, self.series, hues, looks)
        object.__setattr__(self, "hues", hues)
        object.__setattr__(self, "looks", looks)
        if any(row not in range(len(x)) for row, _ in self.marks):
            raise ValueError(f"marks must be rows below {len(x)}, got {self.marks}")
        for low, high in self.limits:
            if not -np.inf < low < high < np.inf:
                raise ValueError(f"limits must be finite and rise, got {self.limits}")

    @property
    def styles(self) -> list[dict[str, Any]]:
        """What tells the curves apart."""
        names = "hue", "look", "dashes", "marker"
        each = zip(self.hues, self.looks, plots.DASHES, plots.MARKERS, strict=False)
        return [dict(zip(names, style, strict=True)) for style in each]

    @property
    def ticks(self) -> list[list[tuple[float, str]]]:
        """The round numbers on x and on y, each with its text."""
        scales = zip(self.limits, (8, 5), strict=True)
        return [[(t, plots.plain(t)) for t in plots.ticks(*scale)] for scale in scales]

    def about(self) -> str:
        """What x and y are."""
        return " · ".join(
            f"{a}: {n}" for a, n in zip("xy", self.axes, strict=True) if n
        )

    def table(self, arrays: Mapping[str, Matrix]) -> list[Sequence[str]]:
        """One line per row, one column per curve; a mark's word after its row."""
        words = {row: f" {word}" for row, word in self.marks}
        lines: list[Sequence[str]] = [[self.axes[0], *self.series]]
        for row, values in enumerate(arrays[self.name].tolist()):
            place = plots.number(self.x[row], self.x_digits) + words.get(row, "")
            said = ("–" if text == "NaN" else text for text in self.said(values))
            lines.append([place, *said])
        return lines


@dataclass(frozen=True, kw_only=True)
class Plane(Drawing):
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
    side: float = 22

    kind, shape, reach = "curves", "plane", plots.REACH
    still = ("shape", "reach", "hues", "side")
    moving = ("x", "axes", "arrows", "marks")

    def about(self) -> str:
        """What x and y are."""
        return f"x: {self.axes[0]} · y: {self.axes[1]}"

    def table(self, arrays: Mapping[str, Matrix]) -> list[Sequence[str]]:
        """One line per arrow: the points themselves stand in other drawings."""
        ends = zip(self.arrows, arrays[f"{self.name}.arrows"].tolist(), strict=True)
        return [["", *self.axes], *([name, *self.said(end)] for name, end in ends)]

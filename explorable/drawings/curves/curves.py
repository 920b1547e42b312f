"""Curves over one axis, on scales that stay."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import plots
from ...drawing import EM, Array, Drawing, StaticDrawing
from ...validation import require

MOST_ROWS = 2048  # points of one curve


@dataclass(frozen=True, kw_only=True)
class Curves(Drawing):
    """One to eight curves over one axis, on scales that stay.

    Its array is (N, C): N points of C curves; NaN where a curve has none. Its sentence
    may hold {x}, the number on the axis; a place that is shared is a row.

    Attributes:
        x: N rising numbers, where the rows stand.
        series: C names, of several shown where the curves end.
        hues: a key of `plots.HUES` for each; by default one after another.
        looks: "line", "dots" or "both" for each; by default lines.
        limits: the ends of x and of y: what lies beyond is not seen.
        marks: rows to point out, each with a word.
        doubling: x is read as 2 to its power: 0, 1, 2, … as 1, 2, 4, ….
        logarithmic: the scale of y is logarithmic, its ends and all numbers positive.
        wide, high: its least size in em, its words included: in the page it takes the
            room that others leave.
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
    doubling: bool = False
    logarithmic: bool = False
    wide: float = 34
    high: float = 15
    room: int = 12

    kind = "curves"
    shape = "lines"
    still = ("shape", "styles", "wide", "high", "room", "doubling", "logarithmic")
    moving = ("x", "series", "axes", "limits", "ticks", "marks")

    def __post_init__(self) -> None:
        N = len(self.x)
        most = f"be at most {MOST_ROWS} numbers"
        require(N <= MOST_ROWS, "x", most, N)
        x, count = np.asarray(self.x, dtype=np.float64), len(self.series)
        hues = plots.hues_for(self.hues, count)
        looks = self.looks or ["line"] * count
        plots.check_curves(np.zeros((N, count)), x, self.series, hues, looks)
        vars(self).update(hues=hues, looks=looks)  # for good: it is frozen
        there = all(row in range(N) for row, _ in self.marks)
        require(there, "marks", f"be rows below {N}", self.marks)
        rise = all(-np.inf < low < high < np.inf for low, high in self.limits)
        require(rise, "limits", "be finite and rise", self.limits)
        positive = self.limits[1][0] > 0 or not self.logarithmic
        require(positive, "limits", "be positive on a logarithmic y", self.limits)

    @property
    def styles(self) -> list[dict[str, Any]]:
        """What tells the curves apart."""
        names = "hue", "look", "dashes", "marker"
        each = zip(self.hues, self.looks, plots.DASHES, plots.MARKERS, strict=False)
        return [dict(zip(names, style, strict=True)) for style in each]

    @property
    def up(self) -> tuple[float, float]:
        """The ends of y as they are drawn: as powers of ten on a logarithmic scale."""
        low, high = self.limits[1]
        return (math.log10(low), math.log10(high)) if self.logarithmic else (low, high)

    @property
    def ticks(self) -> list[list[tuple[float, str]]]:
        """The round numbers on x and on y, each with its text."""
        across = plots.ticks(self.limits[0], 8, plots.are_whole(self.x))
        x = [(t, plots.plain(plots.as_read(t, self.doubling))) for t in across]
        y = plots.ticks(self.up, 5, self.logarithmic)
        if self.logarithmic:
            y = [10.0**power for power in y]
        return [x, [(t, plots.plain(t)) for t in y]]

    def about(self) -> str:
        """What x and y are."""
        named = zip("xy", self.axes, strict=True)
        return " · ".join(f"{axis}: {name}" for axis, name in named if name)

    def table(self, arrays: Mapping[str, Array]) -> list[Sequence[str]]:
        """One line per row, one column per curve; a mark's word after its row."""
        words = {row: f" {word}" for row, word in self.marks}
        lines: list[Sequence[str]] = [[self.axes[0], *self.series]]
        for row, values in enumerate(arrays[self.name].tolist()):
            x = plots.as_read(self.x[row], self.doubling)
            place = plots.number(x, 0) + words.get(row, "")
            said = ("–" if text == "NaN" else text for text in self.said(values))
            lines.append([place, *said])
        return lines

    def at_rest(self, arrays: Mapping[str, Array]) -> StaticDrawing:
        """The curves between their scales, each of several with its name at its end."""
        names = self.series if len(self.series) > 1 else ()
        right = 0.1 + 0.085 * self.room * bool(names)
        look: dict[str, Any] = {"x": self.x, "hues": self.hues, "looks": self.looks}
        look |= {"axes": self.axes, "marks": self.marks, "doubling": self.doubling}
        look["logarithmic"] = self.logarithmic

        def draw(area: plots.Area) -> None:
            plots.curves(arrays[self.name], names, **look, area=area)

        size = self.wide * EM - 0.75 - right, self.high * EM - 0.65
        ends = self.limits[0], self.up
        return StaticDrawing(self, size, ends, draw, (0.75, 0.15, right, 0.45))

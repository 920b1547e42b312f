"""Curves, points on a circle, bars and tiles, as their views draw them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import plots
from ...checks.validation import require
from .drawing import Drawing, Matrix

MOST_ROWS = 2048  # points of one curve
MOST_LABELS, ROOMY = 64, 24  # bars, and those up to which each has its number beside it


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
        doubling: x is read as 2 to its power: 0, 1, 2, … as 1, 2, 4, ….
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
    doubling: bool = False
    wide: float = 34
    high: float = 15
    room: int = 12

    kind, shape = "curves", "lines"
    still = ("shape", "styles", "wide", "high", "room", "doubling")
    moving = ("x", "series", "axes", "limits", "ticks", "marks")

    def __post_init__(self) -> None:
        N, most = len(self.x), f"be at most {MOST_ROWS} numbers"
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

    @property
    def styles(self) -> list[dict[str, Any]]:
        """What tells the curves apart."""
        names = "hue", "look", "dashes", "marker"
        each = zip(self.hues, self.looks, plots.DASHES, plots.MARKERS, strict=False)
        return [dict(zip(names, style, strict=True)) for style in each]

    @property
    def ticks(self) -> list[list[tuple[float, str]]]:
        """The round numbers on x and on y, each with its text."""
        across, up = (plots.ticks(*s) for s in zip(self.limits, (8, 5), strict=True))
        x = [(t, plots.plain(plots.as_read(t, self.doubling))) for t in across]
        return [x, [(t, plots.plain(t)) for t in up]]

    def about(self) -> str:
        """What x and y are."""
        named = zip("xy", self.axes, strict=True)
        return " · ".join(f"{axis}: {name}" for axis, name in named if name)

    def table(self, arrays: Mapping[str, Matrix]) -> list[Sequence[str]]:
        """One line per row, one column per curve; a mark's word after its row."""
        words = {row: f" {word}" for row, word in self.marks}
        lines: list[Sequence[str]] = [[self.axes[0], *self.series]]
        for row, values in enumerate(arrays[self.name].tolist()):
            x = plots.as_read(self.x[row], self.doubling)
            place = plots.number(x, 0) + words.get(row, "")
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
    side: float = 13

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


@dataclass(frozen=True, kw_only=True)
class Bars(Drawing):
    """One or several bars per label, around a zero line, on a scale that stays.

    Its array is (labels, series). The sentence may hold {label} and {series}.

    Attributes:
        labels: 1 to 64, from top to bottom.
        series: their names, at most 6; ("",) where there is but one.
        hues: a key of `plots.HUES` for each series; without it the palette for all.
        scale: the numbers at the left and right ends, 0 between them. What lies
            beyond ends in an arrow.
        measure: what the numbers are.
        guide: a number to compare with and its name, such as (0.5, "chance").

    Raises:
        ValueError: these do not fit each other, or there are over 64 labels.
    """

    labels: Sequence[str]
    series: Sequence[str] = ("",)
    hues: Sequence[str] = ()
    scale: tuple[float, float] = (0.0, 1.0)
    measure: str = ""
    guide: tuple[float, str] | tuple[()] = ()

    kind = "bars"
    still = ("count", "series", "hues", "measure", "roomy", "room")
    moving = ("labels", "scale", "ticks", "guide")

    def __post_init__(self) -> None:
        few = self.count <= MOST_LABELS
        require(few, "labels", f"be at most {MOST_LABELS}", self.count)
        vars(self)["hues"] = self.hues or (self.palette,) * len(self.series)
        x, guide = np.empty((self.count, len(self.series))), self.guide or None
        plots.check_bars(x, self.labels, self.series, self.hues, self.scale, guide)

    @property
    def count(self) -> int:
        """How many labels there are."""
        return len(self.labels)

    @property
    def roomy(self) -> bool:
        """Whether there is room for a number beside each bar."""
        return self.count * len(self.series) <= ROOMY

    @property
    def room(self) -> int:
        """Characters that the labels need, in fours: it seldom changes."""
        return min(16, 4 * -(-max(map(len, self.labels)) // 4) or 4)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """The scale's round numbers, each with its text."""
        return [(t, plots.plain(t)) for t in plots.ticks(self.scale)]

    def about(self) -> str:
        """What the numbers are."""
        return self.measure

    def table(self, arrays: Mapping[str, Matrix]) -> list[Sequence[str]]:
        """One line per label, one column per series."""
        head = [["", *self.series]] if any(self.series) else []
        lines = zip(self.labels, arrays[self.name], strict=True)
        return [*head, *([label, *self.said(row)] for label, row in lines)]


@dataclass(frozen=True, kw_only=True)
class Tiles(Drawing):
    """Tiles on a board; its array holds (x, y, shade) of each, in tiles and shades.

    Attributes:
        faces: what each tile says, above and below.
        sayings: for each tile, what is said when it is in view.
        marks: (x, y, text) of what stands beside the tiles.
        board: how many tiles wide and high the place for them is.
        corners: three places, where all of a mixture is one part: the reader may move a
            tile between them, and what it then is made of is put into its row of the
            input `sets`. So many parts as the row has in `totals` are shared out.
    """

    faces: Sequence[tuple[str, str]]
    sayings: Sequence[str]
    marks: Sequence[tuple[float, float, str]] = ()
    board: tuple[float, float]
    corners: Sequence[tuple[float, float]] = ()
    sets: str = ""
    totals: Sequence[float] = ()

    kind = "tiles"
    still = ("faces", "corners", "sets")
    moving = ("sayings", "marks", "board", "totals")

    def table(self, arrays: Mapping[str, Matrix]) -> list[Sequence[str]]:
        """The tiles as they lie, line by line, each as "above.below"."""
        places = arrays[self.name]
        lines: dict[float, list[tuple[float, str]]] = {}
        for (x, y, _), face in zip(places.tolist(), self.faces, strict=True):
            lines.setdefault(y, []).append((x, ".".join(filter(None, face))))
        rows = [[text for _, text in sorted(lines[y])] for y in sorted(lines)]
        longest = max(map(len, rows))
        return [["", *row, *[""] * (longest - len(row))] for row in rows]

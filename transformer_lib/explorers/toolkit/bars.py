"""Bars: one or several bars per label, as BarsView and its still twin draw them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ... import plots
from .drawing import Drawing, Matrix

MOST_LABELS = 64
ROOMY = 24  # bars up to which each has its number beside it


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
        if self.count > MOST_LABELS:
            raise ValueError(f"labels may be {MOST_LABELS}, got {self.count}")
        hues = self.hues or (self.palette,) * len(self.series)
        object.__setattr__(self, "hues", hues)
        named = self.labels, self.series, hues
        shape = self.count, len(self.series)
        plots.check_bars(np.empty(shape), *named, self.scale, self.guide or None)

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

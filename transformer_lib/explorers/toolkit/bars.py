"""Bars: one or several bars per label, as BarsView and its still twin draw them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

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
    guide: tuple[float, str] | None = None

    kind: ClassVar[str] = "bars"

    def __post_init__(self) -> None:
        if len(self.labels) > MOST_LABELS:
            raise ValueError(f"labels may be {MOST_LABELS}, got {len(self.labels)}")
        shape = len(self.labels), len(self.series)
        named = self.labels, self.series, self.colours()
        plots.check_bars(np.empty(shape), *named, self.scale, self.guide)

    def colours(self) -> Sequence[str]:
        """A key of `plots.HUES` for each series."""
        return self.hues or [self.palette] * len(self.series)

    def roomy(self) -> bool:
        """Whether there is room for a number beside each bar."""
        return len(self.labels) * len(self.series) <= ROOMY

    def frame(self) -> dict[str, Any]:
        """What stays: how many bars, whose, and how much room their words take."""
        longest = max(map(len, self.labels))
        return super().frame() | {
            "count": len(self.labels),
            "series": list(self.series),
            "hues": list(self.colours()),
            "measure": self.measure,
            "roomy": self.roomy(),
            "room": min(16, 4 * -(-longest // 4) or 4),  # in fours: it seldom changes
        }

    def live(self) -> dict[str, Any]:
        """What moves: the labels, the scale with its round numbers, the guide."""
        marks = [[t, plots.plain(t)] for t in plots.ticks(self.scale)]
        return super().live() | {
            "labels": list(self.labels),
            "scale": list(self.scale),
            "ticks": marks,
            "guide": list(self.guide) if self.guide else [],
        }

    def about(self) -> str:
        """What the numbers are."""
        return self.measure

    def table(self, arrays: Mapping[str, Matrix]) -> list[Sequence[str]]:
        """One line per label, one column per series."""
        values = arrays[self.name]
        head = [["", *self.series]] if any(self.series) else []
        lines = zip(self.labels, values, strict=True)
        texts = [
            [label, *(plots.number(x, self.digits) for x in row)]
            for label, row in lines
        ]
        return [*head, *texts]

"""Bars around a zero line, one or several per label."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import plots
from ...drawing import Array, Chooses, Drawing, StaticDrawing, choice_of, clickable
from ...validation import require

MOST_LABELS = 64
ROOMY = 24  # labels up to which each bar has its number beside it
WIDE = 17.0  # em of a scale: two fit side by side
LANE = 3.2 / 21  # inches of the scale at rest, to one em


@dataclass(frozen=True, kw_only=True)
class Bars(Drawing):
    """One or several bars per label, around a zero line, on a scale that stays.

    Its array is (labels, series). The sentence may hold {label} and {series}.

    Attributes:
        labels: 1 to 64, from top to bottom. What ends with a "✓" is bold,
            and nothing else is.
        series: their names, at most 6; ("",) where there is but one.
        hues: a key of `plots.HUES` for each series; without it the palette for all.
        scale: the numbers at its two ends, 0 between them. What lies
            beyond ends in an arrow.
        measure: what the numbers are.
        guide: a number to compare with and its name, such as (0.5, "chance").
        hidden: boolean, as the array: True where a bar says `masked_text`, no number.
        masked_text: what such a bar says.
        wide: em of the scale, at least: in the page it fills its panel.
        rest: whether the last label stands for all that have none of their own: it is
            gray, and not what is explained before any bar is pointed at.
        least: characters that labels have room for, 4 to 16, however short they are: so
            that others can take their place and nothing moves.
        faint: for each label, whether its bars are pale: what was not taken.
        ghosts: for each label, a number that its bar is compared with: a hollow bar
            around it, and before its own number, where they differ. For bars of one
            series to the right.
        opens: the label and the series of the bar that is explained first, by number;
            by default the longest to the right.
        dots: whether a label's numbers are dots on one line instead of bars: that of
            the first series a ring, of the last one full. A line joins the least and
            the greatest, which alone have their numbers beside them; `faint` is gray.
        blank_zeros: whether a number that is written as 0 is seen only while its bar is
            pointed at: of many small shares, those that are some are the point.
        chooses: (control, values) that a click on a label's bars sets, by label; None
            where it sets nothing.

    Raises:
        ValueError: these do not fit each other, or there are over 64 labels.
    """

    labels: Sequence[str]
    series: Sequence[str] = ("",)
    hues: Sequence[str] = ()
    scale: tuple[float, float] = (0.0, 1.0)
    measure: str = ""
    guide: tuple[float, str] | tuple[()] = ()
    hidden: NDArray[np.bool_] | None = None
    masked_text: str = "hidden"
    wide: float = WIDE
    rest: bool = False
    least: int = 4
    faint: Sequence[bool] = ()
    ghosts: Sequence[float] = ()
    opens: tuple[int, int] | tuple[()] = ()
    dots: bool = False
    blank_zeros: bool = False
    chooses: Chooses = None

    kind = "bars"
    still = (
        "count",
        "series",
        "hues",
        "fills",
        "measure",
        "roomy",
        "room",
        "wide",
        "rest",
        "dots",
        "blank_zeros",
    )
    moving = (
        "labels",
        "scale",
        "ticks",
        "guide",
        "masked_text",
        "clickable",
        "faint",
        "ghosts",
        "opens",
    )

    def __post_init__(self) -> None:
        few = self.count <= MOST_LABELS
        require(few, "labels", f"be at most {MOST_LABELS}", self.count)
        vars(self)["hues"] = self.hues or (self.palette,) * len(self.series)
        x = np.empty((self.count, len(self.series)))
        guide = self.guide or None
        plots.check_bars(x, self.labels, self.series, self.hues, self.scale, guide)

    def check(self, arrays: Mapping[str, Array]) -> None:
        """Raise unless what is hidden has the array's shape.

        Raises:
            ValueError: it has another one.
        """
        if self.hidden is not None:
            shape = arrays[self.name].shape
            wanted = f"have the array's shape {shape}"
            require(self.hidden.shape == shape, "hidden", wanted, self.hidden.shape)

    def choice(self, row: int, column: int) -> tuple[str, Any] | None:
        """Which control a click on a label's bars sets, and to what."""
        return choice_of(self.chooses, row)

    @property
    def clickable(self) -> list[bool]:
        """Which labels a click chooses."""
        return clickable(self.chooses)

    @property
    def count(self) -> int:
        """How many labels there are."""
        return len(self.labels)

    @property
    def fills(self) -> list[int]:
        """How each series is filled: see `plots.fills_for`."""
        return plots.fills_for(self.hues)

    @property
    def roomy(self) -> bool:
        """Whether there is room for a number beside each bar."""
        return self.lines <= ROOMY

    @property
    def lines(self) -> int:
        """How many bars there are, one below the other."""
        return self.count * (1 if self.dots else len(self.series))

    @property
    def room(self) -> int:
        """Characters that the labels need, in fours: it seldom changes."""
        longest = max(map(len, self.labels), default=0)
        return min(16, max(self.least, 4 * -(-longest // 4)))

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """The scale's round numbers, each with its text."""
        return [(t, plots.plain(t)) for t in plots.ticks(self.scale)]

    def about(self) -> str:
        """What the numbers are."""
        return self.measure

    def table(self, arrays: Mapping[str, Array]) -> list[Sequence[str]]:
        """One line per label, one column per series."""
        head = [["", *self.series]] if any(self.series) else []
        lines = zip(self.labels, self.texts(arrays[self.name]), strict=True)
        return [*head, *([label, *texts] for label, texts in lines)]

    def texts(self, values: Array) -> list[list[str]]:
        """What is written at each bar."""
        texts = [self.said(row) for row in values.tolist()]
        for row, n in np.argwhere(self.hidden) if self.hidden is not None else ():
            texts[row][n] = self.masked_text
        for line, before in zip(texts, self.ghosts, strict=False):
            if line[0] != (old := plots.number(before, self.digits)):
                line[0] = f"{old} → {line[0]}"
        return texts

    def at_rest(self, arrays: Mapping[str, Array]) -> StaticDrawing:
        """The bars in their lane, the labels at its left."""
        count = self.count
        digits = self.digits if self.roomy else None
        many = self.lines
        thick = 0.3 if self.dots else 0.24
        thick = thick if self.roomy else max(0.05, min(0.15, 8 / many))
        left = 0.1 + plots.room_at_left(self.labels, self.scale[0], self.dots) / 72
        above = plots.legend_height(self.series, LANE * self.wide)
        above += 0.15 if above and self.guide else 0.0  # whose name stands below it
        look: dict[str, Any] = {"hues": self.hues, "guide": self.guide or None}
        look |= {"scale": self.scale, "digits": digits}
        said = self.texts(arrays[self.name])
        if self.blank_zeros:
            said = [["" if plots.is_nothing(x) else x for x in row] for row in said]
        pale = [n for n, is_faint in enumerate(self.faint) if is_faint]
        look |= {"texts": said, "rest": self.rest, "ghosts": self.ghosts}
        if self.dots:
            look |= {"dots": True, "faint": pale}

        def draw(area: plots.Area) -> None:
            plots.bars(arrays[self.name], self.labels, self.series, **look, area=area)
            ends = arrays[self.name].clip(*self.scale).tolist()
            veils = [(0.0, n + 0.1, x, 0.8) for n in pale for x in ends[n]]
            if veils and not self.dots:
                area.boxes(veils, fc=plots.PAPER["light"], ec="none", alpha=0.75)

        ends = (self.scale, (count, 0))
        room = (left, above, 0.9, 0.25)
        size = LANE * self.wide, many * thick
        return StaticDrawing(self, size, ends, draw, room, self.measure)

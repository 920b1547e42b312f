"""Scales: round numbers along an axis, how they are written and drawn."""

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.ticker import MaxNLocator

from .area import Area, Ends
from .colors import QUIET, number
from .lettering import widest

RULE = "#DDDDDD"


def ticks(scale: Ends, most: int = 5, whole: bool = False) -> list[float]:
    """About `most` round numbers between the ends of a scale; if asked, whole ones."""
    low, high = scale
    locator = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10], integer=whole)
    found = locator.tick_values(low, high)
    slack = 1e-9 * (high - low)
    return [float(t) for t in found if low - slack <= t <= high + slack]


def rounded_up(most: float) -> float:
    """Return the end of a scale from 0: the positive `most`, or a rounder number."""
    power = 10.0 ** np.floor(np.log10(most))
    ends = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.5, 10.0)
    return float(next(x for x in ends if x * power >= most) * power)


def are_whole(x: Iterable[float]) -> bool:
    """Whether all of these are whole numbers, as steps and positions are."""
    return all(float(value).is_integer() for value in x)


def plain(value: float) -> str:
    """A number of the scale: with as many decimals as it has, at most 4."""
    text = number(value, 4)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def as_read(x: float, doubling: bool) -> float:
    """What a number on the scale is read as: itself, or 2 to its power."""
    return 2.0**x if doubling else x


def draw_scales(
    area: Area,
    x: Sequence[float],
    y: Sequence[float] = (),
    names: tuple[str, str] = ("", ""),
    rules: str = RULE,
    *,
    doubling: bool = False,
    logarithmic: bool = False,
) -> None:
    """Write round numbers below and on the left, a line at each, and the names.

    With `doubling` those below are read as 2 to their power; with `logarithmic` those
    on the left as 10 to theirs.
    """
    lines = [*map(area.upright, x), *map(area.across, y)]
    area.lines(lines, colors=rules, linewidths=0.8, zorder=0.5)
    foot = area.y[0]
    left = area.x[0]
    for t in x:
        area.word(
            plain(as_read(t, doubling)), t, foot, 8.5, color=QUIET, align=0.5, dy=-9
        )
    beside_y = [plain(10.0**t if logarithmic else t) for t in y]
    for t, text in zip(y, beside_y, strict=True):
        area.word(text, left, t, 8.5, color=QUIET, align=1.0, dx=-4)
    middles = (sum(area.x) / 2, sum(area.y) / 2)
    beside = widest(beside_y, 8.5) + 13
    name = {"color": QUIET, "align": 0.5}
    area.word(names[0], middles[0], foot, 9, dy=-24, **name)
    area.word(names[1], left, middles[1], 9, dx=-beside, angle=90, **name)

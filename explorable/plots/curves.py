"""Several curves over one axis: the static twin of CurvesView."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.transforms import Bbox, TransformedBbox
from numpy.typing import ArrayLike, NDArray

from .area import Area, new_axes
from .colors import HUES, INK, QUIET
from .lettering import short, warn_of_boxes
from .scales import are_whole, draw_scales, ticks

#: What tells the first, second, … curve apart besides its hue: its dashes, in parts of
#: an em as SVG writes them, and its marker, as matplotlib names it.
DASHES = ("", "7 3", "2 2.5", "10 3 2 3", "14 4", "5 2 1 2", "1 4", "16 3 4 3")
MARKERS = ("o", "x", "s", "^", "D", "v", "+", "*")
HUES_IN_TURN = ("query", "key", "value", "weights", "output", "position", "negative")
LOOKS = ("line", "dots", "both")
Array = NDArray[np.float64]


def curves(
    values: ArrayLike,
    series: Sequence[str] = (),
    *,
    x: Sequence[float] | None = None,
    hues: Sequence[str] = (),
    looks: Sequence[str] = (),
    axes: tuple[str, str] = ("", ""),
    limits: tuple[tuple[float, float], tuple[float, float]] | None = None,
    marks: Sequence[tuple[int, str]] = (),
    doubling: bool = False,
    logarithmic: bool = False,
    area: Area | None = None,
) -> Area:
    """Draw up to eight curves over one axis, each with its name at its end.

    Args:
        values: (N, C): N points of C curves; NaN where a curve has none.
        series: C names; by default none.
        x: N numbers, rising; by default 0, 1, ….
        hues: a key of HUES for each curve; by default one after another.
        looks: for each curve "line", "dots" or "both"; by default lines.
        axes: what x and y are.
        limits: the ends of x and of y; by default what the numbers need.
        marks: rows to point out, each with a word.
        doubling: what stands below x is 2 to its power.
        logarithmic: y's scale is, and the area's ends of y are powers of ten.
        area: where to draw, its ends being the limits; by default a new figure.

    Returns:
        the area.

    Raises:
        ValueError: values is no (N, C) matrix of at most 8 curves, or the rest does not
            fit it.
    """
    y = np.asarray(values, dtype=np.float64)
    y = np.log10(y) if logarithmic else y
    count = y.shape[-1] if y.ndim else 0
    names = list(series) or [""] * count
    colors = hues_for(hues, count)
    styles = list(looks) or ["line"] * count
    at = np.asarray(range(len(y)) if x is None else x, dtype=np.float64)
    check_curves(y, at, names, colors, styles)
    if area is None:
        warn_of_boxes([*names, *axes])
    area = area or Area(new_axes(6, 3), *(limits or (_spread(at), _spread(y))))
    across, up = ticks(area.x, 8, are_whole(at)), ticks(area.y, 5, logarithmic)
    draw_scales(area, across, up, axes, doubling=doubling, logarithmic=logarithmic)
    if area.y[0] < 0 < area.y[1]:
        area.lines([area.across(0)], colors=QUIET, linewidths=1)
    for n, (hue, look) in enumerate(zip(colors, styles, strict=True)):
        _draw_curve(area, at, y[:, n], n, HUES[hue], look)
    _draw_names(area, at, y, names, colors)
    for row, word in marks:
        area.lines([area.upright(at[row])], colors=INK, linewidths=1, linestyles=":")
        area.word(short(word), at[row], area.y[1], 9, align=0.5, dy=9)
    return area


def hues_for(given: Sequence[str], count: int) -> list[str]:
    """A key of HUES for each of `count` curves: those given, or one after another."""
    return list(given) or [HUES_IN_TURN[n % len(HUES_IN_TURN)] for n in range(count)]


def _spread(values: ArrayLike) -> tuple[float, float]:
    """The ends of a scale that holds these numbers; a single number gets room."""
    x = np.asarray(values, dtype=np.float64)
    x = x[np.isfinite(x)]
    low, high = (float(x.min()), float(x.max())) if x.size else (0.0, 1.0)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def check_curves(
    values: Array,
    x: Array,
    series: Sequence[str],
    hues: Sequence[str],
    looks: Sequence[str],
) -> None:
    """Refuse what cannot be drawn as curves.

    Raises:
        ValueError: see `curves`.
    """
    if values.ndim != 2 or not values.size:
        raise ValueError(f"values must be a matrix (N, C), got shape {values.shape}")
    count = values.shape[1]
    if count > len(DASHES):
        raise ValueError(f"curves may be {len(DASHES)} at most, got {count}")
    rising = np.isfinite(x).all() and (np.diff(x) > 0).all()
    if x.shape != values.shape[:1] or not rising:
        raise ValueError(f"x must be {len(values)} rising numbers, got {x.tolist()}")
    if len(series) != count:
        raise ValueError(f"series must be {count} names, got {list(series)}")
    if len(hues) != count or not set(hues) <= HUES.keys():
        raise ValueError(f"hues must be {count} of {sorted(HUES)}, got {list(hues)}")
    if len(looks) != count or not set(looks) <= set(LOOKS):
        raise ValueError(f"looks must be {count} of {LOOKS}, got {list(looks)}")


def apart(heights: Sequence[float], least: float) -> list[float]:
    """Move heights apart until neighbors differ by `least`, each as little as may be.

    The views do the same with the names at the curves' ends.
    """
    order = np.argsort(heights, kind="stable")
    placed = np.array(heights, dtype=np.float64)[order]
    for _ in range(60):
        for low, high in pairwise(range(len(placed))):
            missing = least - (placed[high] - placed[low])
            if missing > 1e-9:
                placed[low] -= missing / 2
                placed[high] += missing / 2
    result = np.empty_like(placed)
    result[order] = placed
    return [float(y) for y in result]


def _draw_curve(area: Area, x: Array, y: Array, n: int, color: str, look: str) -> None:
    """One curve: its line, its markers, or both, seen as far as the area's ends."""
    dashes = tuple(0.55 * float(d) for d in DASHES[n].split())
    lines = []
    if look != "dots":
        lines.append(Line2D(x, y, lw=2, ls=(0, dashes) if dashes else "-"))
    if look != "line":
        lines.append(Line2D(x, y, marker=MARKERS[n], ls="", ms=5, mew=1.4, mfc="none"))
    left, right = area.x
    low, high = area.y
    wide = 0.02 * (right - left)  # as much as a marker needs
    tall = 0.04 * (high - low)
    seen = Bbox([(left - wide, low - tall), (right + wide, high + tall)])
    for line in lines:
        line.set_color(color)
        area.add(line)
        line.set_clip_box(TransformedBbox(seen, area.to_page))
        line.set_clip_on(True)


def _draw_names(
    area: Area, x: Array, y: Array, names: Sequence[str], hues: Sequence[str]
) -> None:
    """Each curve's name where it ends, moved apart where ends meet."""
    last = [np.flatnonzero(np.isfinite(column))[-1:] for column in y.T]
    there = [n for n, rows in enumerate(last) if rows.size]
    left, right = area.x
    low, high = area.y
    ends = [min(max(y[last[n], n].item(), low), high) for n in there]
    places = np.array(apart(ends, 0.085 * (high - low)))
    places += max(0.0, low + 0.05 * (high - low) - places.min(initial=high))  # ticks
    for n, end, place in zip(there, ends, places, strict=True):
        if names[n]:
            tip = min(x[last[n]].item(), right)
            beside = tip + 0.025 * (right - left)
            ways = [((tip, end), (beside, place))]
            area.lines(ways, colors=HUES[hues[n]], linewidths=1)
            area.word(short(names[n]), beside, place, 9, dx=4)

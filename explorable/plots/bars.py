"""Bars around a zero line: the static twin of BarsView."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import ArrayLike, NDArray

from .area import Area, Ends, new_axes
from .colors import HUES, INK, PAPER, QUIET, is_nothing, number
from .lettering import families, short, warn_of_boxes, widest
from .matrices import EDGE
from .scales import draw_scales, ticks

#: How the bars of the first, second, … series of one hue are filled.
HATCHES = ("", "////", "|||", "....", "---", "xxx")
LONGEST = 16  # letters of a label, as in the page
LINE = 0.16  # inches of a line of the legend
HALF = 0.4  # of the hue, in a dot between a ring and a full one
BESIDE = 6.0  # points between what is written and a bar, or the scale
NUMBER = 32.0  # points of a number at the left of a bar, or of the first dot


def bars(
    values: ArrayLike,
    labels: Sequence[str],
    series: Sequence[str] = ("",),
    *,
    hues: Sequence[str] = ("weights",),
    scale: Ends = (0.0, 1.0),
    guide: tuple[float, str] | None = None,
    digits: int | None = 2,
    texts: Sequence[Sequence[str]] = (),
    rest: bool = False,
    ghosts: Sequence[float] = (),
    dots: bool = False,
    faint: Sequence[int] = (),
    area: Area | None = None,
) -> Area:
    """Draw one or several bars per label, to the right of zero or to its left.

    Args:
        values: (N, S): N labels, S series. What lies off the scale ends in an arrow.
        labels: N, from top to bottom.
        series: S names, at most 6; ("",) where there is but one. A legend above the
            bars says which is whose, where there are several.
        hues: a key of HUES for each series.
        scale: the numbers at its two ends; 0 lies between them.
        guide: a number to compare with, and its name: a dashed line.
        digits: decimals of the numbers at the bars; None for no numbers.
        texts: what is written at each bar instead of its number.
        rest: whether the last label stands for all others: its bars are gray.
        ghosts: for each label, a number that its bar is compared with: a hollow bar.
        dots: whether a label's numbers are dots on one line, from a ring to a full one,
            in the first hue; their least and their greatest are written.
        faint: the labels whose dots are gray, by number.
        area: where to draw: x is the scale, label n lies from y = n to n + 1. By
            default a new figure.

    Returns:
        the area.

    Raises:
        ValueError: values is no (N, S) matrix, a hue is unknown or missing, there are
            over 6 series, 0 or the guide is not on the scale, or there is no bar.
    """
    x = np.asarray(values, dtype=np.float64)
    check_bars(x, labels, series, hues, scale, guide)
    if area is None:
        warn_of_boxes([*labels, *series])
    area = area or Area(new_axes(5.5, 0.8 + 0.24 * x.size), scale, (len(labels), 0))
    draw_scales(area, ticks(area.x))
    area.lines([area.upright(0)], colors=INK, linewidths=1.2)
    looks = [_look(*look) for look in zip(hues, fills_for(hues), strict=True)]
    said = texts or [[number(v, digits or 0) for v in row] for row in x.tolist()]
    said = said if digits is not None else ()
    handles: list[Any] = [Patch(**look) for look in looks]
    if dots:
        colors = [HUES["reference" if n in faint else hues[0]] for n in range(len(x))]
        _draw_dots(area, x, colors, said)
        handles = [_dot(n, len(series), HUES[hues[0]]) for n in range(len(series))]
    else:
        for n, look in enumerate(looks):
            _draw_series(area, x[:, n], n, len(series), look, rest)
        pairs = enumerate(zip(ghosts, x[:, 0].tolist(), strict=False))
        hollow = [(0.0, n + 0.06, old, 0.88) for n, (old, new) in pairs if old != new]
        if hollow:
            area.boxes(hollow, fc="none", ec=INK, lw=1, ls=(0, (3, 2)))
        tips = np.maximum(x, np.transpose([ghosts])) if len(ghosts) else x
        _write_numbers(area, tips, said)
    _write_labels(area, labels, NUMBER * (dots or area.x[0] < 0))
    if len(series) > 1:
        _draw_legend(area, series, handles, above=guide is not None)
    if guide is not None:
        dashed = {"colors": INK, "linewidths": 1.2, "linestyles": "--"}
        area.lines([area.upright(guide[0])], **dashed)
        area.word(short(guide[1]), guide[0], 0, 8, align=0.5, dy=8)
    return area


def check_bars(
    values: NDArray[np.float64],
    labels: Sequence[str],
    series: Sequence[str],
    hues: Sequence[str],
    scale: Ends,
    guide: tuple[float, str] | None,
) -> None:
    """Refuse what cannot be drawn as bars.

    Raises:
        ValueError: see `bars`.
    """
    wanted = (len(labels), len(series))
    if 0 in wanted:
        raise ValueError(f"there must be a label and a series, got {wanted} of them")
    if values.shape != wanted:
        raise ValueError(f"values must have shape {wanted}, got {values.shape}")
    if len(series) > len(HATCHES):
        raise ValueError(f"series must be at most {len(HATCHES)}, got {len(series)}")
    if len(hues) != len(series) or not set(hues) <= HUES.keys():
        raise ValueError(
            f"hues must be {len(series)} of {sorted(HUES)}, got {list(hues)}"
        )
    low, high = scale
    if not -np.inf < low <= 0 <= high < np.inf or low == high:
        raise ValueError(f"scale must be finite, with 0 on it, got {scale}")
    if guide is not None and not low <= guide[0] <= high:
        raise ValueError(f"guide must lie on the scale {scale}, got {guide[0]}")


def fills_for(hues: Sequence[str]) -> list[int]:
    """Which of HATCHES each series has: hues tell apart, hatches those of one hue."""
    return [list(hues[:n]).count(hue) for n, hue in enumerate(hues)]


def room_at_left(
    labels: Sequence[str], least: float = 0.0, dots: bool = False
) -> float:
    """Points that labels take left of a scale that begins with the number `least`."""
    return BESIDE + widest(labels, 10, LONGEST) + 8.0 + NUMBER * (dots or least < 0)


def legend_height(series: Sequence[str], wide: float) -> float:
    """Inches that the legend takes above bars of so many inches."""
    return LINE * -(-len(series) // _in_a_line(series, wide)) if len(series) > 1 else 0


def _in_a_line(series: Sequence[str], wide: float) -> int:
    """How many series the legend names in a line of so many inches."""
    each = (widest([short(name) for name in series], 8) + 38) / 72
    return max(1, min(len(series), int(wide / each)))


def _draw_series(
    area: Area,
    x: NDArray[np.float64],
    n: int,
    count: int,
    look: dict[str, Any],
    rest: bool,
) -> None:
    """The bars of series n of `count`, and an arrow where one leaves the scale."""
    thick = 0.72 / count
    y = np.arange(len(x)) + 0.1 + 0.8 * (n + 0.5) / count
    ends = np.clip(np.nan_to_num(x, nan=0.0), *area.x)
    boxes = np.stack([0 * y, y - thick / 2, ends, 0 * y + thick], axis=1)
    own = len(x) - rest
    area.boxes(boxes[:own], **look)
    if rest:
        area.boxes(boxes[own:], **look | {"facecolor": EDGE})
    for beyond, marker in ((x > ends, ">"), (x < ends, "<")):
        area.line(ends[beyond], y[beyond], marker=marker, color=INK, ms=5, ls="")


def _draw_dots(
    area: Area,
    x: NDArray[np.float64],
    colors: Sequence[str],
    said: Sequence[Sequence[str]],
) -> None:
    """The dots of each label on their line, and the numbers at its two ends."""
    count = x.shape[1]
    for row, color in enumerate(colors):
        there = np.flatnonzero(np.isfinite(x[row]))
        if not there.size:
            continue
        y, ends = row + 0.5, np.clip(x[row], *area.x)
        least = there[x[row, there].argmin()]
        most = there[::-1][x[row, there[::-1]].argmax()]
        area.line(ends[[least, most]], [y, y], color=color, lw=2, alpha=0.6)
        for n in there.tolist():
            dot = _dot(n, count, color)
            dot.set_data([ends[n]], [y])
            area.add(dot)
        if said:
            area.word(said[row][most], ends[most], y, 8.5, dx=BESIDE + 4)
        if said and said[row][least] != said[row][most]:
            area.word(said[row][least], ends[least], y, 8.5, dx=-BESIDE - 4, align=1)


def _dot(n: int, count: int, color: str) -> Line2D:
    """The dot of series n of `count`: a ring, pale, or full for the last."""
    share = 1.0 if n == count - 1 else HALF if n else 0.0
    paper, full = to_rgb(PAPER["light"]), to_rgb(color)
    fill = [p + share * (c - p) for p, c in zip(paper, full, strict=True)]
    look: dict[str, Any] = {"mec": color, "mfc": fill, "mew": 1.6, "zorder": 3}
    return Line2D([], [], marker="o", ls="", ms=9 if share == 0 else 7, **look)


def _look(hue: str, fill: int) -> dict[str, Any]:
    """How the bars of a series are filled; what others are compared with is hollow."""
    if hue == "reference":
        hollow = {"facecolor": PAPER["light"], "edgecolor": QUIET, "linewidth": 0.9}
        return hollow | {"hatch": HATCHES[fill]}
    style = {"facecolor": HUES[hue], "edgecolor": INK, "linewidth": 0.6}
    return style | {"hatch": HATCHES[fill]}


def _write_labels(area: Area, labels: Sequence[str], before: float) -> None:
    """The labels, so many points before the scale."""
    left = area.x[0]
    for n in range(0, len(labels), -(-len(labels) // 32)):
        text = short(labels[n], LONGEST)
        area.word(text, left, n + 0.5, align=1, dx=-BESIDE - before)


def _write_numbers(
    area: Area, values: NDArray[np.float64], said: Sequence[Sequence[str]]
) -> None:
    """What is said past the end of each bar, if anything."""
    left, right = area.x
    for (row, n), value in np.ndenumerate(values) if said else ():
        y = row + 0.1 + 0.8 * (n + 0.5) / values.shape[1]
        tip = float(np.clip(np.nan_to_num(value, nan=0.0), left, right))
        color = QUIET if is_nothing(said[row][n]) else INK
        side = {"align": 1, "dx": -BESIDE} if tip < 0 else {"dx": BESIDE}
        area.word(said[row][n], tip, y, 8.5, color=color, **side)


def _draw_legend(
    area: Area, series: Sequence[str], handles: Sequence[Any], above: bool
) -> None:
    """Name the series above the bars, or above what stands there."""
    where = {"bbox_to_anchor": (area.x[0], 0), "bbox_transform": area.to_page}
    style: dict[str, Any] = {"fontsize": 8, "frameon": False, "columnspacing": 1.5}
    style |= {"borderaxespad": 1.8 if above else 0.2, "borderpad": 0.2}
    style |= {"labelspacing": 0.3, "ncols": len(series)}
    if isinstance(area.on, Figure):
        left, right = area.to_page.transform([(x, 0) for x in area.x])[:, 0]
        style["ncols"] = _in_a_line(series, (right - left) / area.on.dpi)
    names = [short(name) for name in series]
    legend = area.on.legend(handles, names, loc="lower left", **where, **style)
    for text in legend.get_texts():
        text.set(parse_math=False, fontfamily=families(text.get_text()))

"""Several curves over one axis: the static twin of CurvesView."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox, TransformedBbox
from numpy.typing import ArrayLike, NDArray

from .colours import HUES, INK, QUIET
from .given import new_axes, short
from .scales import plain, ticks

#: What tells the first, second, … curve apart besides its hue: its dashes, in parts of
#: an em as SVG writes them, and its marker, as matplotlib names it.
DASHES = ("", "7 3", "2 2.5", "10 3 2 3", "14 4", "5 2 1 2", "1 4", "16 3 4 3")
MARKERS = ("o", "x", "s", "^", "D", "v", "+", "*")
HUES_IN_TURN = ("query", "key", "value", "weights", "output", "position", "negative")
LOOKS = ("line", "dots", "both")
RULE = "#DDDDDD"
Matrix = NDArray[np.float64]


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
    ax: Axes | None = None,
) -> Axes:
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
        ax: where to draw; by default a new figure.

    Returns:
        the Axes.

    Raises:
        ValueError: values is no (N, C) matrix of at most 8 curves, or the rest does not
            fit it.
    """
    y = np.asarray(values, dtype=np.float64)
    count = y.shape[-1] if y.ndim else 0
    names = list(series) or [""] * count
    colours, styles = hues_for(hues, count), list(looks) or ["line"] * count
    at = np.asarray(range(len(y)) if x is None else x, dtype=np.float64)
    check_curves(y, at, names, colours, styles)
    ends = limits or (_spread(at), _spread(y))
    if ax is None:
        ax = new_axes(6, 3)
    _draw_frame(ax, axes, ends)
    for n in range(count):
        _draw_curve(ax, at, y[:, n], n, colours[n], styles[n])
    _draw_names(ax, at, y, names, colours, ends[1])
    for row, word in marks:
        _draw_mark(ax, at[row], word)
    return ax


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
    values: Matrix,
    x: Matrix,
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
    """Move heights apart until neighbours differ by `least`, each as little as may be.

    The views do the same with the names at the curves' ends.
    """
    order = np.argsort(heights, kind="stable")
    placed = np.array(heights, dtype=np.float64)[order]
    for _ in range(60):
        for low, high in pairwise(range(len(placed))):
            short = least - (placed[high] - placed[low])
            if short > 1e-9:
                placed[low] -= short / 2
                placed[high] += short / 2
    result = np.empty_like(placed)
    result[order] = placed
    return [float(y) for y in result]


def _draw_frame(
    ax: Axes,
    axes: tuple[str, str],
    ends: tuple[tuple[float, float], tuple[float, float]],
) -> None:
    """Round numbers along both axes, their names, and a line at zero."""
    for scale, put, most in zip(
        ends, (ax.set_xticks, ax.set_yticks), (8, 5), strict=True
    ):
        put(ticks(scale, most), map(plain, ticks(scale, most)))
    ax.set(xlim=ends[0], ylim=ends[1], axisbelow=True)
    ax.set_xlabel(axes[0], size=9, color=QUIET, parse_math=False)
    ax.set_ylabel(axes[1], size=9, color=QUIET, parse_math=False)
    ax.tick_params(length=0, labelsize=8.5, colors=QUIET)
    ax.grid(color=RULE, lw=0.8)
    if ends[1][0] < 0 < ends[1][1]:
        ax.axhline(0, color=QUIET, lw=1)
    ax.spines[:].set_visible(False)


def _draw_curve(ax: Axes, x: Matrix, y: Matrix, n: int, hue: str, look: str) -> None:
    """One curve: its line, its markers, or both."""
    dashes = tuple(0.55 * float(d) for d in DASHES[n].split())
    drawn = []
    if look != "dots":
        drawn += ax.plot(x, y, lw=2, ls=(0, dashes) if dashes else "-")
    if look != "line":
        drawn += ax.plot(x, y, MARKERS[n], ms=5, mew=1.4, mfc="none")
    for line in drawn:
        line.set_color(HUES[hue])
        line.set_clip_box(_frame(ax))


def _frame(ax: Axes) -> TransformedBbox:
    """Where curves are seen: the Axes, and as much around as a marker needs."""
    return TransformedBbox(Bbox([(-0.02, -0.04), (1.02, 1.04)]), ax.transAxes)


def _draw_names(
    ax: Axes,
    x: Matrix,
    y: Matrix,
    names: Sequence[str],
    hues: Sequence[str],
    scale: tuple[float, float],
) -> None:
    """Each curve's name where it ends, moved apart where ends meet."""
    last = [_last(y[:, n]) for n in range(len(names))]
    there = [n for n, row in enumerate(last) if row is not None]
    ends = [float(y[last[n], n].clip(*scale)) for n in there]
    places = apart(ends, 0.085 * (scale[1] - scale[0]))
    for n, end, place in zip(there, ends, places, strict=True):
        if not names[n]:
            continue
        line = {"arrowstyle": "-", "color": HUES[hues[n]], "lw": 1}
        ax.annotate(
            short(names[n]),
            (float(x[last[n]]), end),
            (1.03, place),
            textcoords=("axes fraction", "data"),
            arrowprops=line,
            va="center",
            size=9,
            parse_math=False,
            annotation_clip=False,
        )


def _last(column: Matrix) -> int | None:
    rows = np.flatnonzero(np.isfinite(column))
    return int(rows[-1]) if rows.size else None


def _draw_mark(ax: Axes, x: float, word: str) -> None:
    """A row that is pointed out: a thin line with a word above."""
    ax.axvline(x, color=INK, lw=1, ls=(0, (1, 2)))
    place: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "ha": "center"}
    ax.annotate(short(word), (x, 1.02), size=9, parse_math=False, **place)

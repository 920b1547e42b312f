"""Bars around a zero line: the static twin of BarsView."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from .colours import HUES, INK, QUIET, number
from .given import new_axes, short
from .scales import plain, ticks

#: How the bars of the first, second, … series are filled, besides their hue.
HATCHES = ("", "////", "|||", "....", "---", "xxx")


def bars(
    values: ArrayLike,
    labels: Sequence[str],
    series: Sequence[str] = ("",),
    *,
    hues: Sequence[str] = ("weights",),
    scale: tuple[float, float] = (0.0, 1.0),
    guide: tuple[float, str] | None = None,
    digits: int | None = 2,
    ax: Axes | None = None,
) -> Axes:
    """Draw one or several bars per label, to the right of zero or to its left.

    Args:
        values: (N, S): N labels, S series. What lies off the scale ends in an arrow.
        labels: N, from top to bottom.
        series: S names, at most 6; ("",) where there is but one.
        hues: a key of HUES for each series.
        scale: the numbers at the left and right ends; 0 lies between them.
        guide: a number to compare with, and its name: a dashed line.
        digits: decimals of the numbers at the bars; None for no numbers.
        ax: where to draw; by default a new figure.

    Returns:
        the Axes.

    Raises:
        ValueError: values is no (N, S) matrix, a hue is unknown or missing, there are
            over 6 series, 0 or the guide is not on the scale, or there is no bar.
    """
    x = np.asarray(values, dtype=np.float64)
    check_bars(x, labels, series, hues, scale, guide)
    if ax is None:
        ax = new_axes(5.5, 0.8 + 0.24 * x.size)
    for (row, n), value in np.ndenumerate(x):
        y = row + 0.1 + 0.8 * (n + 0.5) / len(series)
        _bar(ax, (y, 0.72 / len(series)), value, hues[n], HATCHES[n], scale)
        if digits is not None:
            _write(ax, y, value, digits, series[n], scale)
    _draw_scale(ax, labels, scale)
    if digits is None and any(series):
        _draw_legend(ax, series)
    if guide is not None:
        _draw_guide(ax, *guide)
    return ax


def check_bars(
    values: NDArray[np.float64],
    labels: Sequence[str],
    series: Sequence[str],
    hues: Sequence[str],
    scale: tuple[float, float],
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


def _bar(
    ax: Axes,
    place: tuple[float, float],
    value: float,
    hue: str,
    hatch: str,
    scale: tuple[float, float],
) -> None:
    """One bar from zero to its value, or to the end of the scale and an arrow.

    Its place is where its middle is, and how thick it is.
    """
    y, thick = place
    end = 0.0 if np.isnan(value) else float(np.clip(value, *scale))
    style: dict[str, Any] = {"edgecolor": INK, "linewidth": 0.6, "hatch": hatch}
    ax.barh(y, end, thick, color=HUES[hue], **style)
    if end != value and not np.isnan(value):
        ax.plot(end, y, ">" if value > 0 else "<", color=INK, ms=5, clip_on=False)


def _write(
    ax: Axes,
    y: float,
    value: float,
    digits: int,
    name: str,
    scale: tuple[float, float],
) -> None:
    """A bar's number at its end, and the name of its series left of the scale."""
    left = value < 0
    end = 0.0 if np.isnan(value) else float(np.clip(value, *scale))
    style: dict[str, Any] = {"va": "center", "size": 8.5, "parse_math": False}
    across: dict[str, Any] = {"textcoords": "offset points", "annotation_clip": False}
    text, side = number(value, digits), "right" if left else "left"
    ax.annotate(text, (end, y), (-6 if left else 6, 0), ha=side, **style, **across)
    if name:
        place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "color": QUIET}
        away = -44 if scale[0] < 0 else -6  # leaves room for a number below zero
        ax.annotate(
            short(name), (0, y), (away, 0), ha="right", **place, **style, **across
        )


def _draw_scale(ax: Axes, labels: Sequence[str], scale: tuple[float, float]) -> None:
    """The labels at the left, round numbers below, and a line at zero."""
    every = -(-len(labels) // 32)
    ax.set_yticks(np.arange(0, len(labels), every) + 0.5, map(short, labels[::every]))
    ax.set_xticks(ticks(scale), map(plain, ticks(scale)))
    for label in ax.get_yticklabels():
        label.set_parse_math(False)
    ax.tick_params(length=0, labelsize=8.5, colors=QUIET)
    ax.tick_params(axis="y", labelsize=10, labelcolor=INK)
    ax.set(xlim=scale, ylim=(len(labels), 0), axisbelow=True)
    ax.grid(axis="x", color="#DDDDDD", lw=0.8)
    ax.axvline(0, color=INK, lw=1.2)
    ax.spines[:].set_visible(False)


def _draw_legend(ax: Axes, series: Sequence[str]) -> None:
    """Name the series above the bars, where no numbers stand at them."""
    first = ax.containers[: len(series)]
    where: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1)}
    ax.legend(first, map(short, series), ncols=6, fontsize=8, frameon=False, **where)


def _draw_guide(ax: Axes, at: float, name: str) -> None:
    """Draw the number that the bars are compared with, and its name above it."""
    ax.axvline(at, color=INK, lw=1.2, ls="--")
    place: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "ha": "center"}
    ax.annotate(short(name), (at, 1.01), size=8, parse_math=False, **place)

"""A matrix as a heat map: the static twin of MatrixView."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from numpy.typing import ArrayLike, NDArray

from .area import Area, new_axes, rectangles
from .colors import HUES, QUIET, is_nothing, number, shade, steps_of
from .lettering import (
    drawable,
    families,
    short,
    shortened,
    warn_of_boxes,
    widest,
    width,
)

EDGE = "#C8C8C8"
MASKED = "#E6E6E6"
HATCH = "#8C8C8C"
FLAG = "#B3261E"
MOST_LABELS = 16  # along a side
Array = NDArray[np.float64]


def matrix(
    values: ArrayLike,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    *,
    palette: str = "weights",
    hidden: ArrayLike | None = None,
    digits: int = 2,
    ax: Axes | None = None,
) -> Axes:
    """Draw a matrix as a heat map with every number printed.

    Args:
        values: (R, C), finite.
        rows: R labels; by default 1 … R.
        columns: C labels; by default 1 … C.
        palette: a key of HUES. "weights" colors 0 to 1, "scores" and "position"
            diverge around 0 and the others show magnitude, the largest in full.
        hidden: boolean (R, C), True where a cell is masked: drawn gray and hatched.
        digits: decimals of the numbers.
        ax: where to draw; by default a new figure.

    Returns:
        the Axes.

    Raises:
        ValueError: values is no finite (R, C) matrix, a label is missing, the palette
            is unknown, or hidden has another shape.
    """
    x = _checked(values, palette)
    r, c = x.shape
    names = labels_or_numbers(rows, r, "rows"), labels_or_numbers(columns, c, "columns")
    masked = mask_or_none(hidden, x.shape)
    left = max(1.2, 0.8 + widest(names[0], 10) / 72)
    ax = ax or new_axes(left + 0.62 * c, 0.7 + 0.62 * r)
    vmax = 1.0 if palette == "weights" else float(np.abs(x).max())
    numbers = [
        ["" if off else number(value, digits) for value, off in zip(*line, strict=True)]
        for line in zip(x.tolist(), masked, strict=True)
    ]
    look: dict[str, Any] = {"palette": palette, "vmax": vmax, "hidden": masked}
    size = 10 if c <= 7 else 8
    draw_cells(Area(ax, (0, c), (r, 0)), x, texts=numbers, size=size, **look)
    _tick_labels(ax, *names)
    ax.set_aspect("equal")
    if palette in ("weights", "scores"):
        ax.set(ylabel="query ↓", xlabel="key →")
    return ax


def matrices(
    drawn: Mapping[str, tuple[ArrayLike, Sequence[str], Sequence[str]]],
) -> Sequence[Axes]:
    """Draw matrices of weights side by side; what is exactly 0 is masked, and hatched.

    Args:
        drawn: of each matrix its title, its values (R, C), R labels and C labels.

    Returns:
        the Axes, one for each.

    Raises:
        ValueError: there is no matrix, or `matrix` refuses one.
    """
    if not drawn:
        raise ValueError("drawn must hold a matrix, got none")
    shapes = [np.atleast_2d(values).shape for values, _, _ in drawn.values()]
    wide = [1.6 + 0.5 * shape[1] for shape in shapes]
    high = 1.2 + 0.5 * max(shape[0] for shape in shapes)
    figure = new_axes(sum(wide), high).figure
    figure.clear()
    axes = figure.subplots(1, len(drawn), width_ratios=wide, squeeze=False)[0]
    for ax, (title, (values, rows, columns)) in zip(axes, drawn.items(), strict=True):
        matrix(values, rows, columns, hidden=np.asarray(values) == 0, ax=ax)
        ax.set_title(title)
    return list(axes)


def draw_cells(
    area: Area,
    values: Array,
    *,
    hidden: NDArray[np.bool_],
    palette: str,
    vmax: float,
    flagged: NDArray[np.bool_] | None = None,
    texts: Sequence[Sequence[str]] = (),
    size: float = 10,
) -> None:
    """Fill the area with one colored square per value, and write the texts, if any.

    Column c of row r lies from (c, r) to (c + 1, r + 1). A masked cell is hatched, a
    flagged one red. The texts are drawn smaller than `size` where one of them would
    be too wide.
    """
    keys = 2 * steps_of(values, vmax) + (values < 0)
    if flagged is not None:
        keys[flagged] = -2
    keys[hidden] = -1
    inks = {-1: "#000000"}
    fills = []
    squares = []
    for key in np.unique(keys[~hidden]).tolist():
        hue = "negative" if key % 2 else palette
        fill, inks[key] = shade(hue, key // 2) if key >= 0 else (FLAG, "#FFFFFF")
        fills.append(fill)
        squares.append(rectangles(_squares(keys == key)))
    edges: dict[str, Any] = {"edgecolors": EDGE, "linewidths": 0.72, "snap": True}
    area.add(PathCollection(squares, facecolors=fills, **edges))
    if hidden.any():
        area.boxes(_squares(hidden), fc=MASKED, ec=HATCH, hatch="////", lw=0)
    wide = max((width(drawable(text)) for line in texts for text in line), default=0.0)
    for (r, c), key in np.ndenumerate(keys) if wide else ():
        text = drawable(texts[r][c])
        ink = QUIET if is_nothing(text) and key >= 0 else inks[int(key)]
        room = 0.9 * width(text) / wide
        paper = MASKED if hidden[r, c] else ""
        style: dict[str, Any] = {"align": 0.5, "room": room, "paper": paper}
        area.word(text, c + 0.5, r + 0.5, size, color=ink, **style)


def _squares(which: NDArray[np.bool_]) -> Array:
    """The squares (N, 4) of the cells that are True."""
    places = np.argwhere(which)[:, ::-1]
    return np.concatenate([places, np.ones_like(places)], axis=1)


class Labels(NamedTuple):
    """How a matrix is labeled, and the inches that this needs around its cells."""

    size: float
    every: int
    angle: float
    room: float
    left: float
    above: float
    right: float


def thumbnail(
    area: Area, light: NDArray[np.float64], box: tuple[float, float, float, float]
) -> None:
    """Draw a picture (rows, 3 columns) of light, 0 to 1, in a box x, y, wide, high."""
    x, y, wide, high = box
    rows, columns = light.shape[0], light.shape[1] // 3
    across, down = wide / columns, high / rows
    for (r, c), _ in np.ndenumerate(light[:, :columns]):
        color = light[r, 3 * c : 3 * c + 3].clip(0, 1).tolist()
        cell = x + c * across, y + r * down, across, down
        area.boxes([cell], fc=color, ec=color, lw=0)


def plan_labels(
    rows: Sequence[str], columns: Sequence[str], cell: tuple[float, float]
) -> Labels:
    """Find how labels fit: columns' labels flat, upright over tiny cells, or slanted.

    Args:
        rows: their labels.
        columns: theirs; at most 16 a side are written.
        cell: inches across and down.
    """
    size = 8 if cell[0] < 0.3 else 10
    every = -(-len(columns) // MOST_LABELS)
    pitch = 72 * cell[0] * every
    high = 1.2 * size
    wide = widest(columns[::every], size)
    angle = 0
    room = 99.0
    right = 0.0
    if wide > pitch - 3 and cell[0] < 0.3:
        angle = 90
        high = wide
    elif wide > pitch - 3 and len(columns) > 3:
        angle = 35
        high = 0.57 * wide + size
        right = max(0.0, 0.82 * wide - pitch / 2)
    elif wide > pitch - 3:
        room = pitch - 3
    left = widest(rows, size)
    return Labels(size, every, angle, room, left / 72, high / 72, right / 72)


def draw_labels(
    area: Area, rows: Sequence[str], columns: Sequence[str], plan: Labels
) -> None:
    """Label rows on the left and columns at the top, at most 16 a side."""
    size = plan.size
    every = -(-len(rows) // MOST_LABELS)
    for r in range(0, len(rows), every):
        area.word(short(rows[r]), 0, r + 0.5, size, align=1, dx=-4)
    style: dict[str, Any] = {"align": 0.0 if plan.angle else 0.5, "angle": plan.angle}
    style |= {"dy": 4, "middle": plan.angle == 90}
    for c in range(0, len(columns), plan.every):
        text = shortened(short(columns[c]), plan.room, size)
        area.word(text, c + 0.5, 0, size, **style)


def _tick_labels(ax: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Label an Axes by ticks, so that its title and its names keep clear of them."""
    warn_of_boxes([*rows, *columns])
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    for ticks, labels in ((ax.set_xticks, columns), (ax.set_yticks, rows)):
        every = -(-len(labels) // MOST_LABELS)
        places = np.arange(0, len(labels), every) + 0.5
        ticks(places, [short(label) for label in labels[::every]])
    for label in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        label.set(parse_math=False, fontfamily=families(label.get_text()))
    if len(columns) > 3 and widest(columns, 1) > 4:
        for label in ax.get_xticklabels():
            label.set(rotation=35, ha="left", rotation_mode="anchor")


def _checked(values: ArrayLike, palette: str) -> Array:
    if palette not in HUES:
        raise ValueError(f"palette must be one of {sorted(HUES)}, got {palette!r}")
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 2 or 0 in x.shape:
        raise ValueError(f"values must be a matrix (R, C), got shape {x.shape}")
    if not np.isfinite(x).all():
        raise ValueError(f"values must be finite, got {x[~np.isfinite(x)][0]}")
    return x


def labels_or_numbers(given: Sequence[str] | None, count: int, name: str) -> list[str]:
    """The labels, by default 1, 2, …; ValueError unless there are `count` of them."""
    labels = [str(n + 1) for n in range(count)] if given is None else list(given)
    if len(labels) != count:
        raise ValueError(f"{name} must hold {count} labels, got {len(labels)}")
    return labels


def mask_or_none(hidden: ArrayLike | None, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Which cells are masked, by default none; ValueError for another shape."""
    masked = np.zeros(shape, bool) if hidden is None else np.asarray(hidden, bool)
    if masked.shape != shape:
        raise ValueError(f"hidden must have shape {shape}, got {masked.shape}")
    return masked

"""The static twin of a view: its panels as one figure, laid out as in the page."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from .. import plots
from .views import Panel

CELL, SMALL_CELL, TINY_CELL = (0.62, 0.40), (0.46, 0.32), (0.2, 0.2)  # inches
PAGE = 13.5  # inches that a row of panels may fill
HEAD, FOOT, GAP = 0.75, 0.5, 0.3
Matrix = NDArray[np.float64]


def draw_panels(panels: Sequence[Panel], arrays: Mapping[str, Matrix]) -> Figure:
    """Draw panels as a figure, one row per group, every cell of one size.

    Args:
        panels: in reading order.
        arrays: by panel name, (rows, columns).
    """
    lines = _lines(panels)
    heights = [max(map(_height, line)) for line in lines]
    size = max(sum(map(_width, line)) for line in lines), sum(heights)
    figure = Figure(figsize=size, dpi=min(100, 100 * PAGE / size[0]))
    top = size[1]
    for line, height in zip(lines, heights, strict=True):
        left = 0.0
        for panel in line:
            _draw(figure, panel, arrays[panel.name], left, top)
            left += _width(panel)
        top -= height
    return figure


def _lines(panels: Sequence[Panel]) -> list[list[Panel]]:
    """One line of panels per group, or more where a group does not fit the page."""
    lines: list[list[Panel]] = []
    for panel in panels:
        line = lines[-1] if lines else []
        fits = sum(map(_width, line)) + _width(panel) <= PAGE
        if line and fits and line[0].group == panel.group:
            line.append(panel)
        else:
            lines.append([panel])
    return lines


def _cell(panel: Panel) -> tuple[float, float]:
    """Inches across and down: as much as the numbers and the labels need."""
    if panel.size == "tiny":
        return TINY_CELL
    across, down = SMALL_CELL if panel.size == "small" else CELL
    if len(panel.columns) <= 3:
        across = max(across, min(1.1, 0.095 * max(map(len, panel.columns))))
    return across, down


def _labels(panel: Panel) -> float:
    """Inches left of the cells: as much as the longest row label needs."""
    return 0.3 + 0.085 * min(14, max(map(len, panel.rows)))


def _width(panel: Panel) -> float:
    return max(_labels(panel) + _cell(panel)[0] * len(panel.columns), 2.2) + GAP


def _height(panel: Panel) -> float:
    return HEAD + _cell(panel)[1] * len(panel.rows) + FOOT


def _draw(
    figure: Figure, panel: Panel, values: Matrix, left: float, top: float
) -> None:
    """Draw one panel with its upper left corner at (left, top), in inches."""
    wide, high = figure.get_size_inches()
    cell = _cell(panel)
    across, down = cell[0] * len(panel.columns), cell[1] * len(panel.rows)
    box = (left + _labels(panel), top - HEAD - down, across, down)
    ax = figure.add_axes((box[0] / wide, box[1] / high, box[2] / wide, box[3] / high))
    hidden = np.zeros(values.shape, bool) if panel.hidden is None else panel.hidden
    digits = None if panel.size == "tiny" else panel.digits
    said = None if panel.veil == "hidden" and not panel.words else panel.cells(values)
    plots.draw_cells(ax, values, hidden, panel.palette, panel.limit, digits, said)
    plots.draw_labels(ax, panel.rows, panel.columns)
    ax.set_aspect("auto")
    hue = plots.HUES[panel.palette]
    x, y = (left + 0.12) / wide, (top - 0.22) / high
    step = f"{panel.step}  " if panel.step else ""
    title = figure.text(x, y, step + panel.title, size=12, weight="bold")
    after: dict[str, Any] = {
        "xycoords": title,
        "textcoords": "offset points",
        "size": 9.5,
    }
    ax.annotate(
        panel.formula,
        (1, 0.1),
        (8, 0),
        annotation_clip=False,
        parse_math=False,
        **after,
    )
    ax.annotate(
        "",
        (0, -0.25),
        (1, -0.25),
        xycoords=title,
        textcoords=title,
        arrowprops={"arrowstyle": "-", "color": hue, "lw": 3},
        annotation_clip=False,
    )
    axes = f"{panel.axes[0]} ↓  {panel.axes[1]} →" if panel.axes[0] else ""
    figure.text(x, y - 0.24 / high, axes, size=8, color="#5A5A5A")
    foot = (box[1] - 0.2) / high
    figure.text(x, foot, panel.note, size=9, color="#5A5A5A", parse_math=False)

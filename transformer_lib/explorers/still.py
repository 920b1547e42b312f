"""The static twin of a view: its panels as one figure, laid out as in the page."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from .. import plots
from .views import Panel

CELL = (0.62, 0.40)  # inches across and down
LABELS = 1.15  # inches left of the cells
HEAD, FOOT, GAP = 0.85, 0.42, 0.25
Matrix = NDArray[np.float64]


def draw_panels(panels: Sequence[Panel], arrays: Mapping[str, Matrix]) -> Figure:
    """Draw panels as a figure, one row per group, every cell of one size.

    Args:
        panels: in reading order.
        arrays: by panel name, (rows, columns).
    """
    numbers = sorted({p.group for p in panels})
    groups = [[p for p in panels if p.group == n] for n in numbers]
    heights = [max(map(_height, group)) for group in groups]
    size = max(sum(map(_width, group)) for group in groups), sum(heights)
    figure = Figure(figsize=size)
    top = size[1]
    for group, height in zip(groups, heights, strict=True):
        left = 0.0
        for panel in group:
            _draw(figure, panel, arrays[panel.name], left, top)
            left += _width(panel)
        top -= height
    return figure


def _width(panel: Panel) -> float:
    return max(LABELS + CELL[0] * len(panel.columns), 2.7) + GAP


def _height(panel: Panel) -> float:
    return HEAD + CELL[1] * len(panel.rows) + FOOT


def _draw(
    figure: Figure, panel: Panel, values: Matrix, left: float, top: float
) -> None:
    """Draw one panel with its upper left corner at (left, top), in inches."""
    wide, high = figure.get_size_inches()
    across, down = CELL[0] * len(panel.columns), CELL[1] * len(panel.rows)
    box = (left + LABELS, top - HEAD - down, across, down)
    ax = figure.add_axes((box[0] / wide, box[1] / high, box[2] / wide, box[3] / high))
    hidden = np.zeros(values.shape, bool) if panel.hidden is None else panel.hidden
    plots.draw_cells(ax, values, hidden, panel.palette, panel.limit, panel.digits)
    plots.draw_labels(ax, panel.rows, panel.columns)
    ax.set_aspect("auto")
    hue = plots.HUES[panel.palette]
    x, y = (left + 0.12) / wide, (top - 0.22) / high
    figure.text(x, y, panel.title, size=12, weight="bold", color=hue)
    shift = (0.12 * len(panel.title) + 0.12) / wide
    figure.text(x + shift, y, panel.formula, size=9.5, parse_math=False)
    axes = f"{panel.axes[0]} ↓  {panel.axes[1]} →"
    figure.text(x, y - 0.19 / high, axes, size=8, color="#5A5A5A")
    foot = (box[1] - 0.2) / high
    figure.text(x, foot, panel.note, size=9, color="#5A5A5A", parse_math=False)

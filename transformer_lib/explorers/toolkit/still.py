"""The static twin of a picture: its drawings as one figure, laid out as in the page."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from .drawing import Drawing, Matrix

PAGE = 13.5  # inches that a row of drawings may fill


def draw_panels(drawings: Sequence[Drawing], arrays: Mapping[str, Matrix]) -> Figure:
    """Draw a picture as a figure, one row per band and group.

    Args:
        drawings: in reading order.
        arrays: by name, what the drawings show.
    """
    lines = _lines(drawings)
    heights = [max(d.extent()[1] for d in line) for line in lines]
    size = max(map(_width, lines)), sum(heights)
    figure = Figure(figsize=size, dpi=min(100, 100 * PAGE / size[0]))
    top = size[1]
    for line, height in zip(lines, heights, strict=True):
        left = 0.0
        for drawing in line:
            drawing.draw(figure, arrays, left, top)
            left += drawing.extent()[0]
        top -= height
    return figure


def _lines(drawings: Sequence[Drawing]) -> list[list[Drawing]]:
    """One line per band and group, or more where one does not fit the page."""
    lines: list[list[Drawing]] = []
    for drawing in drawings:
        line = lines[-1] if lines else []
        fits = _width(line) + drawing.extent()[0] <= PAGE
        if line and fits and _together(line[-1], drawing):
            line.append(drawing)
        else:
            lines.append([drawing])
    return lines


def _together(one: Drawing, next_: Drawing) -> bool:
    """Whether two drawings stand side by side: in one band, two kinds always do."""
    if one.band != next_.band:
        return False
    return one.group == next_.group or one.kind != next_.kind


def _width(line: Sequence[Drawing]) -> float:
    return sum(drawing.extent()[0] for drawing in line)

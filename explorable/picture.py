"""The picture that is kept: an explorer's drawings at rest, as one figure.

It is laid out as the page is: in a band the kinds of drawings stand side by side, each
in a column; in a column the groups stand one below the other, each in a line.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from matplotlib.figure import Figure

from . import plots
from .drawing import FOOT, HEAD, PAGE, Array, Drawing, StaticDrawing

LETTERS = (
    f"{plots.LACKING} stands for a letter that no font of this machine has. "
    "“Copy numbers” gives it."
)


Line = list[StaticDrawing]
Column = list[Line]


def draw_picture(
    drawings: Sequence[Drawing], arrays: Mapping[str, Array], foot: float = 0.0
) -> Figure:
    """Draw a picture as a figure.

    Args:
        drawings: in reading order.
        arrays: by name, what the drawings show.
        foot: room under all of them, for a line about letters that are missing.
    """
    blocks = _blocks([drawing.at_rest(arrays) for drawing in drawings])
    heights = [max(_height(c, columns) for c in columns) for columns in blocks]
    wide = max(sum(map(_column_width, columns)) for columns in blocks)
    top = sum(heights) + foot
    figure = Figure(figsize=(wide, top), dpi=min(100, 100 * PAGE / wide))
    page = plots.Area(figure, (0, wide), (0, top), (0, 0, wide, top))
    for columns, height in zip(blocks, heights, strict=True):
        _put(page, columns, top)
        top -= height
    if foot:
        page.word(LETTERS, 0.12, 0.15, 9, color=plots.QUIET)
    elif any(plots.LACKING in word.text for word in plots.said(figure)):
        return draw_picture(drawings, arrays, foot=0.35)
    return figure


def _put(page: plots.Area, columns: Sequence[Column], top: float) -> None:
    """Draw columns side by side, below `top`."""
    left = 0.0
    for column in columns:
        y = top
        for line in column:
            above = _above(line, columns)
            for n, one in enumerate(line):
                one.put(page, left + _width(line[:n]), y, above)
            y -= above + max(map(_below, line))
        left += _column_width(column)


def _blocks(bodies: Sequence[StaticDrawing]) -> list[list[Column]]:
    """A block of columns per band; where they do not fit the page, one per line."""
    blocks: list[list[Column]] = []
    for _, group in groupby(bodies, key=lambda one: one.drawing.band):
        band = list(group)
        kinds = dict.fromkeys(one.drawing.kind for one in band)
        each = [[one for one in band if one.drawing.kind == kind] for kind in kinds]
        columns = [_lines(bodies) for bodies in each]
        if sum(map(_column_width, columns)) <= PAGE:
            blocks.append(columns)
        else:
            blocks += [[[line]] for line in _lines(band)]
    return blocks


def _lines(bodies: Sequence[StaticDrawing]) -> Column:
    """One line per group, or more where one does not fit the page."""
    lines: Column = []
    for one in bodies:
        line = lines[-1] if lines else []
        if line and _width([*line, one]) <= PAGE and _together(line[-1], one):
            line.append(one)
        else:
            lines.append([one])
    return lines


def _together(one: StaticDrawing, next_: StaticDrawing) -> bool:
    """Whether two drawings of a band stand side by side: two kinds always do."""
    a, b = one.drawing, next_.drawing
    return a.group == b.group or a.kind != b.kind


def _width(line: Sequence[StaticDrawing]) -> float:
    return sum(one.width() for one in line)


def _column_width(column: Column) -> float:
    return max(map(_width, column))


def _height(column: Column, columns: Sequence[Column]) -> float:
    return sum(_above(line, columns) + max(map(_below, line)) for line in column)


def _above(line: Line, columns: Sequence[Column]) -> float:
    """From the top of a line to that of its bodies, which stand on one height.

    So do those of the first lines of columns that stand side by side.
    """
    firsts = [one for column in columns for one in column[0]]
    beside = firsts if any(line is column[0] for column in columns) else line
    return HEAD + max(one.room[1] for one in beside)


def _below(one: StaticDrawing) -> float:
    """From the top of a body to the end of its note."""
    return one.size[1] + one.room[3] + FOOT

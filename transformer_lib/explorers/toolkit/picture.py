"""The picture that is kept: an explorer's drawings at rest, as one figure."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from ... import plots
from .at_rest import FOOT, HEAD, PAGE, AtRest
from .drawing import Array, Drawing

LETTERS = (
    f"{plots.LACKING} stands for a letter that no font of this machine has. "
    "“Copy numbers” gives it."
)


def draw_picture(
    drawings: Sequence[Drawing], arrays: Mapping[str, Array], foot: float = 0.0
) -> Figure:
    """Draw a picture as a figure, one row per band and group.

    Args:
        drawings: in reading order.
        arrays: by name, what the drawings show.
        foot: room under all of them, for a line about letters that are missing.
    """
    lines = _lines([drawing.at_rest(arrays) for drawing in drawings])
    heights = [_above(line) + max(map(_below, line)) for line in lines]
    wide = max(map(_width, lines))
    top = sum(heights) + foot
    figure = Figure(figsize=(wide, top), dpi=min(100, 100 * PAGE / wide))
    page = plots.Area(figure, (0, wide), (0, top), (0, 0, wide, top))
    for line, height in zip(lines, heights, strict=True):
        for n, one in enumerate(line):
            one.put(page, _width(line[:n]), top, _above(line))
        top -= height
    if foot:
        page.word(LETTERS, 0.12, 0.15, 9, colour=plots.QUIET)
    elif any(plots.LACKING in word.text for word in plots.said(figure)):
        return draw_picture(drawings, arrays, foot=0.35)
    return figure


def _lines(bodies: Sequence[AtRest]) -> list[list[AtRest]]:
    """One line per band and group, or more where one does not fit the page."""
    lines: list[list[AtRest]] = []
    for one in bodies:
        line = lines[-1] if lines else []
        if line and _width([*line, one]) <= PAGE and _together(line[-1], one):
            line.append(one)
        else:
            lines.append([one])
    return lines


def _together(one: AtRest, next_: AtRest) -> bool:
    """Whether two drawings stand side by side: in one band, two kinds always do."""
    a, b = one.drawing, next_.drawing
    return a.band == b.band and (a.group == b.group or a.kind != b.kind)


def _width(line: Sequence[AtRest]) -> float:
    return sum(one.width() for one in line)


def _above(line: Sequence[AtRest]) -> float:
    """From the top of a line to that of its bodies, which stand on one height."""
    return HEAD + max(one.room[1] for one in line)


def _below(one: AtRest) -> float:
    """From the top of a body to the end of its note."""
    return one.size[1] + one.room[3] + FOOT

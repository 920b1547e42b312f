"""The picture that is kept: an explorer's drawings as one figure, as PNG or as SVG."""

import io
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from PIL import Image

from .area import Area
from .colours import QUIET
from .lettering import LACKING, said
from .parts import FOOT, HEAD, PAGE, Arrays, Drawing, Part, part

LETTERS = (
    f"{LACKING} stands for a letter that no font of this machine has. "
    "“Copy numbers” gives it."
)


def draw_picture(
    drawings: Sequence[Drawing], arrays: Arrays, foot: float = 0.0
) -> Figure:
    """Draw a picture as a figure, one row per band and group.

    Args:
        drawings: in reading order.
        arrays: by name, what the drawings show.
        foot: room under all of them, for a line about letters that are missing.
    """
    lines = _lines([part(drawing, arrays) for drawing in drawings])
    heights = [_above(line) + max(map(_below, line)) for line in lines]
    wide, top = max(map(_width, lines)), sum(heights) + foot
    figure = Figure(figsize=(wide, top), dpi=min(100, 100 * PAGE / wide))
    page = Area(figure, (0, wide), (0, top), (0, 0, wide, top))
    for line, height in zip(lines, heights, strict=True):
        for n, one in enumerate(line):
            one.put(page, _width(line[:n]), top, _above(line))
        top -= height
    if foot:
        page.word(LETTERS, 0.12, 0.15, 9, colour=QUIET)
    elif any(LACKING in word.text for word in said(figure)):
        return draw_picture(drawings, arrays, foot=0.35)
    return figure


def _lines(parts: Sequence[Part]) -> list[list[Part]]:
    """One line per band and group, or more where one does not fit the page."""
    lines: list[list[Part]] = []
    for one in parts:
        line = lines[-1] if lines else []
        if line and _width([*line, one]) <= PAGE and _together(line[-1], one):
            line.append(one)
        else:
            lines.append([one])
    return lines


def _together(one: Part, next_: Part) -> bool:
    """Whether two drawings stand side by side: in one band, two kinds always do."""
    a, b = one.drawing, next_.drawing
    return bool(a.band == b.band and (a.group == b.group or a.kind != b.kind))


def _width(line: Sequence[Part]) -> float:
    return sum(one.width() for one in line)


def _above(line: Sequence[Part]) -> float:
    """From the top of a line to that of its bodies, which stand on one height."""
    return HEAD + max(one.room[1] for one in line)


def _below(one: Part) -> float:
    """From the top of a body to the end of its note."""
    return one.size[1] + one.room[3] + FOOT


def as_png(figure: Figure) -> bytes:
    """The figure as a PNG file; the same picture gives the same bytes."""
    file = io.BytesIO()
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    opaque = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    opaque.save(file, "png", compress_level=3)  # half the time of 6, as many bytes
    return file.getvalue()


def as_svg(figure: Figure) -> str:
    """The figure as the text of an SVG file; the same picture gives the same text."""
    file = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "transformer_lib"}):
        canvas: Any = FigureCanvasSVG(figure)
        canvas.print_svg(file, metadata={"Date": None})
    return file.getvalue()

"""A figure as the bytes or the text of a file: PNG or SVG."""

import io
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from PIL import Image


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

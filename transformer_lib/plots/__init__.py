"""Arrays in, matplotlib Axes out: the static twin of every view, and their colours."""

from .bars import HATCHES, bars, check_bars
from .cells import draw_cells, draw_labels, matrix
from .colours import (
    DIVERGING,
    HUES,
    PAPER,
    STEPS,
    contrast,
    luminance,
    number,
    shade,
    step_of,
)
from .curves import (
    DASHES,
    MARKERS,
    apart,
    check_curves,
    curves,
    hues_for,
)
from .links import draw_links, links
from .plane import REACH, plane
from .scales import plain, ticks
from .tiles import draw_tiles

__all__ = [
    "DASHES",
    "DIVERGING",
    "HATCHES",
    "HUES",
    "MARKERS",
    "PAPER",
    "REACH",
    "STEPS",
    "apart",
    "bars",
    "check_bars",
    "check_curves",
    "contrast",
    "curves",
    "draw_cells",
    "draw_labels",
    "draw_links",
    "draw_tiles",
    "hues_for",
    "links",
    "luminance",
    "matrix",
    "number",
    "plain",
    "plane",
    "shade",
    "step_of",
    "ticks",
]

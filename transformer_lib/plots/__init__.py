"""Arrays in, pictures out: the static twin of every view, and their colours.

`matrix`, `links`, `bars` and `curves` draw on matplotlib Axes; `draw_cells` and its
like draw the same in an `Area` of a larger figure.
"""

from .area import Area
from .bars import HATCHES, bars, check_bars, draw_bars, plan_bars
from .colours import (
    DIVERGING,
    HUES,
    INK,
    PAPER,
    QUIET,
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
    draw_curves,
    hues_for,
)
from .lettering import LACKING, said, short, shortened, widest, width
from .links import draw_links, links
from .matrices import draw_cells, draw_labels, draw_tiles, matrix, plan_labels
from .plane import REACH, draw_plane
from .scales import plain, ticks

__all__ = [
    "DASHES",
    "DIVERGING",
    "HATCHES",
    "HUES",
    "INK",
    "LACKING",
    "MARKERS",
    "PAPER",
    "QUIET",
    "REACH",
    "STEPS",
    "Area",
    "apart",
    "bars",
    "check_bars",
    "check_curves",
    "contrast",
    "curves",
    "draw_bars",
    "draw_cells",
    "draw_curves",
    "draw_labels",
    "draw_links",
    "draw_plane",
    "draw_tiles",
    "hues_for",
    "links",
    "luminance",
    "matrix",
    "number",
    "plain",
    "plan_bars",
    "plan_labels",
    "said",
    "shade",
    "short",
    "shortened",
    "step_of",
    "ticks",
    "widest",
    "width",
]

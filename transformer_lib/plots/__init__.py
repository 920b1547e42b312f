"""Arrays in, pictures out: the static twin of every view, and their colours.

`matrix`, `links`, `bars` and `curves` draw on matplotlib Axes; `draw_cells` and its
like draw the same in an `Area` of a larger figure. `draw_picture` lays out what an
explorer shows: the picture that it keeps at rest.
"""

from .area import Area
from .bars import HATCHES, bars, check_bars, room_at_left
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
from .curves import DASHES, MARKERS, apart, check_curves, curves, hues_for
from .lettering import LACKING, drawable, said, short, shortened, widest, width
from .links import draw_links, links
from .matrices import (
    draw_cells,
    draw_labels,
    draw_tiles,
    mask_or_none,
    matrix,
    plan_labels,
)
from .picture import as_png, as_svg, draw_picture
from .plane import REACH, draw_plane
from .scales import as_read, plain, ticks
from .sums import sums

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
    "as_png",
    "as_read",
    "as_svg",
    "bars",
    "check_bars",
    "check_curves",
    "contrast",
    "curves",
    "draw_cells",
    "draw_labels",
    "draw_links",
    "draw_picture",
    "draw_plane",
    "draw_tiles",
    "drawable",
    "hues_for",
    "links",
    "luminance",
    "mask_or_none",
    "matrix",
    "number",
    "plain",
    "plan_labels",
    "room_at_left",
    "said",
    "shade",
    "short",
    "shortened",
    "step_of",
    "sums",
    "ticks",
    "widest",
    "width",
]

"""Arrays in, pictures out: heat maps, links, bars and curves, and their colors.

`matrix`, `links`, `bars`, `curves` and `gallery` draw on matplotlib Axes; `draw_cells`
and its like draw the same in an `Area` of a larger figure, as explorers at rest do.
"""

from .area import Area, rectangles
from .bars import (
    HATCHES,
    bars,
    check_bars,
    fills_for,
    legend_height,
    room_at_left,
)
from .colors import (
    HUES,
    INK,
    PAPER,
    QUIET,
    STEPS,
    UNSHADED,
    contrast,
    is_nothing,
    luminance,
    number,
    power_of_ten,
    scientific,
    shade,
    step_of,
)
from .curves import DASHES, MARKERS, apart, check_curves, curves, hues_for
from .files import as_png, as_svg
from .gallery import gallery
from .lettering import (
    FAMILY,
    FONTS,
    LACKING,
    drawable,
    said,
    short,
    shortened,
    widest,
    width,
    wrapped,
)
from .links import FAINTEST, draw_bends, draw_links, links
from .matrices import (
    EDGE,
    draw_cells,
    draw_labels,
    mask_or_none,
    matrices,
    matrix,
    plan_labels,
    thumbnail,
)
from .scales import are_whole, as_read, draw_scales, plain, rounded_up, ticks
from .sums import sums

__all__ = [
    "DASHES",
    "EDGE",
    "FAINTEST",
    "FAMILY",
    "FONTS",
    "HATCHES",
    "HUES",
    "INK",
    "LACKING",
    "MARKERS",
    "PAPER",
    "QUIET",
    "STEPS",
    "UNSHADED",
    "Area",
    "apart",
    "are_whole",
    "as_png",
    "as_read",
    "as_svg",
    "bars",
    "check_bars",
    "check_curves",
    "contrast",
    "curves",
    "draw_bends",
    "draw_cells",
    "draw_labels",
    "draw_links",
    "draw_scales",
    "drawable",
    "fills_for",
    "gallery",
    "hues_for",
    "is_nothing",
    "legend_height",
    "links",
    "luminance",
    "mask_or_none",
    "matrices",
    "matrix",
    "number",
    "plain",
    "plan_labels",
    "power_of_ten",
    "rectangles",
    "room_at_left",
    "rounded_up",
    "said",
    "scientific",
    "shade",
    "short",
    "shortened",
    "step_of",
    "sums",
    "thumbnail",
    "ticks",
    "widest",
    "width",
    "wrapped",
]

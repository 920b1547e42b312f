"""Words as outlines: measured before they are placed, drawn many at once.

Matplotlib lays out and hints each text on its own, at about 1 ms each. A picture has
hundreds of numbers, so here the words of a picture are filled as one path per color.
"""

import math
import pathlib
import re
import warnings
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any, NamedTuple, cast

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgb
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Bbox, IdentityTransform
from numpy.typing import NDArray

from .colors import INK

FAMILY = "Inter"
#: The typeface of the pictures and of the page: both set words of the same widths.
FONTS = sorted((pathlib.Path(__file__).parents[1] / "static/fonts").glob("*.ttf"))
for file in FONTS:
    fontManager.addfont(file)
LACKING = "□"  # stands for a letter that no font of this machine has
NUMBERS = frozenset("0123456789.,−")
MIDDLE = 0.36  # from the foot of a digit to its middle, in sizes
#: An index, d_k or W_Q, and a power, 2^n or 10^(n+1): as in the views' dom.js.
INDEX = re.compile(
    r"(?<=(?<!\w)[^\W\d_])_(model|ff|[^\W\d_]|\d\d?)(?!\w)"
    r"|(?<=[^\W_)])\^(?:\(([^()]*)\)|([^\W_]+))"
)
SMALL = 0.72  # of the size of the letters beside it
BELOW, ABOVE = -0.2, 0.36  # of that size: where it stands
Place = tuple[float, float]
Shape = tuple[NDArray[np.float64], NDArray[np.uint8]]  # vertices (N, 2), path codes


@cache
def _families() -> dict[str, str]:
    """A file of every family of upright fonts, our own first, "Sans" before others."""
    found = {f.name: f.fname for f in fontManager.ttflist if f.style == "normal"}
    names = sorted(found, key=lambda n: (n != FAMILY, "Sans" not in n, n))
    return {n: found[n] for n in names if not n.startswith("Last Resort")}


@cache
def _family_with(letter: str) -> str | None:
    """The first family that has a letter, or None."""
    for family, file in _families().items():
        try:
            if get_font(file).get_char_index(ord(letter)):
                return family
        except (OSError, RuntimeError):  # a font that cannot be read has no letters
            continue
    return None


NO_BREAK = "\N{NO-BREAK SPACE}"  # which is blank, and where no line ends


def drawable(text: str) -> str:
    """The text as it can be drawn: □ for what no font has, � for what has no shape."""
    shapes = (c if c.isprintable() or c == NO_BREAK else "�" for c in text)
    return "".join(c if _family_with(c) else LACKING for c in shapes)


def warn_of_boxes(texts: Iterable[str]) -> None:
    """Warn of letters that will be drawn as □: an Axes has no place to say so."""
    lacking = {c for text in texts for c in text if drawable(c) == LACKING != c}
    if lacking:
        letters = " ".join(sorted(lacking))
        warnings.warn(f"no font of this machine has {letters}", stacklevel=3)


def short(label: str, most: int = 14) -> str:
    """A drawable label of at most so many characters."""
    return drawable(label if len(label) <= most else label[: most - 1] + "…")


def families(text: str) -> list[str]:
    """The families of fonts that a drawable text needs, our own first."""
    return list(dict.fromkeys([FAMILY, *(_family_with(c) or FAMILY for c in text)]))


def _font(names: list[str], bold: bool) -> FontProperties:
    return FontProperties(family=names, weight="bold" if bold else "normal")


@cache
def _advance(letter: str, bold: bool) -> float:
    """How far a letter takes the pen, in sizes."""
    weight = "bold" if bold else "normal"
    font = get_font(
        findfont(FontProperties(family=families(letter)[-1], weight=weight))
    )
    font.set_size(100, 72)
    return float(font.load_char(ord(letter)).linearHoriAdvance) / 100 / 65536


class Piece(NamedTuple):
    """Letters of one size on one line: `at` is that line's height, in whole sizes."""

    text: str
    size: float
    at: float


@lru_cache(8192)
def pieces(text: str) -> list[Piece]:
    """A text with its indices and powers set as such."""
    found: list[Piece] = []
    end = 0
    for match in INDEX.finditer(text) if "_" in text or "^" in text else ():
        found.append(Piece(text[end : match.start()], 1.0, 0.0))
        below, within, above = match.groups()
        base = BELOW if below else ABOVE
        inside = pieces(below or within or above or "")
        found += [Piece(p.text, SMALL * p.size, base + SMALL * p.at) for p in inside]
        end = match.end()
    return [*found, Piece(text[end:], 1.0, 0.0)]


def width(text: str, size: float = 1.0, bold: bool = False) -> float:
    """How wide a drawable text is, in the unit of its size."""
    each = ((p.size, letter) for p in pieces(text) for letter in p.text)
    return size * sum(small * _advance(letter, bold) for small, letter in each)


def widest(labels: Iterable[str], size: float, most: int = 14) -> float:
    """How wide the widest of some labels is once it is `short`; 0 without labels."""
    return max((width(short(label, most), size) for label in labels), default=0.0)


def shortened(text: str, room: float, size: float) -> str:
    """A text that is at most `room` wide: its end gives way to … where it must."""
    text = drawable(text)
    ends = [*accumulate(size * _advance(letter, False) for letter in text)]
    if not ends or ends[-1] <= room:
        return text
    return text[: bisect(ends, room - width("…", size))].rstrip() + "…"


def wrapped(
    text: str, room: float, size: float, most: int, bold: bool = False
) -> list[str]:
    """A text in at most so many lines that are at most `room` wide, the last cut."""
    done = [""]
    for word in drawable(text).split(" "):
        longer = f"{done[-1]} {word}".strip()
        if done[-1] and width(longer, size, bold) > room:
            done.append(word)
        else:
            done[-1] = longer
    kept = [*done[: most - 1], " ".join(done[most - 1 :])]
    return [shortened(line, room, size) for line in kept if line]


@lru_cache(8192)
def outline(text: str, bold: bool = False) -> Shape:
    """The outline of a drawable text of size 1, from the foot of its first letter."""
    if len(text) > 1 and not bold and NUMBERS.issuperset(text):
        return _digits(text)
    if len(parts := pieces(text)) > 1:
        return _with_indices(parts, bold)
    vertices, codes = text_to_path.get_text_path(_font(families(text), bold), text)
    places = np.asarray(vertices, dtype=np.float64).reshape(-1, 2)
    return places / text_to_path.FONT_SCALE, np.asarray(codes, dtype=np.uint8)


def _digits(text: str) -> Shape:
    """The outline of a number, from those of its characters: this is quick."""
    starts = [0.0, *accumulate(_advance(c, False) for c in text)]
    shapes = [outline(c) for c in text]
    moved = [v + np.array([x, 0]) for (v, _), x in zip(shapes, starts, strict=False)]
    return np.concatenate(moved), np.concatenate([codes for _, codes in shapes])


def _with_indices(parts: list[Piece], bold: bool) -> Shape:
    """The outline of a text whose letters are not all of one size."""
    shapes: list[Shape] = []
    pen = 0.0
    for text, size, at in parts:
        if text:
            vertices, codes = outline(text, bold)
            shapes.append((vertices * size + np.array([pen, at]), codes))
            pen += width(text, size, bold)
    return (
        np.concatenate([vertices for vertices, _ in shapes]),
        np.concatenate([codes for _, codes in shapes]),
    )


class Word(NamedTuple):
    """A text at (x, y), moved by (dx, dy) points; `align` of its width lies before it.

    The place is at half the height of a digit, or with `middle` False at its foot. With
    `room`, in units of x, a wider text is drawn smaller. `paper` is put under it.
    """

    text: str
    x: float
    y: float
    size: float = 10
    color: str = INK
    align: float = 0.0
    dx: float = 0.0
    dy: float = 0.0
    middle: bool = True
    angle: float = 0.0
    bold: bool = False
    room: float = 0.0
    paper: str = ""


Placed = tuple[Word, Place, float]  # a word, where it begins and its size, in pixels


class Words(Artist):
    """Words in one coordinate system, drawn as one path for each of their colors."""

    zorder = 4

    def __init__(self) -> None:
        super().__init__()
        self.words: list[Word] = []

    def draw(self, renderer: RendererBase) -> None:
        """Fill the outlines, what lies under the words first."""
        parts = defaultdict[str, list[Shape]](list)
        placed = self._placed(renderer)
        for word, place, size in placed:
            if word.paper:
                parts[word.paper].append(_moved(word, _paper(word), place, size))
        for word, place, size in placed:
            shape = outline(word.text, word.bold)
            parts[word.color].append(_moved(word, shape, place, size))
        for color, shapes in parts.items():
            gc = renderer.new_gc()
            gc.set_linewidth(0)
            vertices, codes = zip(*shapes, strict=True)
            path = Path(np.concatenate(vertices), np.concatenate(codes))
            renderer.draw_path(gc, path, IdentityTransform(), to_rgb(color))
            gc.restore()

    def get_window_extent(self, renderer: Any = None) -> Bbox:
        """What the words cover, for a layout that makes room for them."""
        placed = self._placed(renderer or cast(Any, self.figure).canvas.get_renderer())
        papers = [_moved(w, _paper(w), place, size)[0] for w, place, size in placed]
        if not papers:
            return Bbox.null()
        covered = np.concatenate(papers)
        return Bbox([covered.min(axis=0), covered.max(axis=0)])

    def _placed(self, renderer: RendererBase) -> list[Placed]:
        """The words that are not empty, with their places on the canvas."""
        words = [word for word in self.words if word.text]
        starts = [(0.0, 0.0), (1.0, 0.0), *((w.x, w.y) for w in words)]
        places = self.get_transform().transform(starts).tolist()
        unit = abs(places[1][0] - places[0][0])
        point = float(cast(Any, renderer).points_to_pixels(1.0))
        found = zip(words, places[2:], strict=True)
        placed = [_place(word, place, unit, point) for word, place in found]
        if isinstance(renderer, RendererAgg):  # whole pixels: sharper, and fewer bytes
            return [(w, (round(x), round(y)), size) for w, (x, y), size in placed]
        return placed


def _place(word: Word, place: Place, unit: float, point: float) -> Placed:
    """A word, the foot of its first letter and its size; unit and point in pixels."""
    wide = point * width(word.text, word.size, word.bold)
    shrink = min(1.0, word.room * unit / wide) if word.room and wide else 1.0
    size = shrink * point * word.size
    back = shrink * wide * word.align
    down = MIDDLE * size * word.middle
    cos, sin = _turn(word)
    x = place[0] + word.dx * point - back * cos + down * sin
    y = place[1] + word.dy * point - back * sin - down * cos
    return word, (x, y), size


def _turn(word: Word) -> tuple[float, float]:
    """The cosine and the sine of a word's angle."""
    return math.cos(math.radians(word.angle)), math.sin(math.radians(word.angle))


def _moved(word: Word, shape: Shape, place: Place, size: float) -> Shape:
    """A shape of size 1, as large, turned and placed as a word is on the page."""
    vertices, codes = shape
    if word.angle:
        cos, sin = _turn(word)
        vertices = vertices @ np.array([[cos, sin], [-sin, cos]])
    return vertices * size + np.array(place), codes


def _paper(word: Word) -> Shape:
    """The rectangle that a word of size 1 covers, with some room around it."""
    end = width(word.text, 1.0, word.bold) + 0.1
    x, y = [-0.1, end, end, -0.1, -0.1], [-0.24, -0.24, 0.86, 0.86, -0.24]
    codes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY]
    return np.array([x, y]).T, np.array(codes, dtype=np.uint8)


def said(on: Any) -> list[Word]:
    """All words of a figure or Axes."""
    return [word for words in on.findobj(Words) for word in words.words]

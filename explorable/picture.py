"""The picture that is kept: an explorer's drawings at rest, as one figure.

It is laid out as the page is. Panels form groups, groups form views, views form bands,
and bands form the picture; what does not fit beside the one before begins a new line.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, product
from typing import Protocol

from matplotlib.figure import Figure

from . import plots
from .drawing import EM, PAGE, WHOLE, Array, Drawing, StaticDrawing

TALLEST = 1000  # pixels
LAST = 24 * EM  # that the last view of a band needs to stand beside the others
LITTLE, MUCH = 0.9, 0.78  # a little smaller, if that makes it much lower
LETTERS = (
    f"{plots.LACKING} stands for a letter that no font of this machine has. "
    "“Copy numbers” gives it."
)


class Part(Protocol):
    """A panel, or lines of parts, in inches.

    Attributes:
        wanted: how wide it would like to be.
        width: how wide it is.
        above: from its top to that of its body, or of the bodies in its first line.
        below: from there to its foot.
    """

    wanted: float
    width: float
    above: float
    below: float

    def put(self, page: plots.Area, left: float, top: float, above: float) -> None:
        """Draw it, its body `above` lower than its top."""


class Panel:
    """A drawing with its heading and its note."""

    def __init__(self, one: StaticDrawing) -> None:
        self.put = one.put
        self.wanted = self.width = one.width()
        self.above, self.below = one.above(), one.below()


class Lines:
    """Parts side by side, in as many lines as they need.

    Args:
        parts: in reading order.
        room: how wide a line may be.
        even: whether lines hold about as much as each other: two and two of four parts,
            never three and one.
    """

    def __init__(self, parts: Sequence[Part], room: float, even: bool = False) -> None:
        self.lines = _lines(parts, room)
        if even and len(self.lines) > 1:
            enough = sorted(sum(p.width for p in run) for run in _runs(parts))
            tried = (_lines(parts, width) for width in enough)
            self.lines = next(ls for ls in tried if len(ls) <= len(self.lines))
        self.width = max(sum(part.width for part in line) for line in self.lines)
        all_in_one = sum(part.wanted for part in parts)
        self.wanted = self.width if even else min(room, all_in_one)
        self.above = _most("above", self.lines[0])
        heights = (_most("above", x) + _most("below", x) for x in self.lines)
        self.below = sum(heights) - self.above

    def put(self, page: plots.Area, left: float, top: float, above: float) -> None:
        """Draw the parts; bodies in a line stand on one height."""
        for n, line in enumerate(self.lines):
            own = _most("above", line) if n else above
            x = left
            for part in line:
                part.put(page, x, top, own)
                x += part.width
            top -= own + _most("below", line)


def _lines(parts: Sequence[Part], width: float) -> list[list[Part]]:
    """Break parts into lines."""
    lines: list[list[Part]] = []
    for part in parts:
        last = lines[-1] if lines else []
        if last and sum(p.wanted for p in last) + part.wanted <= width + 1e-9:
            last.append(part)
        else:
            lines.append([part])
    return lines


def _runs(parts: Sequence[Part]) -> Iterable[Sequence[Part]]:
    """All runs of parts."""
    ends = range(len(parts) + 1)
    return (parts[a:b] for a in ends for b in ends[a + 1 :])


def _most(name: str, parts: Iterable[Part]) -> float:
    """The largest of what parts have by this name."""
    return max(float(getattr(part, name)) for part in parts)


def lines_of(drawings: Sequence[Drawing], arrays: Mapping[str, Array]) -> Lines:
    """Lay out drawings, in reading order, as the page does."""
    page = PAGE if any(_is_calculated(one) for one in drawings) else WHOLE
    usual = _lines_within(page, drawings, arrays)
    wider = _lines_within(page / LITTLE, drawings, arrays)
    smaller = LITTLE * (wider.above + wider.below)
    return wider if smaller < MUCH * (usual.above + usual.below) else usual


def _is_calculated(drawing: Drawing) -> bool:
    """Whether the page shows how its numbers were computed, which takes a column."""
    made: Mapping[str, object] = getattr(drawing, "provenance", {})
    return made.get("op", "leaf") != "leaf"


def _lines_within(
    page: float, drawings: Sequence[Drawing], arrays: Mapping[str, Array]
) -> Lines:
    """Lay out drawings on a page so many inches wide."""

    def rows(found: Sequence[Drawing], room: float) -> list[Lines]:
        groups = (list(group) for _, group in groupby(found, key=lambda d: d.group))
        panels = ([Panel(d.at_rest(arrays)) for d in group] for group in groups)
        return [Lines(some, room, even=True) for some in panels]

    def band(found: Sequence[Drawing]) -> Lines:
        kinds = dict.fromkeys(d.kind for d in found)
        *others, last = ([d for d in found if d.kind == kind] for kind in kinds)
        each = [rows(some, page) for some in others]
        beside = ([Lines(some, page), stacked(some)] for some in each)
        ways = [finished(list(first), last) for first in product(*beside)]
        return min(ways, key=lambda way: way.above + way.below)

    def stacked(some: Sequence[Lines]) -> Lines:
        return Lines(some, max(row.wanted for row in some), even=True)

    def finished(first: list[Lines], last: Sequence[Drawing]) -> Lines:
        # The last view takes the room that the others leave, as `side_by_side` has it.
        used = sum(one.wanted for one in _lines(first, page)[-1]) if first else 0.0
        room = page - used
        if max(LAST, *(d.at_rest(arrays).width() for d in last)) > room:
            room = page
        return Lines([*first, Lines(rows(last, room), room)], page)

    bands = groupby(drawings, key=lambda d: d.band)
    return Lines([band(list(found)) for _, found in bands], page)


def draw_picture(
    drawings: Sequence[Drawing], arrays: Mapping[str, Array], foot: float = 0.0
) -> Figure:
    """Draw a picture as a figure.

    Args:
        drawings: in reading order.
        arrays: by name, what the drawings show.
        foot: room under all of them, for a line about letters that are missing.
    """
    lines = lines_of(drawings, arrays)
    wide, top = lines.width, lines.above + lines.below + foot
    figure = Figure(figsize=(wide, top), dpi=min(100, 100 * PAGE / wide, TALLEST / top))
    page = plots.Area(figure, (0, wide), (0, top), (0, 0, wide, top))
    lines.put(page, 0.0, top, lines.above)
    if foot:
        page.word(LETTERS, 0.12, 0.15, 9, color=plots.QUIET)
    elif any(plots.LACKING in word.text for word in plots.said(figure)):
        return draw_picture(drawings, arrays, foot=0.35)
    return figure

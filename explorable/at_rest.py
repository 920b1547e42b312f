"""A drawing at rest: how large it is in the picture that is kept, and what draws it."""

from collections.abc import Callable
from dataclasses import dataclass

from . import plots
from .drawing import Drawing

# All sizes are in inches.
PAGE = 13.5  # that a row of drawings may fill
HEAD = 0.75  # inches above a body, for its heading
FOOT = 0.5  # inches below it, for its note
GAP = 0.3  # inches between two
EM = 0.175  # to one em of the page


@dataclass(frozen=True)
class AtRest:
    """A drawing in the picture: a body under a heading, words around it, and a note.

    Attributes:
        drawing: what is drawn.
        size: of its body, across and down.
        ends: of the body's coordinates: x, and y from its foot to its top.
        draw: draws the body.
        room: for words at the left, above (on top of HEAD), at the right and below.
        axes: a line under the heading.
    """

    drawing: Drawing
    size: tuple[float, float]
    ends: tuple[tuple[float, float], tuple[float, float]]
    draw: Callable[[plots.Area], object]
    room: tuple[float, float, float, float]
    axes: str = ""

    def title(self) -> str:
        """The heading's first words, the step before them."""
        step = f"{self.drawing.step}  " if self.drawing.step else ""
        return plots.shortened(step + self.drawing.title, 72 * 4, 12)

    def width(self) -> float:
        """As wide as its body, its heading or its note, but not wider than the page."""
        heading = 8 + plots.width(self.title(), 12, bold=True)
        heading += plots.width(plots.drawable(self.drawing.formula), 9.5)
        note = plots.width(plots.drawable(self.drawing.note), 9)
        body = self.room[0] + self.size[0] + self.room[2]
        return min(PAGE, max(1.6, body, max(heading, note) / 72 + 0.12) + GAP)

    def put(self, page: plots.Area, left: float, top: float, above: float) -> None:
        """Draw it with its left end and its heading's top here, its body `above` lower.

        The page's coordinates are inches.
        """
        x, y = left + self.room[0], top - above - self.size[1]
        self.draw(plots.Area(page.on, *self.ends, (x, y, *self.size)))
        self._write(page, left + 0.12, top - 0.22, y - self.room[3] - 0.2)

    def _write(self, page: plots.Area, x: float, y: float, foot: float) -> None:
        """Write the title and the formula at the top, and the note at `foot`."""
        title = self.title()
        room = 72 * (self.width() - GAP)
        end = plots.width(title, 12, bold=True)
        page.word(title, x, y, 12, bold=True, middle=False)
        hue = plots.HUES[self.drawing.palette]
        page.line([x, x + end / 72], [y - 0.09] * 2, color=hue, lw=3)
        formula = plots.shortened(self.drawing.formula, room - end - 8, 9.5)
        page.word(formula, x + (end + 8) / 72, y, 9.5, middle=False)
        quiet = {"colour": plots.QUIET, "middle": False}
        page.word(self.axes, x, y - 0.24, 8, **quiet)
        page.word(plots.shortened(self.drawing.note, room, 9), x, foot, 9, **quiet)

"""Where pictures are drawn: an area with its own coordinates, on a figure or Axes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Bbox, BboxTransform, Transform
from numpy.typing import ArrayLike

from .lettering import Word, Words, drawable

Ends = tuple[float, float]


class Area:
    """A rectangle that marks and words are drawn in, and around.

    Axes with ticks cost some 20 ms each, so a picture of many parts has none.

    Args:
        on: the figure that holds what is drawn, or Axes, cleared of ticks and frame.
        x, y: the coordinates of the left and right ends, and of foot and top. They
            may fall: y from 3 to 0 has 0 at the top.
        bounds: in a figure, the left and lower end, the width and height, in inches.
    """

    def __init__(
        self, on: Figure | Axes, x: Ends, y: Ends, bounds: Sequence[float] = ()
    ) -> None:
        self.on = on
        self.x = x
        self.y = y
        self.bounds = bounds
        if isinstance(on, Figure):
            limits = Bbox([(x[0], y[0]), (x[1], y[1])])
            inches = BboxTransform(limits, Bbox.from_bounds(*bounds))
            self.to_page: Transform = inches + on.dpi_scale_trans
        else:
            on.set(xlim=x, ylim=y, xticks=[], yticks=[])
            on.spines[:].set_visible(False)
            self.to_page = on.transData
        self._words = Words()
        self.add(self._words)

    def add(self, artist: Artist) -> None:
        """Draw an artist in the area's coordinates; it may reach beyond its ends."""
        artist.set_transform(self.to_page)
        artist.set_clip_on(False)
        self.on.add_artist(artist)

    def word(
        self, text: str, x: float, y: float, size: float = 10, **style: Any
    ) -> None:
        """Write a text; how it is placed says `Word`."""
        self._words.words.append(Word(drawable(text), x, y, size, **style))

    def boxes(self, boxes: ArrayLike, **style: Any) -> None:
        """Fill rectangles (N, 4), each its x, y, width and height."""
        self.add(PathPatch(rectangles(boxes), snap=True, **style))

    def line(self, x: ArrayLike, y: ArrayLike, **style: Any) -> None:
        """Draw a line, or markers, through points: with none, no room is kept."""
        if np.size(x):
            self.add(Line2D(x, y, **style))

    def lines(self, ends: Sequence[tuple[Ends, Ends]], **style: Any) -> None:
        """Draw straight lines, each from one point to another."""
        self.add(LineCollection(ends, **style))

    def arrow(self, start: Any, end: Any, color: str, thick: float) -> None:
        """Draw an arrow from one point (x, y) to another."""
        head: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 10}
        head |= {"shrinkA": 0, "shrinkB": 0}
        self.add(FancyArrowPatch(start, end, lw=thick, color=color, **head))

    def measured(self, x: Ends, y: Ends) -> "Area":
        """The same rectangle of a figure in other coordinates."""
        return Area(self.on, x, y, self.bounds)

    def across(self, y: float) -> tuple[Ends, Ends]:
        """The ends of a line from its left to its right."""
        return (self.x[0], y), (self.x[1], y)

    def upright(self, x: float) -> tuple[Ends, Ends]:
        """The ends of a line from its foot to its top."""
        return (x, self.y[0]), (x, self.y[1])


def rectangles(boxes: ArrayLike) -> Path:
    """One path of rectangles (N, 4), each its x, y, width and height."""
    x, y, w, h = np.asarray(boxes, dtype=np.float64).reshape(-1, 4).T
    corners = np.stack([x, y, x + w, y, x + w, y + h, x, y + h, x, y], axis=1)
    codes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY] * len(x)
    return Path(corners.reshape(-1, 2), codes)


def new_axes(across: float, down: float) -> Axes:
    """A new figure's Axes, the figure being so many inches across and down."""
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(across, down), layout="constrained")
    axes: Axes = figure.add_subplot()
    return axes

"""Weights as lines: from queries to keys, or as arcs above one row of words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ... import plots
from ...drawing import Array, Grid, StaticDrawing

LINE = 0.3  # inches from word to word, at rest
BETWEEN = 1.8  # inches from side to side, at rest


@dataclass(frozen=True, kw_only=True)
class AttentionLinks(Grid):
    """Queries on the left, keys on the right, each weight a line between them.

    Its sentence may hold {word}: the query in view. `back` is what is said when a key
    is in view, and `all_of_it` when nothing is. What is hidden has no line.

    Attributes:
        arcs: the words stand in one row, the same as queries and keys, below arcs.
        chosen: the query in view while none is pointed at, or -1.
    """

    axes: tuple[str, str] = ("query", "key")
    sentence: str = "what “{word}” looks at"
    back: str = "how much looks at “{word}”"
    all_of_it: str = "Point at a word to see its weights."
    arcs: bool = False
    chosen: int = -1

    kind = "links"
    still = ("rows", "columns", "axes", "arcs", "chosen")
    moving = ("back", "all_of_it")

    def at_rest(self, arrays: Mapping[str, Array]) -> StaticDrawing:
        """The lines between two columns of words, or the arcs above one row."""
        weights = arrays[self.name]
        return self._row_at_rest(weights) if self.arcs else self._sides_at_rest(weights)

    def _sides_at_rest(self, weights: Array) -> StaticDrawing:
        sides = self.rows, self.columns
        left, right = (plots.widest(words, 10) / 72 + 0.2 for words in sides)
        high = max(weights.shape)

        def draw(area: plots.Area) -> None:
            plots.draw_links(area, weights, *sides, self.hidden, self.palette)

        size = (BETWEEN, LINE * high)
        ends = ((0, 1), (high, 0))
        axes = f"{self.axes[0]} →  {self.axes[1]}"
        return StaticDrawing(self, size, ends, draw, (left, 0.0, right, 0.0), axes)

    def _row_at_rest(self, weights: Array) -> StaticDrawing:
        words = self.rows
        across = max(0.6, plots.widest(words, 10) / 72 + 0.15)

        def draw(area: plots.Area) -> None:
            draw_arcs(area, weights, words, self.chosen, self.palette, self.digits)

        size = (across * len(words), 1.9)
        ends = ((0, len(words)), (0, 1))
        return StaticDrawing(self, size, ends, draw, (0.12, -0.2, 0.0, 0.45))


def draw_arcs(
    area: plots.Area,
    weights: Array,
    words: Sequence[str],
    chosen: int,
    palette: str,
    digits: int,
) -> None:
    """Draw words in a row from 0 to T, above them an arc for each weight (T, T).

    An arc is the higher, up to 1, the farther it goes. Of a word that is `chosen` it
    shows the arcs alone, and each weight below its word.
    """
    T = len(words)
    seen = weights >= plots.FAINTEST
    if chosen >= 0:
        seen &= np.arange(T)[:, None] == chosen
    bends = []
    for q, k in np.argwhere(seen):
        wide, high = 0.3 * (q == k), 0.3 + abs(q - k) / T
        a, b = q + 0.5 - wide, k + 0.5 + wide
        bends.append([(a, 0), (a - wide, high), (b + wide, high), (b, 0)])
    plots.draw_bends(area, bends, weights[seen], palette)
    for n, word in enumerate(words):
        at = {"align": 0.5, "bold": n == chosen}
        area.word(plots.short(word), n + 0.5, 0, dy=-10, **at)
        if chosen >= 0:
            said = plots.number(weights[chosen, n], digits)
            if not plots.is_nothing(said):
                area.word(said, n + 0.5, 0, 9, dy=-25, align=0.5)

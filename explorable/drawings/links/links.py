"""Weights as lines: from queries to keys, or as arcs above one row of words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import plots
from ...drawing import PAGE, Array, Grid, StaticDrawing
from ...validation import require

LINE = 0.3  # inches from word to word, at rest
BETWEEN = 1.8  # inches from side to side, at rest
CELL = 0.52  # inches of a number that a word carries


@dataclass(frozen=True, kw_only=True)
class AttentionLinks(Grid):
    """Queries on the left, keys on the right, each weight a line between them.

    Its sentence may hold {word}: the query in view. `back` is what is said when a key
    is in view, and `all_of_it` when nothing is. What is hidden has no line.

    Attributes:
        arcs: the words stand in one row, the same as queries and keys, below arcs.
        chosen: the query in view while none is pointed at, or -1.
        features: what the numbers are that each word carries, such as those of its
            vector, if it does: they stand beside the words, those of the queries in
            the array NAME.rows and those of the keys in NAME.columns, shaded up to
            `vmax`. A query then goes to one key, and both are in view together.
        sayings: what is said of each query that carries numbers; or, of one with arcs,
            its note while it is in view.
    """

    axes: tuple[str, str] = ("query", "key")
    sentence: str = "what “{word}” looks at"
    back: str = "how much looks at “{word}”"
    all_of_it: str = "Point at a word to see its weights."
    arcs: bool = False
    chosen: int = -1
    features: Sequence[str] = ()
    vmax: float = 1.0
    sayings: Sequence[str] = ()

    kind = "links"
    still = ("rows", "columns", "axes", "arcs", "chosen", "features")
    moving = ("back", "all_of_it", "vmax", "sayings")

    def check(self, arrays: Mapping[str, Array]) -> None:
        """Raise unless every word that is to carry numbers does.

        Raises:
            ValueError: an array is missing, or has another shape.
        """
        if self.features:
            for words, carried in zip(
                self._sides(), self._carried(arrays), strict=True
            ):
                wanted = f"be {len(words)} × {len(self.features)}"
                fits = carried.shape == (len(words), len(self.features))
                require(fits, "what words carry", wanted, f"shape {carried.shape}")

    def table(self, arrays: Mapping[str, Array]) -> list[Sequence[str]]:
        """The weights, or what the words carry: of the queries, then of the keys."""
        if not self.features:
            return super().table(arrays)
        lines: list[Sequence[str]] = []
        sides = zip(self.axes, self._sides(), self._carried(arrays), strict=True)
        for side, words, carried in sides:
            lines.append([side, *self.features])
            rows = zip(words, carried.tolist(), strict=True)
            lines += [[word, *self.said(row)] for word, row in rows]
        return lines

    def _sides(self) -> tuple[Sequence[str], Sequence[str]]:
        return self.rows, self.columns

    def _carried(self, arrays: Mapping[str, Array]) -> list[Array]:
        names = f"{self.name}.rows", f"{self.name}.columns"
        return [arrays.get(name, np.empty((0, 0))) for name in names]

    def at_rest(self, arrays: Mapping[str, Array]) -> StaticDrawing:
        """The lines between two columns of words, or the arcs above one row."""
        weights = arrays[self.name]
        if self.arcs:
            return self._row_at_rest(weights)
        return self._sides_at_rest(weights, self._carried(arrays) * bool(self.features))

    def _sides_at_rest(self, weights: Array, carried: Sequence[Array]) -> StaticDrawing:
        sides = self._sides()
        left, right = (plots.widest(words, 10) / 72 + 0.2 for words in sides)
        high = max(weights.shape)

        strip = CELL * len(self.features)

        def draw(area: plots.Area) -> None:
            plots.draw_links(area, weights, *sides, self.hidden, self.palette)
            if carried:
                begins = -left - strip, BETWEEN + right
                for begin, numbers in zip(begins, carried, strict=True):
                    ends = -begin / CELL, (BETWEEN - begin) / CELL
                    self._draw_carried(area.measured(ends, area.y), numbers)

        size = (BETWEEN, LINE * high)
        ends = ((0, 1), (high, 0))
        axes = f"{self.axes[0]} →  {self.axes[1]}"
        room = (left + strip, 0.0, right + strip, 0.0)
        return StaticDrawing(self, size, ends, draw, room, axes)

    def _draw_carried(self, area: plots.Area, numbers: Array) -> None:
        none = np.zeros(numbers.shape, dtype=np.bool_)
        texts = [self.said(row) for row in numbers.tolist()]
        look: dict[str, Any] = {"palette": self.palette, "vmax": self.vmax}
        look["hidden"] = none
        plots.draw_cells(area, numbers, texts=texts, size=9, **look)

    def _row_at_rest(self, weights: Array) -> StaticDrawing:
        words = self.rows
        least = max(0.6, plots.widest(words, 10) / 72 + 0.15)
        across = max(least, (PAGE - 0.4) / len(words))  # arcs have a row of their own

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

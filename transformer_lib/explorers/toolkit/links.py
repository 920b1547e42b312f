"""Links: weights as lines from queries to keys, as LinksView and its twin draw them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .drawing import Drawing, Matrix


@dataclass(frozen=True, kw_only=True)
class Links(Drawing):
    """Queries at the left, keys at the right, each weight a line between them.

    Its sentence may hold {word}: the query in view. `back` is what is said when a key
    is in view, and `all_of_it` when nothing is.

    Attributes:
        rows, columns: the queries and the keys, in words.
        hidden: boolean, True where a query may not look: no line is drawn there.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    axes: tuple[str, str] = ("query", "key")
    sentence: str = "what “{word}” looks at"
    back: str = "how much looks at “{word}”"
    all_of_it: str = "Point at a word to see its weights."
    hidden: NDArray[np.bool_] | None = None

    kind = "links"
    still = ("rows", "columns", "axes")
    moving = ("back", "all_of_it")

    def table(self, arrays: Mapping[str, Matrix]) -> list[Sequence[str]]:
        """One row per query, one column per key; a hidden link says so."""
        lines = [self.said(row) for row in arrays[self.name].tolist()]
        if self.hidden is not None:
            for r, c in np.argwhere(self.hidden):
                lines[r][c] = "hidden"
        rows = zip(self.rows, lines, strict=True)
        return [["", *self.columns], *([label, *line] for label, line in rows)]

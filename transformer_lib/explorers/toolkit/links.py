"""Links: weights as lines from queries to keys, as LinksView and its twin draw them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ... import plots
from .drawing import Drawing, Matrix


@dataclass(frozen=True, kw_only=True)
class Links(Drawing):
    """Queries at the left, keys at the right, each weight a line between them.

    Its sentence may hold {word}: the query in view. `back` is what is said when a key
    is in view, and `all_of_it` when nothing is.

    Attributes:
        rows, columns: the queries and the keys, in words.
        axes: what they are, such as ("query", "key").
        hidden: boolean, True where a query may not look: no line is drawn there.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    axes: tuple[str, str] = ("query", "key")
    sentence: str = "what “{word}” looks at"
    back: str = "how much looks at “{word}”"
    all_of_it: str = "Point at a word to see its weights."
    hidden: NDArray[np.bool_] | None = None

    kind: ClassVar[str] = "links"
    still: ClassVar[tuple[str, ...]] = ("rows", "columns", "axes")
    moving: ClassVar[tuple[str, ...]] = ("back", "all_of_it")

    def frame(self) -> dict[str, Any]:
        """What stays while numbers change; sequences as lists, as they come back."""
        frame = super().frame()
        return frame | {name: list(frame[name]) for name in self.still}

    def about(self) -> str:
        """What rows and columns are."""
        return f"{self.axes[0]} ↓ {self.axes[1]} →"

    def table(self, arrays: Mapping[str, Matrix]) -> list[Sequence[str]]:
        """One row per query, one column per key; a hidden link says so."""
        values = arrays[self.name]
        hidden = np.zeros(values.shape, bool) if self.hidden is None else self.hidden
        lines = [
            [
                "hidden" if off else plots.number(float(x), self.digits)
                for x, off in zip(row, off_row, strict=True)
            ]
            for row, off_row in zip(values, hidden, strict=True)
        ]
        rows = zip(self.rows, lines, strict=True)
        return [["", *self.columns], *([label, *line] for label, line in rows)]

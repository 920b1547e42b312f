"""Panel: one matrix of a picture, as MatrixView and its still twin draw it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import plots
from .drawing import Drawing, Matrix


@dataclass(frozen=True, kw_only=True)
class Grid(Drawing):
    """Numbers between the labels of rows and columns; a mask may hide some of them.

    Attributes:
        rows, columns: labels, one per row and column.
        hidden: boolean, True where a cell is masked.
        veil: what a masked cell says; "" for what it holds.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    hidden: NDArray[np.bool_] | None = None
    veil: str = "hidden"

    def cells(self, values: Matrix) -> list[list[str]]:
        """What each cell says."""
        cells = [self.said(row) for row in values.tolist()]
        if self.veil and self.hidden is not None:
            for r, c in np.argwhere(self.hidden):
                cells[r][c] = self.veil
        return cells

    def table(self, arrays: Mapping[str, Matrix]) -> list[Sequence[str]]:
        """The cells' texts between the labels."""
        rows = zip(self.rows, self.cells(arrays[self.name]), strict=True)
        return [["", *self.columns], *([label, *cells] for label, cells in rows)]


@dataclass(frozen=True, kw_only=True)
class Panel(Grid):
    """One matrix of a picture: what it is called, how it reads, how a cell was made.

    Its sentence may hold {row} and {column}, the labels of the cell in view.

    Attributes:
        limit: the magnitude that is coloured in full.
        made: the operation that made its cells, as data; see `trace.Table`.
        editable: whether the reader may change it.
        toggles: the array of zeros and ones whose cell a click turns over, or "".
        words: what a cell that holds 0, 1, … says instead of the number.
        size: how large its cells are drawn; see `sized`. "fine", without gaps, is for
            a pattern that reads as one picture.
        chooses: (control, value) that a click on it or its heading sets, or ().
        chosen: whether that control has that value now.
    """

    limit: float = 1.0
    made: dict[str, Any] = field(default_factory=lambda: {"op": "given", "of": []})
    editable: bool = False
    toggles: str = ""
    words: Sequence[str] = ()
    size: str = ""
    chooses: tuple[str, Any] | tuple[()] = ()
    chosen: bool = False

    kind = "matrix"
    still = (
        *("rows", "columns", "axes", "editable"),
        *("toggles", "words", "veil", "size"),
    )
    moving = ("limit", "made", "chosen")

    def frame(self) -> dict[str, Any]:
        """What stays, with whether there is something to choose."""
        return super().frame() | {"chooses": bool(self.chooses)}

    def said(self, numbers: Iterable[float]) -> list[str]:
        """Numbers as texts, some of them as words."""
        words: dict[float, str] = dict(enumerate(self.words))
        return [words.get(x) or plots.number(x, self.digits) for x in numbers]


def sized(drawings: Sequence[Drawing]) -> list[Drawing]:
    """In reading order, the panels of each group with one size of cell.

    "large" up to 7 columns, "small" up to 16; without numbers "tiny" up to 32, and
    "minute" beyond. A panel that names its size keeps it.
    """
    widest: dict[tuple[int, int], int] = {}
    panels = [d for d in drawings if isinstance(d, Panel)]
    for p in panels:
        most = max(len(p.columns), len(p.rows) // 2)
        widest[p.band, p.group] = max(most, widest.get((p.band, p.group), 0))
    return [
        replace(d, size=_size(min(widest[d.band, d.group], len(d.columns) * 3)))
        if isinstance(d, Panel) and not d.size
        else d
        for d in sorted(drawings, key=lambda d: (d.band, d.group))
    ]


def _size(columns: int) -> str:
    most = {"large": 7, "small": 16, "tiny": 32}
    return next((size for size, n in most.items() if columns <= n), "minute")

"""Panel: one matrix of a picture, as MatrixView and its still twin draw it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ... import plots
from .drawing import FOOT, GAP, HEAD, Drawing, Matrix

CELLS = {  # inches across and down
    "large": (0.62, 0.40),
    "small": (0.46, 0.32),
    "tiny": (0.2, 0.2),
    "minute": (0.13, 0.13),
    "fine": (0.11, 0.11),
}
WORDLESS = ("tiny", "minute", "fine")


@dataclass(frozen=True, kw_only=True)
class Panel(Drawing):
    """One matrix of a picture: what it is called, how it reads, how a cell was made.

    Its sentence may hold {row} and {column}, the labels of the cell in view.

    Attributes:
        rows, columns: labels, one per row and column.
        axes: what rows and columns are, such as ("query", "key").
        limit: the magnitude that is coloured in full.
        made: the operation that made its cells, as data; see `trace.Table`.
        hidden: boolean, True where a cell is masked.
        editable: whether the reader may change it.
        toggles: the array of zeros and ones whose cell a click turns over, or "".
        words: what a cell that holds 0, 1, … says instead of the number.
        veil: what a masked cell says; "" for what it holds.
        size: how large its cells are drawn; see `sized`. "fine", without gaps, is for
            a pattern that reads as one picture.
        chooses: (control, value) that a click on it or its heading sets, or ().
        chosen: whether that control has that value now.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    axes: tuple[str, str]
    limit: float = 1.0
    made: dict[str, Any] = field(default_factory=lambda: {"op": "given", "of": []})
    hidden: NDArray[np.bool_] | None = None
    editable: bool = False
    toggles: str = ""
    words: Sequence[str] = ()
    veil: str = "hidden"
    size: str = ""
    chooses: tuple[str, Any] | tuple[()] = ()
    chosen: bool = False

    kind: ClassVar[str] = "matrix"
    still: ClassVar[tuple[str, ...]] = (
        *("rows", "columns", "axes", "editable"),
        *("toggles", "words", "veil", "size"),
    )
    moving: ClassVar[tuple[str, ...]] = ("limit", "made", "chosen")

    def frame(self) -> dict[str, Any]:
        """What stays while numbers change; sequences as lists, as they come back."""
        frame = super().frame()
        lists = ("rows", "columns", "axes", "words")
        lists_of = {name: list(frame[name]) for name in lists}
        return frame | lists_of | {"chooses": bool(self.chooses)}

    def cells(self, values: Matrix) -> list[list[str]]:
        """What each cell says."""
        words: dict[float, str] = dict(enumerate(self.words))
        cells = [
            [words.get(x) or plots.number(x, self.digits) for x in row.tolist()]
            for row in values
        ]
        if self.veil and self.hidden is not None:
            for r, c in np.argwhere(self.hidden):
                cells[r][c] = self.veil
        return cells

    def about(self) -> str:
        """What rows and columns are."""
        return f"{self.axes[0]} ↓ {self.axes[1]} →" if any(self.axes) else ""

    def table(self, arrays: Mapping[str, Matrix]) -> list[Sequence[str]]:
        """The cells' texts between the labels."""
        rows = zip(self.rows, self.cells(arrays[self.name]), strict=True)
        return [["", *self.columns], *([label, *cells] for label, cells in rows)]

    # ── the still picture ─────────────────────────────────────────────────────
    def _cell(self) -> tuple[float, float]:
        """Inches across and down: as much as the numbers and the labels need."""
        across, down = CELLS[self.size]
        if self.size == "fine":
            across = down = 7 / max(40, len(self.rows), len(self.columns))
        if len(self.columns) <= 3 and self.size not in WORDLESS:
            across = max(across, min(1.1, 0.095 * max(map(len, self.columns))))
        return across, down

    def _labels(self) -> float:
        """Inches left of the cells: as much as the longest row label needs."""
        return 0.3 + 0.085 * min(14, max(map(len, self.rows)))

    def _head(self) -> float:
        """Inches above the cells: more where the columns' labels stand upright."""
        longest = min(14, max(map(len, self.columns)))
        return HEAD + (0.065 * max(0, longest - 4) if self.size == "tiny" else 0)

    def extent(self) -> tuple[float, float]:
        """Inches across and down, the heading, the labels and the note included."""
        across, down = self._cell()
        width = max(self._labels() + across * len(self.columns), 2.2) + GAP
        return width, self._head() + down * len(self.rows) + FOOT

    def draw(
        self, figure: Figure, arrays: Mapping[str, Matrix], left: float, top: float
    ) -> None:
        """Draw it with its upper left corner at (left, top), in inches."""
        values = arrays[self.name]
        wide, high = figure.get_size_inches()
        cell = self._cell()
        across, down = cell[0] * len(self.columns), cell[1] * len(self.rows)
        x, y = left + self._labels(), top - self._head() - down
        ax = figure.add_axes((x / wide, y / high, across / wide, down / high))
        hidden = np.zeros(values.shape, bool) if self.hidden is None else self.hidden
        digits = None if self.size in WORDLESS else self.digits
        said = None if self.veil == "hidden" and not self.words else self.cells(values)
        look = self.palette, self.limit
        plots.draw_cells(ax, values, hidden, *look, digits=digits, texts=said)
        plots.draw_labels(ax, self.rows, self.columns, self.size == "tiny")
        ax.set_aspect("auto")
        axes = f"{self.axes[0]} ↓  {self.axes[1]} →" if self.axes[0] else ""
        self.draw_heading(figure, left, top, y - 0.2, axes)


def sized(drawings: Sequence[Drawing]) -> list[Drawing]:
    """Give the panels of each group one size of cell, so that their rows line up.

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
        for d in drawings
    ]


def _size(columns: int) -> str:
    most = {"large": 7, "small": 16, "tiny": 32}
    return next((size for size, n in most.items() if columns <= n), "minute")

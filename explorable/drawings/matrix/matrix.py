"""One matrix as a heat map, whose cells can be read, edited and explained."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import plots
from ...drawing import Array, Drawing, Grid, StaticDrawing
from ...operations import LEAF, Record

SIZES = {"large": 7, "small": 16, "tiny": 32}  # cells, up to so many columns
CELLS = {  # across and down, in inches
    "huge": (0.78, 0.50),
    "large": (0.62, 0.40),
    "small": (0.60, 0.36),
    "plain": (0.34, 0.34),
    "medium": (0.26, 0.26),
    "tiny": (0.23, 0.23),
    "minute": (0.16, 0.16),
    "slim": (0.23, 0.36),
}
THUMBNAIL = 0.34  # inches a side, of a picture beside a label
# Sizes whose cells do not hold their numbers.
WORDLESS = ("plain", "medium", "tiny", "slim", "minute", "fine")


@dataclass(frozen=True, kw_only=True)
class Matrix(Grid):
    """One matrix of a picture: what it is called, how it reads, how a cell was made.

    Its sentence may hold {row} and {column}, the labels of the cell in view.

    Attributes:
        vmax: the magnitude that is colored in full.
        provenance: how its cells were made, as data; see `trace.Table`.
        editable: whether the reader may change it: an input, as the explorer knows.
        toggles: the array of zeros and ones whose cell a click turns over, or "".
        words: what a cell that holds 0, 1, … says instead of the number.
        size: how large its cells are drawn; see `SIZES`. "fine", without gaps, is for
            a pattern that reads as one picture; "slim" is "tiny" across, and its rows
            are those of a "small" one; "huge" is for the one that all others lead to.
        chooses: (control, value) that a click on it or its heading sets, or None; of a
            range as value, a click on a column sets the number at its place.
        chosen: whether that control has that value now.
        tracked: whether the cells are outlined that the last change has changed.
        flagged: boolean, True where a cell is what must not be: red, with a "!". Such
            cells are explained first.
        outlined: boolean, True where a cell belongs to what the picture is about: such
            cells are explained first.
        followed: the row that is followed, such as a token's, or −1.
        opens: the row of the cell that is explained first, or −1 for any.
        blank_zeros: whether a number that rounds to 0 is written only while its cell is
            pointed at or explained: among weights the others are the point.
        faint: whether it no longer counts, as a head that was removed.
        aligns: whether the columns stand where those of the others of its group do that
            align, too: such tables have the same columns, and are read downward.
        row_pictures, column_pictures: for the first rows and columns, the names of
            pictures that stand beside their labels: arrays of red, green and blue of
            one cell after another, 0 to 1, as those of a `PixelGrid`.

    Its array may have more columns than there are labels: the first ones are shown.
    """

    vmax: float = 1.0
    provenance: Record = field(default_factory=LEAF.copy)
    editable: bool = False
    toggles: str = ""
    words: Sequence[str] = ()
    size: str = ""
    chooses: tuple[str, Any] | None = None
    chosen: bool = False
    tracked: bool = False
    flagged: NDArray[np.bool_] | None = None
    outlined: NDArray[np.bool_] | None = None
    followed: int = -1
    opens: int = -1
    blank_zeros: bool = False
    faint: bool = False
    aligns: bool = False
    row_pictures: Sequence[str] = ()
    column_pictures: Sequence[str] = ()
    longest: str = ""  # a label that there is room for; `among` adds those that align
    decimals: int = 0  # digits that there is room for; it takes the most of theirs

    kind = "matrix"
    needs_all = True  # a cell may be made of any array
    still = (
        *("rows", "columns", "axes", "editable"),
        *("toggles", "words", "masked_text", "size", "tracked", "chooses", "leads"),
        *("blank_zeros", "longest", "decimals", "row_pictures", "column_pictures"),
    )
    moving = ("vmax", "provenance", "chosen", "followed", "opens", "faint")

    def choice(self, row: int, column: int) -> tuple[str, Any] | None:
        """A click anywhere on it chooses it, or one of its columns."""
        if self.chooses is None:
            return None
        control, value = self.chooses
        return control, value[column] if isinstance(value, range) else value

    def said(self, numbers: Iterable[float]) -> list[str]:
        """Numbers as texts, some of them as words."""
        words: dict[float, str] = dict(enumerate(self.words))
        return [words.get(x) or plots.number(x, self.digits) for x in numbers]

    def shown(self, values: Array) -> Array:
        """The columns of an array that have a label: the first ones."""
        return values[:, : len(self.columns)]

    def cells(self, values: Array) -> list[list[str]]:
        """What each cell says."""
        cells = super().cells(self.shown(values))
        for r, c in np.argwhere(self.flagged) if self.flagged is not None else ():
            cells[r][c] += "!"
        return cells

    def among(self, group: Sequence[Drawing], inputs: Iterable[str]) -> "Matrix":
        """With one size of cell for its group, and editable where it is an input.

        "large" up to 7 columns, "small" up to 16; without numbers "tiny" up to 32, and
        "minute" beyond. One that names its size keeps it. What shows or turns over one
        of the inputs is editable.
        """
        each = [d for d in group if isinstance(d, Matrix)]
        widest = max(max(len(d.columns), len(d.rows) // 2) for d in each)
        wide = min(widest, len(self.columns) * 3)
        size = next((size for size, n in SIZES.items() if wide <= n), "minute")
        mine = not {self.name, self.toggles}.isdisjoint(inputs)
        fitted = replace(self, size=self.size or size, editable=mine)
        like = [d for d in each if d.aligns] if self.aligns else []
        rows = [self.longest, *(row for d in like for row in d.rows)]
        longest = max(rows, key=lambda row: plots.widest([row], 10))
        most = max([self.decimals, *(d.digits for d in like)])
        return replace(fitted, longest=longest, decimals=most)

    def at_rest(self, arrays: Mapping[str, Array]) -> StaticDrawing:
        """The cells with their numbers, between the labels."""
        values = self.shown(arrays[self.name])
        cell = self._cell()
        rows, columns = values.shape
        hidden = plots.mask_or_none(self.hidden, values.shape)
        rows_of_all = [*self.rows, self.longest] if self.longest else self.rows
        labels = plots.plan_labels(rows_of_all, self.columns, cell)

        def draw(area: plots.Area) -> None:
            silent = {"hidden"} if self.masked_text == "hidden" else set()
            if self.blank_zeros:
                silent.add(plots.number(0, self.digits))
            said = [] if self.size in WORDLESS else self.cells(values)
            look: dict[str, Any] = {"palette": self.palette, "vmax": self.vmax}
            texts = [["" if t in silent else t.strip() for t in line] for line in said]
            look["size"] = 12 if self.size == "huge" else 10 if cell[0] > 0.5 else 8
            look |= {"texts": texts, "hidden": hidden, "flagged": self.flagged}
            plots.draw_cells(area, values, **look)
            _frame(area, self.outlined)
            if self.faint:
                paper = {"fc": plots.PAPER["light"], "ec": "none", "alpha": 0.7}
                area.boxes([(0, 0, columns, rows)], **paper)
            if self.followed >= 0:
                row = [(-0.04, self.followed + 0.05, columns + 0.08, 0.9)]
                area.boxes(row, fc="none", ec=plots.INK, lw=2)
            plots.draw_labels(area, self.rows, self.columns, labels)
            wide, high = THUMBNAIL / cell[0], THUMBNAIL / cell[1]
            x, y = -(labels.left + 0.12) / cell[0], -(labels.above + 0.08) / cell[1]
            for n, name in enumerate(self.row_pictures):
                box = x - wide, n + 0.5 - high / 2, wide, high
                plots.thumbnail(area, arrays[name], box)
            for n, name in enumerate(self.column_pictures):
                box = n + 0.5 - wide / 2, y - high, wide, high
                plots.thumbnail(area, arrays[name], box)

        size = (cell[0] * columns, cell[1] * rows)
        ends = ((0, columns), (rows, 0))
        frame = 0.0 if self.chooses is None else 0.12  # the page's, at either side
        across = 0.15 + labels.left + frame, labels.right + frame
        beside, over = (
            (THUMBNAIL + 0.1) * bool(names)
            for names in (self.row_pictures, self.column_pictures)
        )
        above = max(0.0, labels.above - 0.2) + over
        room = across[0] + beside, above, across[1], 0.0
        axes = self.about() if self.axes[0] else ""
        return StaticDrawing(self, size, ends, draw, room, axes)

    def _cell(self) -> tuple[float, float]:
        """A cell's size at rest: wider where there are few columns with long names."""
        if self.size == "fine":
            side = 5.2 / max(32, len(self.rows), len(self.columns))
            return side, side
        across, down = CELLS[self.size]
        if len(self.columns) <= 3 and self.size not in WORDLESS:
            across = max(across, min(1.1, plots.widest(self.columns, 10) / 72 + 0.2))
        return across, down


def _frame(area: plots.Area, outlined: NDArray[np.bool_] | None) -> None:
    """Draw a frame in each cell that is outlined."""
    if outlined is not None:
        places = [(c + 0.03, r + 0.03) for r, c in np.argwhere(outlined)]
        boxes = [(*at, 0.94, 0.94) for at in places]
        area.boxes(boxes, fc="none", ec=plots.INK, lw=2)

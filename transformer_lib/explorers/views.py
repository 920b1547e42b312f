"""Views: widgets that draw arrays. Python computes, JavaScript draws."""

import math
import pathlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import anywidget
import numpy as np
import traitlets as T
from numpy.typing import NDArray

from .. import plots
from .inputs import LARGEST_NUMBER

STATIC = pathlib.Path(__file__).parent / "static"
SCRIPTS = ("common.js", "recipes.js", "editor.js", "floating.js", "matrix_view.js")
#: What a function may raise to refuse a change.
REFUSED = (ValueError, TypeError, IndexError, OverflowError)
Matrix = NDArray[np.float64]


def module(*files: str) -> str:
    """One self-contained text of these files, the view's own script last."""
    return "\n".join((STATIC / name).read_text("utf-8") for name in files)


def palette_css() -> str:
    """Every shade of every palette as a CSS class, for light and dark pages."""
    rules = []
    for theme, page in (("light", ".tl"), ("dark", "[data-jp-theme-light=false] .tl")):
        for hue in plots.HUES:
            for step in range(plots.STEPS + 1):
                paper, ink = plots.shade(hue, step, theme)
                rules.append(f"{page} .{hue}-{step}{{background:{paper};color:{ink}}}")
            line, _ = plots.shade(hue, plots.STEPS, theme)
            rules.append(f"{page} .of-{hue}{{--hue:{line}}}")
    return "\n".join(rules)


@dataclass(frozen=True)
class Panel:
    """One matrix of a picture: what it is called, how it reads, how a cell was made.

    Attributes:
        name: the array it shows.
        title, formula: its heading: what it is, and how it comes about.
        rows, columns: labels, one per row and column.
        axes: what rows and columns are, such as ("query", "key").
        palette: a key of `plots.HUES`.
        limit: the magnitude that is coloured in full.
        digits: decimals in the cells.
        sentence: what a cell says; {row}, {column} and {value} are filled in.
        recipe: how a cell is made of others; the kinds are in matrix_view.js.
        hidden: boolean, True where a cell is masked.
        note: one line under the matrix.
        editable: whether the reader may change it.
        toggles: the array of zeros and ones whose cell a click turns over, or "".
        words: what a cell that holds 0, 1, … says instead of the number.
        veil: what a masked cell says; "" for what it holds.
        group: panels of one group stand in one row of the picture.
        step: its number where the panels are steps of one computation, or 0.
        size: how large its cells are drawn; see `sized`.
    """

    name: str
    title: str
    formula: str
    rows: Sequence[str]
    columns: Sequence[str]
    axes: tuple[str, str]
    palette: str = "weights"
    limit: float = 1.0
    digits: int = 2
    sentence: str = ""
    recipe: dict[str, Any] = field(default_factory=dict)
    hidden: NDArray[np.bool_] | None = None
    note: str = ""
    editable: bool = False
    toggles: str = ""
    words: Sequence[str] = ()
    veil: str = "hidden"
    group: int = 0
    step: int = 0
    size: str = "large"

    def frame(self) -> dict[str, Any]:
        """What stays while numbers change, for the view: a change builds it anew."""
        return {
            "name": self.name,
            "title": self.title,
            "rows": list(self.rows),
            "columns": list(self.columns),
            "axes": list(self.axes),
            "palette": self.palette,
            "digits": self.digits,
            "editable": self.editable,
            "toggles": self.toggles,
            "words": list(self.words),
            "veil": self.veil,
            "step": self.step,
            "size": self.size,
        }

    def live(self) -> dict[str, Any]:
        """What may change with the numbers, for the view: it is changed in place."""
        moving = ("formula", "limit", "sentence", "recipe", "note")
        return {name: getattr(self, name) for name in moving}

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

    def text(self, values: Matrix) -> str:
        """This panel as a table of text."""
        cells = self.cells(values)
        table = [
            ["", *self.columns],
            *([n, *r] for n, r in zip(self.rows, cells, strict=True)),
        ]
        widths = [max(len(line[c]) for line in table) for c in range(len(table[0]))]
        lines = [
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
            for line in table
        ]
        about = f"{self.axes[0]} ↓ {self.axes[1]} →" if any(self.axes) else ""
        head = " · ".join(filter(None, (self.heading(), about, self.note)))
        return "\n".join([head, *(line.rstrip() for line in lines)])

    def heading(self) -> str:
        """What it is and how it comes about, in one line."""
        return f"{self.title}  {self.formula}".strip()


def sized(panels: Sequence[Panel]) -> list[Panel]:
    """Give the panels of each group one size of cell, so that their rows line up.

    "large" up to 7 columns, "small" up to 16, and "tiny", without numbers, beyond.
    """
    widest: dict[int, int] = {}
    for panel in panels:
        most = max(len(panel.columns), len(panel.rows) // 2)
        widest[panel.group] = max(most, widest.get(panel.group, 0))
    return [
        replace(panel, size=_size(min(widest[panel.group], len(panel.columns) * 3)))
        for panel in panels
    ]


def _size(columns: int) -> str:
    return "large" if columns <= 7 else "small" if columns <= 16 else "tiny"


class MatrixView(anywidget.AnyWidget):
    """Heat maps whose cells can be read, hovered, focused, pinned and edited.

    Args:
        edit: called with (matrix name, row, column, number) when the reader has typed
            a number; what it raises is shown next to the cell, and nothing is lost.

    Traits (all but `pin` flow from Python to the page):
        panels: what is drawn; see `Panel.frame`.
        groups: the panel names in each row of the picture.
        layout_of: [name, shape] of each array in `data`, in order.
        data: the arrays, float64, one after another.
        live: by panel name, what moves with the numbers; see `Panel.live`.
        message: why the last change was refused, or "".
        pin: {"panel", "row", "column"} of the cell held in view, or None.
    """

    _esm = module(*SCRIPTS)
    _css = module("matrix_view.css", "explanation.css") + palette_css()
    panels: T.List[Any] = T.List().tag(sync=True)
    groups: T.List[Any] = T.List().tag(sync=True)
    layout_of: T.List[Any] = T.List().tag(sync=True)
    data = T.Bytes(b"").tag(sync=True)
    live: Any = T.Dict().tag(sync=True)
    message = T.Unicode("").tag(sync=True)
    pin: Any = T.Dict(allow_none=True, default_value=None).tag(sync=True)

    def __init__(self, edit: Callable[[str, int, int, float], None]) -> None:
        self._edit = edit
        super().__init__()
        self.on_msg(self._answer)

    def show(self, panels: Sequence[Panel], arrays: dict[str, Matrix]) -> None:
        """Show these panels with these arrays, in one message to the page."""
        hidden = {
            f"{p.name}.hidden": p.hidden.astype(np.float64)
            for p in panels
            if p.hidden is not None
        }
        sent = {**arrays, **hidden}
        with self.hold_sync():
            self.panels = [p.frame() for p in panels]
            self.groups = [
                [p.name for p in panels if p.group == g]
                for g in sorted({p.group for p in panels})
            ]
            self.layout_of = [[name, list(x.shape)] for name, x in sent.items()]
            self.data = b"".join(
                np.ascontiguousarray(x, dtype=np.float64).tobytes()
                for x in sent.values()
            )
            self.live = {p.name: p.live() for p in panels}
            self.message = ""

    def _answer(self, _: object, content: dict[str, Any], __: object) -> None:
        """Try an edit and tell the page how it went."""
        if content.get("type") != "edit":
            return
        where = {k: content.get(k) for k in ("panel", "row", "column", "view", "turn")}
        try:
            value = parse_number(content["text"])
            if content["nudge"]:
                value = parse_number(repr(round(value + content["nudge"], 10)))
            self._edit(content["panel"], content["row"], content["column"], value)
        except REFUSED as error:
            self.send({"type": "refused", "why": str(error), **where})
        else:
            self.send({"type": "accepted", "text": repr(value), **where})


def parse_number(text: str) -> float:
    """Read what was typed into a cell.

    Raises:
        ValueError: it is no finite number, or beyond ±1 000 000.
    """
    shown = text if len(text) <= 20 else text[:19] + "…"
    shown = shown.encode("utf-8", "replace").decode()  # a lone surrogate cannot be sent
    try:
        value = float(text.strip().replace("−", "-"))
    except ValueError:
        hint = ": write the decimal point as a point" if "," in text else ""
        raise ValueError(f"“{shown}” is not a number{hint}") from None
    if not math.isfinite(value) or abs(value) > LARGEST_NUMBER:
        raise ValueError(f"“{shown}” is out of range: from −1000000 to 1000000")
    return value

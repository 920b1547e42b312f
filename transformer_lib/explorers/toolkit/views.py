"""Views: widgets that draw arrays. Python computes, JavaScript draws."""

import math
import pathlib
from collections.abc import Callable, Sequence
from typing import Any

import anywidget
import numpy as np
import traitlets as T

from ... import plots
from .drawing import Drawing, Matrix
from .inputs import LARGEST_NUMBER
from .links import Links
from .panel import Panel

STATIC = pathlib.Path(__file__).parent.parent / "static"
MATRIX = ("explain.js", "editor.js", "cells.js", "matrix_view.js")
LINKS = ("svg.js", "links_lines.js", "links_view.js")
CURVES = ("svg.js", "lines.js", "plane.js", "curves_view.js")
SHEETS = (
    *("view.css", "matrix_view.css", "links_view.css", "tiles_view.css"),
    *("bars_view.css", "curves_view.css", "explanation.css"),
)
#: What a function may raise to refuse a change.
REFUSED = (ValueError, TypeError, IndexError, OverflowError)


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


def styles() -> str:
    """The style sheet of every view, the shades included."""
    return module(*SHEETS) + palette_css()


class View(anywidget.AnyWidget):
    """Draws arrays, and lets the reader point at, focus and pin what they show.

    Traits (all but `pin` flow from Python to the page):
        panels: what is drawn; see `Drawing.frame`.
        groups: the names of the drawings in each row of the picture.
        layout_of: [name, shape] of each array in `data`, in order.
        data: the arrays, float64, one after another.
        live: by name, what moves with the numbers; see `Drawing.live`.
        message: why the last change was refused, or "".
        leads: whether it stands first in its explorer, and so shows the message.
        pin: {"panel", "row", "column"} of the place held in view, or None.
    """

    _css = styles()
    panels: T.List[Any] = T.List().tag(sync=True)
    groups: T.List[Any] = T.List().tag(sync=True)
    layout_of: T.List[Any] = T.List().tag(sync=True)
    data = T.Bytes(b"").tag(sync=True)
    live: Any = T.Dict().tag(sync=True)
    message = T.Unicode("").tag(sync=True)
    leads = T.Bool(True).tag(sync=True)
    pin: Any = T.Dict(allow_none=True, default_value=None).tag(sync=True)

    def show(self, drawings: Sequence[Drawing], arrays: dict[str, Matrix]) -> None:
        """Show these drawings of these arrays, in one message to the page."""
        sent = self.needed(drawings, arrays)
        with self.hold_sync():
            self.panels = [p.frame() for p in drawings]
            self.groups = [
                [p.name for p in drawings if p.group == g]
                for g in sorted({p.group for p in drawings})
            ]
            self.layout_of = [[name, list(x.shape)] for name, x in sent.items()]
            self.data = b"".join(
                np.ascontiguousarray(x, dtype=np.float64).tobytes()
                for x in sent.values()
            )
            self.live = {p.name: p.live() for p in drawings}
            self.message = ""

    def needed(
        self, drawings: Sequence[Drawing], arrays: dict[str, Matrix]
    ) -> dict[str, Matrix]:
        """The arrays that the page needs: a drawing's own, `name` and `name.…`."""
        names = {d.name for d in drawings}
        own = {n: x for n, x in arrays.items() if n.partition(".")[0] in names}
        return {**own, **hidden_cells(drawings)}


def hidden_cells(drawings: Sequence[Drawing]) -> dict[str, Matrix]:
    """For each drawing with a mask, which of its numbers are hidden, as 0 and 1."""
    return {
        f"{d.name}.hidden": d.hidden.astype(np.float64)
        for d in drawings
        if isinstance(d, Panel | Links) and d.hidden is not None
    }


class LinksView(View):
    """Queries joined to keys by lines, one word's weights in view at a time."""

    _esm = module("common.js", "stage.js", "explain.js", *LINKS)


class TilesView(View):
    """Numbers that keep their face and glide to where they lie now."""

    _esm = module("common.js", "stage.js", "tiles_view.js")


class MatrixView(View):
    """Heat maps whose cells can be read, hovered, focused, pinned and edited.

    Args:
        edit: called with (matrix name, row, column, number) when the reader has typed
            a number; what it raises is shown next to the cell, and nothing is lost.
        choose: called with a matrix's name when the reader chooses it.
    """

    _esm = module("common.js", "stage.js", *MATRIX)

    def __init__(
        self,
        edit: Callable[[str, int, int, float], None],
        choose: Callable[[str], None],
    ) -> None:
        self._edit, self._choose = edit, choose
        super().__init__()
        self.on_msg(self._answer)

    def needed(
        self, drawings: Sequence[Drawing], arrays: dict[str, Matrix]
    ) -> dict[str, Matrix]:
        """Every array, since a cell may be made of any, and which cells are masked."""
        return {**arrays, **hidden_cells(drawings)}

    def _answer(self, _: object, content: dict[str, Any], __: object) -> None:
        """Choose a matrix; or try an edit and tell the page how it went."""
        if content.get("type") == "choose":
            self._choose(str(content.get("panel")))
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


class BarsView(View):
    """Bars around a zero line that can be read, hovered, focused and pinned."""

    _esm = module("common.js", "stage.js", "explain.js", "bars_view.js")


class CurvesView(View):
    """Curves over one axis, and points on a circle, that can be read and pinned."""

    _esm = module("common.js", "stage.js", "explain.js", *CURVES)


#: The view of each kind of drawing, but for "matrix", whose view takes edits.
VIEWS: dict[str, type[View]] = {
    "links": LinksView,
    "tiles": TilesView,
    "curves": CurvesView,
    "bars": BarsView,
}


def parse_number(text: str) -> float:
    """Read what was typed into a cell.

    Raises:
        ValueError: it is no finite number, or beyond ±1 000 000.
    """
    shown = text if len(text) <= 20 else text[:19] + "…"
    # One line whatever was typed; and a lone surrogate could not be sent.
    shown = "".join(c if c.isprintable() else "�" for c in shown)
    try:
        value = float(text.strip().replace("−", "-"))
    except ValueError:
        hint = ": write the decimal point as a point" if "," in text else ""
        raise ValueError(f"“{shown}” is not a number{hint}") from None
    if not math.isfinite(value) or abs(value) > LARGEST_NUMBER:
        raise ValueError(f"“{shown}” is out of range: from −1000000 to 1000000")
    return value

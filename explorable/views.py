"""Views: widgets that draw arrays. Python computes, JavaScript draws."""

import base64
import pathlib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any

import anywidget
import numpy as np
import traitlets as T
from numpy.typing import NDArray

from . import plots
from .drawing import Array, Drawing
from .validation import in_a_line

HOME = pathlib.Path(__file__).parent
STATIC = HOME / "static"
IMPORT = re.compile(r'^import (\{[^}]+\}) from "(.+)";$', re.MULTILINE)
EXPORT = re.compile(
    r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE
)
UNKNOWN = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
THEMES = ("light", "dark")
#: What a function may raise to refuse a change.
REFUSED = (ValueError, TypeError, IndexError, OverflowError)


def module(entry: pathlib.Path) -> str:
    """One self-contained ES module: a file below the scopes of all that it imports.

    Raises:
        ValueError: a file imports or exports in another way than `import { … } from`
            and `export` before a function, a constant or a class.
    """
    scopes = dict[pathlib.Path, tuple[str, str]]()
    own = _linked(entry.resolve(), scopes)
    return "\n".join([*(scope for _, scope in scopes.values()), own])


def _linked(path: pathlib.Path, scopes: dict[pathlib.Path, tuple[str, str]]) -> str:
    """A file's text, with its imports replaced by the scopes of the imported files."""

    def take(found: re.Match[str]) -> str:
        names, place = found.groups()
        own = place.startswith("explorable/")  # from the outside, by the package's name
        source = ((HOME.parent if own else path.parent) / place).resolve()
        if source not in scopes:
            text = _linked(source, scopes)
            scope = f"${len(scopes)}_{source.stem}"
            scopes[source] = scope, _scope(scope, text, source)
        return f"const {names.replace(' as ', ': ')} = {scopes[source][0]};"

    return IMPORT.sub(take, path.read_text("utf-8"))


def _scope(name: str, text: str, source: pathlib.Path) -> str:
    """Wrap a file in a scope of its own that returns its exports."""
    exported = ", ".join(EXPORT.findall(text))
    inside = EXPORT.sub("", text)
    if unknown := UNKNOWN.search(inside):
        raise ValueError(f"{source.name} must export names, got {unknown[0]!r}")
    return f"const {name} = (() => {{\n{inside}\nreturn {{ {exported} }};\n}})();"


def stylesheet(*folders: pathlib.Path) -> str:
    """One style sheet of all those in these folders."""
    files = [file for folder in folders for file in sorted(folder.glob("*.css"))]
    return "\n".join(file.read_text("utf-8") for file in files)


def fonts_css() -> str:
    """The typeface of every explorer, within the style sheet: nothing is fetched."""
    weights = {"Regular": "100 500", "Bold": "600 900"}
    face = (
        "@font-face{{font-family:{};font-weight:{};"
        "src:url(data:font/ttf;base64,{}) format('truetype')}}"
    )
    return "\n".join(
        face.format(
            plots.FAMILY,
            weights[file.stem.partition("-")[2]],
            base64.b64encode(file.read_bytes()).decode(),
        )
        for file in plots.FONTS
    )


def palette_css() -> str:
    """Every shade of every hue and its ink, for light and dark pages.

    The hue is a class of the element around the cells. How strong it is, 0 to
    `plots.STEPS`, is a class of the cell itself, and so is "of-negative", below 0.
    Every color is written out here, so that the page mixes none: thousands of cells
    may change at once.
    """
    steps = range(plots.STEPS + 1)
    rules = list[str]()
    for own, shade, ink in (("", "s", "i"), (".of-negative", "n", "m")):
        look = "{0}.tl-{1}{{background:var(--{2}{1});color:var(--{3}{1})}}"
        rules += [look.format(own, step, shade, ink) for step in steps]
    anywhere = ":is(.tl,.tl-account)"  # in the panels, and in what is said beside them
    for hue in plots.HUES:
        themes = [[plots.shade(hue, n, theme) for n in steps] for theme in THEMES]
        pairs = [light_dark(*colors) for colors in zip(*themes, strict=True)]
        rules.append(f"{anywhere} .of-{hue}:not(td){{--hue:{pairs[-1][0]}}}")
        shade, ink = "si"
        around = f".tl :is(.tl-panel,.tl-side).of-{hue}"
        if hue == "negative":
            shade, ink = "nm"
            around = ".tl"
        set_both = f"--{shade}{{0}}:{{1}};--{ink}{{0}}:{{2}}".format
        both = ";".join(set_both(n, *pair) for n, pair in enumerate(pairs))
        rules.append(f"{around}{{{both}}}")
    return "\n".join(rules)


def light_dark(light: tuple[str, str], dark: tuple[str, str]) -> list[str]:
    """A shade and its ink, each as it is on a light page and on a dark one."""
    both = zip(light, dark, strict=True)
    return [a if a == b else f"light-dark({a},{b})" for a, b in both]


class View(anywidget.AnyWidget):
    """Draws arrays, and lets the reader point at, focus and pin their cells.

    Traits (all but `pin` and `moved` flow from Python to the page):
        panels: what is drawn; see `Drawing.frame`.
        groups: the names of the drawings in each row of the picture.
        layout_of: [name, shape] of each array in `data`, in order.
        data: the arrays, float64, one after another.
        live: by name, what changes with the numbers; see `Drawing.live`.
        message: why the last change was refused, or "".
        tells: whether it is the view that explains at first, and so shows the message.
        pin: {"panel", "row", "column"} of the pinned place, or None.
        moved: {"type": "move", "panel", "row", "values"}: what the reader moved last;
            or {"type": "paint", "strokes", "turn"}: what was painted and not answered
            yet; by the picture's name, [row, column, number] of its array.

    Args:
        edit: called with (matrix name, row, column, number) when the reader has typed
            a number, with (…, row, None, numbers) for a row that was moved, and with
            (…, None, None, cells) for cells that were painted; what it raises is shown,
            and nothing is lost.
        choose: called with (name, row, column) of the place that the reader chooses.
        refuse: called with the error, where a change was refused or has failed.
    """

    panels: T.List[Any] = T.List().tag(sync=True)
    groups: T.List[Any] = T.List().tag(sync=True)
    layout_of: T.List[Any] = T.List().tag(sync=True)
    data = T.Bytes(b"").tag(sync=True)
    live: Any = T.Dict().tag(sync=True)
    message = T.Unicode("").tag(sync=True)
    tells = T.Bool(True).tag(sync=True)
    pin: Any = T.Dict(allow_none=True, default_value=None).tag(sync=True)
    moved: Any = T.Dict().tag(sync=True)

    def __init__(
        self,
        edit: Callable[..., None],
        choose: Callable[[str, int, int], None],
        refuse: Callable[[Exception], None],
    ) -> None:
        self._edit = edit
        self._choose = choose
        self._refuse = refuse
        super().__init__()
        self.on_msg(self._answer)
        self.observe(lambda change: self._answer(None, change.new, None), "moved")

    def show(self, drawings: Sequence[Drawing], arrays: dict[str, Array]) -> None:
        """Show these drawings of these arrays, in one message to the page."""
        self._arrays = arrays
        sent = self._sent(drawings)
        groups = groupby(drawings, key=lambda d: d.group)  # they come in this order
        with self.hold_sync():
            self.panels = [d.frame() for d in drawings]
            self.groups = [[d.name for d in group] for _, group in groups]
            self.layout_of = [[name, list(x.shape)] for name, x in sent.items()]
            self.data = b"".join(x.astype(np.float64).tobytes() for x in sent.values())
            self.live = {d.name: d.live() for d in drawings}
            self.message = ""

    def _sent(self, drawings: Sequence[Drawing]) -> dict[str, NDArray[Any]]:
        """A drawing's own arrays, `name` and `name.…`, and which cells are marked."""
        sent = dict[str, NDArray[Any]](self._arrays)
        if not any(d.needs_all for d in drawings):
            names = tuple(f"{d.name}." for d in drawings)  # one may hold points itself
            sent = {n: x for n, x in sent.items() if f"{n}.".startswith(names)}
        for which in ("hidden", "flagged", "outlined"):
            marks = {f"{d.name}.{which}": getattr(d, which, None) for d in drawings}
            sent |= {name: x for name, x in marks.items() if x is not None}
        return sent

    def _answer(self, _: object, content: dict[str, Any], __: object) -> None:
        """Choose a panel, flip a 0 or 1, move a row, paint, or read a typed number."""
        kind = content.get("type")
        if kind == "paint":
            self._paint(content["strokes"], content["turn"])
        elif kind == "edit":
            self._try(content)
        elif kind:
            try:
                self._take(kind, content["panel"], content)
            except Exception as error:
                self._refuse(error)

    def _take(self, kind: str, name: str, content: dict[str, Any]) -> None:
        """Choose a panel, flip a 0 or 1, or move a row."""
        if kind == "choose":
            self._choose(name, content.get("row", 0), content.get("column", 0))
        elif kind == "move":
            self._edit(name, content["row"], None, content["values"])
        elif kind == "turn":
            row, column = content["row"], content["column"]
            self._edit(name, row, column, 1 - self._arrays[name][row, column])

    def _try(self, content: dict[str, Any]) -> None:
        """Read what was typed into a cell, and tell the cell the outcome."""
        names = ("panel", "row", "column", "turn")
        where = {name: content.get(name) for name in names}
        try:
            value = parse_number(content["text"], content["nudge"])
            self._edit(where["panel"], where["row"], where["column"], value)
            self.send({"type": "accepted", "text": repr(value), **where})
        except Exception as error:
            self.send({"type": "refused", "why": reason(error), **where})

    def _paint(self, strokes: Mapping[str, list[Any]], turn: str) -> None:
        """Paint each picture, and tell the page which strokes are done."""
        try:
            for name, cells in strokes.items():
                try:
                    self._edit(name, None, None, cells)
                except Exception as error:
                    self._refuse(error)
        finally:
            self.send({"type": "painted", "turn": turn})


def reason(error: Exception) -> str:
    """Why nothing has changed: a refusal as it is, another error in a line."""
    return str(error) if isinstance(error, REFUSED) else in_a_line(error)


@cache
def view_in(folder: pathlib.Path) -> type[View]:
    """The view of the kind of drawing in a folder: KIND_view.js and *.css."""
    esm = module(folder / f"{folder.name}_view.js")
    files = {"_esm": esm, "_css": stylesheet(folder)}
    return type(f"{folder.name.title()}View", (View,), files)


def parse_number(text: str, nudge: float = 0.0) -> float:
    """Read what was typed into a cell, and add a small step to it.

    Raises:
        ValueError: it is no number.
    """
    try:
        value = float(text.strip().replace("−", "-"))
    except ValueError:
        # One line whatever was typed; and a lone surrogate could not be sent.
        shown = text if len(text) <= 20 else text[:19] + "…"
        shown = "".join(c if c.isprintable() else "�" for c in shown)
        hint = ": write the decimal point as a point" if "," in text else ""
        raise ValueError(f"“{shown}” is not a number{hint}") from None
    return round(value + nudge, 10) if nudge else value

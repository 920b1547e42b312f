"""A bare page that draws explorers: no JupyterLab and no kernel, but their own modules.

Python here is the kernel: what an explorer tells its views reaches the page in one
call, before the page is asked anything; and what the page tells (a pin, an edit,
another order of words) reaches the explorer.

    page.draw(explorer)                    # its views; its controls are moved in Python
    explorer.controls["temperature"].value = 2.0
    assert page.shown() == account(explorer)
    page.cell("Q", 0, 0).focus()
    page.press("Enter", "7", "Enter")
    assert explorer.inputs["Q"][0, 0] == 7
"""

import json
import pathlib
import sys
from collections.abc import Iterable
from typing import Any

from playwright.sync_api import Locator, Page
from views.wire import Wire, described, tree, views_of, written

HTML = pathlib.Path(__file__).with_name("page.html").read_text("utf-8")
THEMES = pathlib.Path(sys.prefix, "share/jupyter/lab/themes/@jupyterlab")
ADDRESS = "http://127.0.0.1/bare"
# What every cell and every bar says, the labels of tables, and what stands above and
# below the drawings that are no tables.
SHOWN = """root => {
    const all = (what, of = root) => [...of.querySelectorAll(what)];
    const texts = (what, of) => all(what, of).map((node) => node.textContent);
    const cells = all(".tl :is(td, .tl-pixel)[role=gridcell]").map((td) =>
        [td.dataset.panel, +td.dataset.row, td.ariaLabel ?? td.firstChild.textContent]);
    const bars = all(".tl-bar").map((bar) => [bar.dataset.panel, +bar.dataset.row,
        bar.querySelector("b").textContent]);
    const tables = all(".tl table").map((table) =>
        [table.querySelector("td[role=gridcell]").dataset.panel,
            texts("tbody th", table), texts("thead th", table)]);
    const boxes = all(".tl-panel").filter((box) =>
        !box.querySelector("td") && box.checkVisibility());
    const parts = ["figcaption > b", "figcaption > span", ".tl-note"];
    const heads = boxes.map((box) =>
        parts.map((part) => box.querySelector(part).textContent));
    const message = texts(".tl-message").join();
    const found = { numbers: [...cells, ...bars], tables, heads, message };
    return JSON.stringify(found);  // Playwright takes ten times as long over an object
}"""
LAID_OUT = """() => new Promise((done) => requestAnimationFrame(() =>
    requestAnimationFrame(() => requestAnimationFrame(done))))"""
HEAR = "text => bare.hear(JSON.parse(text))"  # which is quicker than an object
HEAR_AND_SHOW = f"""text => {{
    ({HEAR})(text);
    return ({SHOWN})(document.body);
}}"""
# Put the focus on a cell; how its view says that it was made.
EXPLAIN = """([panel, row, column]) => {
    const of = (td) => [td.dataset.panel, +td.dataset.row, +td.dataset.column];
    const at = `[data-panel="${CSS.escape(panel)}"][data-row="${row}"]`;
    const td = document.querySelector(`td${at}[data-column="${column}"]`);
    td.focus();
    const view = td.closest(".tl");
    const said = document.querySelector(".tl-speaks");
    const chips = [...said.querySelectorAll(".tl-chip")].map((chip) =>
        [...chip.children].map((part) => part.textContent));
    const operands = [...view.querySelectorAll(".tl-operand")].map(of);
    return [said.querySelector(".tl-about").textContent, chips, operands];
}"""


class BarePage:
    """One page that draws explorers, one set after another."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._unheard: list[Any] = []  # what Python has said since the page was asked
        self._known: dict[str, Any] = {}
        self._gone: dict[str, Any] = {}  # it may speak until the page is cleared
        self._kinds: set[str] = set()
        self._drawn: tuple[Any, ...] = ()
        self._dark: bool | None = None
        page.route(
            ADDRESS, lambda route: route.fulfill(body=HTML, content_type="text/html")
        )
        page.expose_binding("kernel", self._kernel)
        self.reload()

    @property
    def page(self) -> Page:
        """The page, when it has heard all that Python has said."""
        self._tell()
        return self._page

    def _tell(self) -> None:
        if self._unheard:
            self._page.evaluate(HEAR, self._heard())

    def _heard(self) -> str:
        messages = json.dumps(self._unheard)
        self._unheard.clear()
        return messages

    def reload(self, dark: bool = False) -> None:
        """Open the page anew, with nothing drawn."""
        self._known.clear()
        self._kinds.clear()
        self._dark = None
        self.page.goto(ADDRESS)
        self.page.wait_for_function("window.bare")
        self.theme(dark)

    def theme(self, dark: bool) -> None:
        """Bring the page into JupyterLab's dark theme, or its light one."""
        if dark is self._dark:
            return
        self._dark = dark
        name = f"theme-{'dark' if dark else 'light'}-extension"
        sheet = (THEMES / name / "index.css").read_text("utf-8")
        self.page.evaluate(
            """([sheet, light]) => {
                document.querySelector("#theme").textContent = sheet;
                document.body.dataset.jpThemeLight = light;
            }""",
            [sheet, str(not dark).lower()],
        )

    # ── drawing ───────────────────────────────────────────────────────────────
    def draw(self, *explorers: Any) -> None:
        """Draw these explorers, or single views; one that is named twice is twice."""
        self._gone, self._known = self._known, {}
        self._unheard.clear()
        self._drawn = explorers
        self._place("bare.clear();")
        for explorer in explorers:  # which may have another view later
            panels = getattr(explorer, "_panels", explorer)
            panels.observe(lambda _: self._place(), names="children")

    def _place(self, first: str = "") -> None:
        found = {w.comm.comm_id: w for e in self._drawn for w in views_of(e)}
        new = {id: w for id, w in found.items() if id not in self._known}
        self._known |= new
        told = [described(id, w) for id, w in new.items()]
        kinds = {type(w).__name__: written(w) for w in new.values()}
        unknown = {name: kinds[name] for name in kinds.keys() - self._kinds}
        self._kinds |= unknown.keys()
        trees = [tree(explorer) for explorer in self._drawn]
        self.page.evaluate(
            f"async text => {{ {first} await bare.draw(...JSON.parse(text)); }}",
            json.dumps([trees, told, unknown, self._hidden()]),
        )
        for id, widget in new.items():
            widget.comm = Wire(self._unheard, id)
            widget.layout.observe(self._hide, names="display")

    def _hidden(self) -> list[str]:
        return [id for id, w in self._known.items() if w.layout.display == "none"]

    def _hide(self, _: object) -> None:
        self.page.evaluate("ids => bare.hide(ids)", self._hidden())

    def _kernel(self, _: object, id: str, message: dict[str, Any]) -> None:
        """Do what the kernel does with a message from the page."""
        widget = (self._gone | self._known)[id]
        if message["method"] == "update":
            widget.set_state(message["state"])
        else:
            widget._handle_custom_msg(message["content"], [])
        self._tell()

    def settle(self) -> None:
        """Wait until Python has answered whatever the page has told it so far."""
        self.page.evaluate("bare.settled()")

    def lay_out(self) -> None:
        """Wait until whatever observes sizes has heard of them and acted."""
        self.page.evaluate(LAID_OUT)

    # ── what is shown ─────────────────────────────────────────────────────────
    def shown(self) -> dict[str, Any]:
        """What stands in the page, as `account` gives it for an explorer."""
        return sorted_out(self._page.evaluate(HEAR_AND_SHOW, self._heard()))

    def find(self, css: str) -> Locator:
        """What the page holds of this kind, once Python has answered."""
        self.settle()
        return self.page.locator(css)

    def cell(self, panel: str, row: int, column: int) -> Locator:
        place = f'[data-row="{row}"][data-column="{column}"]'
        return self.find(f'td[data-panel="{panel}"]{place}')

    def explanation(self, panel: str, row: int, column: int) -> tuple[Any, ...]:
        """Go to a cell: its sentence, its chips [sign, above, below], its operands.

        An operand is [panel, row, column].
        """
        return tuple(self.page.evaluate(EXPLAIN, [panel, row, column]))

    def texts(self, css: str) -> list[str]:
        return self.find(css).all_text_contents()

    # ── what a reader does ────────────────────────────────────────────────────
    def point_at(self, css: str, nth: int = 0) -> None:
        """Move the mouse onto the first node of this kind."""
        self.find(css).nth(nth).hover()

    def press(self, *keys: str) -> None:
        """Press keys one after another; each is answered before the next."""
        for key in keys:
            self.page.keyboard.press(key)
            self.settle()

    def type_into(self, cell: Locator, text: str, end: str = "Enter") -> None:
        """Type a number into a cell with the keyboard alone."""
        cell.focus()
        self.press("Enter", "ControlOrMeta+a")
        self.page.keyboard.insert_text(text)
        self.press(end)


def sorted_out(text: str) -> dict[str, Any]:
    """What SHOWN found, by the drawings' names."""
    found = json.loads(text)
    numbers: dict[str, list[list[str]]] = {}
    for name, row, text in found["numbers"]:
        rows = numbers.setdefault(name, [])
        rows.extend([] for _ in range(row + 1 - len(rows)))
        rows[row].append(text)
    labels = {name: [rows, columns] for name, rows, columns in found["tables"]}
    heads, message = sorted(found["heads"]), found["message"]
    return {"numbers": numbers, "labels": labels, "heads": heads, "why": message}


# ── Python's own account of what the page must show ───────────────────────────
def account(explorer: Any) -> dict[str, Any]:
    """Its numbers and labels, the headings of what is no table, and why it refused."""
    drawn = explorer.drawings
    tables = [d for d in drawn if d.kind == "matrix"]
    celled = [d for d in drawn if d.kind in ("matrix", "picture")]
    numbers = {d.name: d.cells(explorer.values[d.name]) for d in celled}
    for d in (d for d in drawn if d.kind == "bars"):
        numbers[d.name] = d.texts(explorer.values[d.name])
    labels = {d.name: [named(d.rows), named(d.columns)] for d in tables}
    heads = sorted([d.title, d.formula, d.note] for d in drawn if d.kind != "matrix")
    why = explorer.view.message
    return {"numbers": numbers, "labels": labels, "heads": heads, "why": why}


def named(labels: Iterable[str]) -> list[str]:
    """Labels as the page writes them: one without a letter is a dot."""
    return [label or "·" for label in labels]

"""An explorer of the gallery in a notebook: found by its output, moved, compared."""

import re
from typing import Any

from gallery import Exhibit
from lab.explorer_page import ExplorerPage
from lab.lab import settle
from playwright.sync_api import Locator, Page, expect

# What an output shows: the texts of its cells, and the headings of what has no cells.
SHOWN = """output => {
    const all = (what) => [...output.querySelectorAll(what)];
    const cells = all(".tl td[role=gridcell]").map(td => [td.dataset.panel,
        +td.dataset.row, td.ariaLabel ?? td.firstChild.textContent]);
    const drawn = all(".tl-panel").filter(box =>
        !box.querySelector("td") && box.checkVisibility());
    const parts = ["figcaption > b", "figcaption > span", ".tl-note"];
    const heads = drawn.map(box =>
        parts.map(part => box.querySelector(part).textContent));
    return { cells, heads };
}"""
# Press keys of the focused node, faster than hands can, and give no time to answer.
PRESS = """async (keys) => {
    for (const key of keys) {
        const event = { key, bubbles: true, cancelable: true };
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", event));
        await new Promise(done => setTimeout(done, 4));
    }
}"""
KINDS = ".widget-slider, .widget-toggle-buttons, .widget-checkbox, .widget-dropdown,"
KINDS += ".widget-text"

LAST_CHANGE = """all => {
    window.pressed = window.changed = performance.now();
    const press = () => { window.pressed = performance.now(); };
    addEventListener("keydown", press, { capture: true });
    const watcher = new MutationObserver(() => requestAnimationFrame(() => {
        window.changed = performance.now();
    }));
    const what = { subtree: true, childList: true, attributeFilter: ["class"] };
    for (const node of all) watcher.observe(node, { ...what, characterData: true });
}"""


def matrices(explorer: Any) -> dict[str, list[list[str]]]:
    """What every cell of every matrix of an explorer says, by Python's own account."""
    drawn = [p for p in explorer._current_panels() if p.kind == "matrix"]
    return {p.name: p.cells(explorer.values[p.name]) for p in drawn}


def headings(explorer: Any) -> list[list[str]]:
    """What stands above and below each drawing but the matrices."""
    drawn = [p for p in explorer._current_panels() if p.kind != "matrix"]
    return sorted([p.title, p.formula, p.note] for p in drawn)


def ends_of(control: Any) -> list[Any]:
    """The values that a control is driven to: its ends, or every choice it offers."""
    if hasattr(control, "options"):
        values = list(control.options)
        return [values[-1], values[0]] if is_slider(control) else values
    if isinstance(control.value, bool):
        return [not control.value, control.value]
    if hasattr(control, "min"):
        return [control.max, control.min]
    return []  # a text: see test_nasty_text.py


def is_slider(control: Any) -> bool:
    return "Slider" in type(control).__name__


def is_row_of_words(control: Any) -> bool:
    return type(control).__name__ == "OrderView"


class ExhibitPage(ExplorerPage):
    """The nth explorer of a notebook, with all of its views."""

    def __init__(self, page: Page, exhibit: Exhibit, nth: int = 0) -> None:
        self.page, self.exhibit = page, exhibit
        self.output = page.locator(".jp-OutputArea-output:has(.tl-explorer)").nth(nth)
        self.output.scroll_into_view_if_needed()
        self.view = self.output.locator(".tl")
        self.view.first.wait_for()

    # ── what moves ────────────────────────────────────────────────────────────
    def handle(self) -> Locator:
        """Focus what moves: the slider, or the editor of the cell that is nudged."""
        if self.exhibit.label:
            handle = self.slider(re.escape(self.exhibit.label))
            handle.focus()
            return handle
        cell = self.cell(self.exhibit.moves, 0, 0)
        if not cell.locator("input").count():
            cell.focus()
            self.page.keyboard.press("Enter")
        editor = cell.locator("input")
        editor.focus()
        return editor

    def fast_moves(self, twin: Any) -> tuple[float, float]:
        """Move 200 times as fast as keys can be pressed, and wait for the last picture.

        Returns:
            milliseconds from a single key to its last change, and from the last of 200
            keys to the last change of all.
        """
        away, back = self.exhibit.keys
        self.handle()
        self.view.locator(".tl-picture").evaluate_all(LAST_CHANGE)
        self.page.keyboard.press(away)
        self.exhibit.move(twin, 1)
        self.agrees(twin)
        settle(self.page)
        single = self.page.evaluate("window.changed - window.pressed")
        self.page.evaluate(PRESS, [back, away] * 99 + [away])
        self.exhibit.move(twin, 2)
        self.agrees(twin)
        settle(self.page)
        self.agrees(twin)
        return single, self.page.evaluate("window.changed - window.pressed")

    def box(self, control: Any) -> Locator:
        """Where a control stands in the page."""
        if is_row_of_words(control):
            return self.output.locator(".tl-order")
        named = re.compile(re.escape(control.description))
        return self.output.locator(KINDS, has_text=named).first

    def bring(self, control: Any, value: Any) -> None:
        """Set a control in the page, and its twin here, to an end."""
        box = self.box(control)
        if is_slider(control):
            top = value == (ends_of(control)[0])
            box.locator(".noUi-handle").press("End" if top else "Home")
        elif isinstance(value, bool):
            box.locator("input").set_checked(value)
        elif "Buttons" in type(control).__name__:
            box.get_by_role("button", name=str(value), exact=True).click()
        else:
            box.locator("select").select_option(label=str(value))
        control.value = value

    # ── what is shown ─────────────────────────────────────────────────────────
    def shown(self) -> tuple[dict[str, list[list[str]]], list[list[str]]]:
        """What every cell of every matrix says, and the headings of other drawings."""
        shown = self.output.evaluate(SHOWN)
        tables: dict[str, list[list[str]]] = {}
        for name, row, text in shown["cells"]:
            rows = tables.setdefault(name, [])
            rows.extend([] for _ in range(row + 1 - len(rows)))
            rows[row].append(text)
        return tables, sorted(shown["heads"])

    def agrees(self, twin: Any) -> None:
        """Wait until the page shows what the twin shows, or refuses what it does."""
        expect(self.view.first.locator(".tl-message")).to_have_text(twin.view.message)
        expected = matrices(twin), headings(twin)
        for _ in range(400):
            if self.shown() == expected:
                return
            self.page.wait_for_timeout(50)
        assert self.shown() == expected

    def at_first(self) -> None:
        """Close an editor that is open, let go of a pin, and reset."""
        editor = self.view.locator(".tl-editor input")
        if editor.count():
            editor.first.press("Escape")
        self.page.keyboard.press("Escape")
        self.press("Reset")

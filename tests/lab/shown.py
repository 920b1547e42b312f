"""An explorer of the gallery in a notebook: found by its output, moved, compared."""

import re
from typing import Any

from gallery import Exhibit, ends_of, is_row_of_words, is_slider
from lab.lab import SETTLED, settle
from playwright.sync_api import Locator, Page, expect
from views.page import SHOWN, account, sorted_out

# Press keys of the focused node, faster than hands can, and give no time to answer.
PRESS = """async (keys) => {
    const { port1, port2 } = new MessageChannel();
    for (const key of keys) {
        const event = { key, bubbles: true, cancelable: true };
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", event));
        await new Promise((done) => { port1.onmessage = done; port2.postMessage(0); });
    }
}"""
# Close an editor that is open, let go of a pin, and reset: as the mouse would.
AT_FIRST = f"""async (box) => {{
    const escape = {{ key: "Escape", bubbles: true, cancelable: true }};
    for (const at of box.querySelectorAll(".tl-editor input, .tl [tabindex='0']")) {{
        at.dispatchEvent(new KeyboardEvent("keydown", escape));
    }}
    box.querySelector("button[title='Reset']").click();
    await ({SETTLED})();
}}"""
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


class Shown:
    """The nth explorer of a notebook, with all of its views."""

    def __init__(self, page: Page, exhibit: Exhibit, nth: int = 0) -> None:
        self.page, self.exhibit = page, exhibit
        self.output = page.locator(".tl-explorer").nth(nth)
        self.output.scroll_into_view_if_needed()
        self.view = self.output.locator(".tl")
        self.view.first.wait_for()
        more = self.output.locator("button.tl-more[aria-expanded=false]")
        if more.count():
            more.click()

    # ── what is shown ─────────────────────────────────────────────────────────
    def agrees(self, twin: Any) -> None:
        """Wait until the page shows what the twin shows, or refuses what it does."""
        expected = account(twin)
        for _ in range(400):
            if self.shown() == expected:
                return
            self.page.wait_for_timeout(50)
        assert self.shown() == expected

    def shown(self) -> dict[str, Any]:
        return sorted_out(self.output.evaluate(SHOWN))

    def cell(self, panel: str, row: int, column: int) -> Locator:
        place = f'[data-row="{row}"][data-column="{column}"]'
        return self.view.locator(f'td[data-panel="{panel}"]{place}')

    def box(self, control: Any) -> Locator:
        """Where a control stands in the page."""
        if is_row_of_words(control):
            return self.output.locator(".tl-order")
        named = re.compile(re.escape(control.description))
        return self.output.locator(KINDS, has_text=named).first

    # ── what a reader does ────────────────────────────────────────────────────
    def focus(self, node: Locator) -> None:
        """Focus a node and see that it has the focus: a key goes nowhere else."""
        node.focus()
        expect(node).to_be_focused()

    def type_into(self, cell: Locator, text: str) -> None:
        """Type into a cell with the keyboard alone."""
        self.focus(cell)
        self.page.keyboard.press("Enter")
        expect(cell.locator("input")).to_be_focused()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Enter")

    def press(self, name: str) -> None:
        """Press a button, once the kernel has answered what the page told it before."""
        settle(self.page)
        exact = name != "Reset"  # whose name begins with an icon
        self.output.get_by_role("button", name=name, exact=exact).click()
        settle(self.page)

    def slide(self, control: Any, key: str, value: Any) -> None:
        """Bring a slider to an end with a key, and its twin here to that value."""
        handle = self.box(control).locator(".noUi-handle")
        self.focus(handle)
        self.page.keyboard.press(key)
        control.value = value

    def is_heard(self, slider: Any) -> None:
        """A slider's handle says the number beside it to a screen reader."""
        handle = self.box(slider).locator(".noUi-handle")
        expect(handle).to_have_attribute("aria-valuetext", number_beside(slider))

    def click(self, control: Any, value: Any) -> None:
        """Choose a value with the mouse, in the page and in its twin."""
        box = self.box(control)
        if isinstance(value, bool):
            box.locator("input").set_checked(value)
        elif "Buttons" in type(control).__name__:
            box.get_by_role("button", name=str(value), exact=True).click()
        else:
            box.locator("select").select_option(label=str(value))
        control.value = value

    def drag(self, control: Any) -> None:
        """Drag a slider with the mouse to its end; a stepper has a button for that."""
        plus = self.box(control).get_by_text("+", exact=True)
        if plus.count():
            while plus.is_enabled():
                plus.click()
            control.value = ends_of(control)[0]
            return
        handle = self.box(control).locator(".noUi-handle")
        handle.scroll_into_view_if_needed()
        box = handle.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + 900, y, steps=8)  # beyond its end
        self.page.mouse.up()
        control.value = ends_of(control)[0]

    def at_first(self) -> None:
        """Close an editor that is open, let go of a pin, and reset."""
        self.output.evaluate(AT_FIRST)

    # ── fast moves ────────────────────────────────────────────────────────────
    def handle(self) -> Locator:
        """Focus what moves: the slider, or the editor of the cell that is nudged."""
        if self.exhibit.label:
            named = re.compile(re.escape(self.exhibit.label))
            slider = self.output.locator(".widget-slider", has_text=named)
            handle = slider.locator(".noUi-handle")
        else:
            cell = self.cell(self.exhibit.moves, 0, 0)
            if not cell.locator("input").count():
                self.focus(cell)
                self.page.keyboard.press("Enter")
            handle = cell.locator("input")
        self.focus(handle)
        return handle

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


def number_beside(control: Any) -> str:
    """The number beside a slider, as ipywidgets writes it."""
    if hasattr(control, "options"):
        return str(control.label)
    return format(control.value, control.readout_format).replace("-", "−")


def change_by_keyboard(shown: Shown, control: Any) -> None:
    """Change the focused control, and its twin here, by keys that readers try."""
    keyboard = shown.page.keyboard
    if is_slider(control):
        for key, value in zip(("End", "Home"), ends_of(control), strict=True):
            shown.slide(control, key, value)
            settle(shown.page)
            if not control.disabled:
                shown.is_heard(control)
    elif isinstance(control.value, bool):
        keyboard.press("Space")
        control.value = not control.value
    elif is_row_of_words(control):
        for key in ("Home", "Space", "ArrowRight", "Space"):
            keyboard.press(key)
        first, second, *others = control.value
        control.value = [second, first, *others]
    elif hasattr(control, "continuous_update"):  # a text
        for key in ("End", "Backspace", "Enter"):  # the last word is another, or none
            keyboard.press(key)
        control.value = control.value[:-1]
    elif "Buttons" in type(control).__name__:
        keyboard.press("Enter")
        control.value = shown.page.evaluate("document.activeElement.textContent")
    else:
        keyboard.press("ArrowDown")
        control.index = min(control.index + 1, len(control.options) - 1)

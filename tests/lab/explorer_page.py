"""An explorer as a person meets it: cells to read, to type into and to point at."""

import re

import numpy as np
from lab.lab import settle
from playwright.sync_api import Locator, Page, expect


class ExplorerPage:
    """The explorer of a notebook's nth picture (0 is the first)."""

    def __init__(self, page: Page, nth: int = 0) -> None:
        self.page = page
        self.view = page.locator(".tl").nth(nth)
        around = "ancestor::*[contains(@class, 'jp-OutputArea-output')][1]"
        self.output = self.view.locator(f"xpath={around}")
        expect(self.view.locator("td[role=gridcell]").last).to_be_visible()

    def cell(self, panel: str, row: int, column: int) -> Locator:
        place = f'[data-row="{row}"][data-column="{column}"]'
        return self.view.locator(f'td[data-panel="{panel}"]{place}')

    def read(self, panel: str) -> np.ndarray:
        """Read a panel's numbers from the page; a hidden cell reads as NaN."""
        cells = self.view.locator(f'td[data-panel="{panel}"]')
        found = cells.evaluate_all(
            "all => all.map(td => [+td.dataset.row, +td.dataset.column,"
            " td.ariaLabel ?? td.firstChild.textContent])"
        )
        values = np.full([1 + max(f[axis] for f in found) for axis in (0, 1)], np.nan)
        for row, column, text in found:
            if text != "hidden":
                values[row, column] = float(text.replace("−", "-"))
        return values

    def shows(self, expected: dict[str, np.ndarray], within: float = 0.0051) -> None:
        """Wait until the page shows these arrays, to the digits that it prints."""
        for _ in range(400):
            seen = {name: self.read(name) for name in expected}
            pairs = [(seen[name], x) for name, x in expected.items()]
            if all(np.allclose(a, b, atol=within, equal_nan=True) for a, b in pairs):
                return
            self.page.wait_for_timeout(50)
        for name, array in expected.items():
            np.testing.assert_allclose(seen[name], array, atol=within, err_msg=name)

    def type_into(self, cell: Locator, text: str, end: str = "Enter") -> None:
        """Type a number into a focused cell with the keyboard alone."""
        cell.focus()
        self.page.keyboard.press("Enter")
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press(end)

    def slider(self, label: str) -> Locator:
        named = self.output.locator(".widget-slider", has_text=re.compile(label))
        return named.locator(".noUi-handle")

    def drag(self, handle: Locator, pixels: int) -> None:
        """Drag a slider's handle with the mouse."""
        handle.scroll_into_view_if_needed()
        box = handle.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + pixels, y, steps=10)
        self.page.mouse.up()
        settle(self.page)

    def setting(self, label: str) -> float:
        """Read a slider's value where the page prints it."""
        named = self.output.locator(".widget-slider", has_text=re.compile(label))
        return float(named.locator(".widget-readout").inner_text().replace("−", "-"))

    def press(self, name: str) -> None:
        exact = name != "Reset"  # whose name begins with an icon
        button = self.output.get_by_role("button", name=name, exact=exact)
        settle(self.page)  # a slider that was dragged may still have a move to tell
        button.click()
        settle(self.page)  # a control that rests may be woken after the picture

    @property
    def sentence(self) -> Locator:
        return self.view.locator(".tl-about")

    @property
    def terms(self) -> Locator:
        return self.view.locator(".tl-chip")

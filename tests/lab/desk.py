"""The desk: one notebook lies open at a time, and what goes wrong on it is noted."""

from lab.lab import Lab, run_all_cells, show_notebook, switch_theme, watched_page
from playwright.sync_api import Browser, Page


class Desk:
    """One notebook open at a time: two pages on one kernel disturb each other."""

    def __init__(self, lab: Lab, browser: Browser) -> None:
        self.lab, self.browser = lab, browser
        self.faults: list[str] = []
        self.page: Page | None = None
        self.lying: tuple[object, ...] = ()
        self.dark = False

    def clear(self) -> None:
        """Close the page that is open and stop its kernel."""
        if self.page is not None:
            self.page.context.close()
        self.lab.stop_kernels()
        self.page, self.lying = None, ()

    def dialogs(self) -> list[str]:
        """What JupyterLab asks: a dialog has the focus until it is answered."""
        if self.page is None or self.page.is_closed():
            return []
        return self.page.locator(".jp-Dialog-content").all_inner_texts()

    def open(
        self,
        name: str,
        *,
        dark: bool = False,
        width: int = 1280,
        run: bool = True,
        keep: bool = False,
    ) -> Page:
        """Open a notebook, or with `keep` take it as an earlier test left it."""
        asked = (name, width, run)
        if keep and self.page is not None and asked == self.lying:
            if dark is not self.dark:
                switch_theme(self.page, dark)
            self.dark = dark
            return self.page
        self.clear()
        self.page, self.lying = watched_page(self.browser, self.faults, width), asked
        self.dark = dark
        show_notebook(self.page, self.lab, name, dark)
        if run:
            self.faults.extend(run_all_cells(self.page))
        return self.page

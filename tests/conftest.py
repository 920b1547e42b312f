"""What browser tests and benchmarks share: a JupyterLab, a Chromium, a notebook open.

Playwright and the browser are only looked for by the tests that ask for them.
"""

import os
from collections.abc import Callable, Iterator

import pytest
from browser.chromium import find_chromium


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A running JupyterLab that serves a copy of the course: see `browser.lab.Lab`."""
    from browser.lab import running_lab

    with running_lab(tmp_path_factory.mktemp("lab")) as started:
        yield started


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium; where there is none, CI fails and others skip."""
    found = find_chromium(install=False)
    if found is None and os.environ.get("CI") == "true":
        pytest.fail("no Chromium for the browser tests, and CI=true forbids to skip")
    if found is None:
        pytest.skip("no Chromium: python tests/browser/chromium.py fetches one")
    from browser.lab import CHROMIUM_FLAGS
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=found, args=CHROMIUM_FLAGS
        )
        yield chromium
        chromium.close()


@pytest.fixture
def faults() -> Iterator[list[str]]:
    """What went wrong in the browser: if anything is left here, the test fails."""
    noted: list[str] = []
    yield noted
    assert not noted, "in the browser:\n" + "\n".join(dict.fromkeys(noted))


@pytest.fixture
def open_notebook(lab, browser, faults) -> Iterator[Callable]:
    """`open_notebook(name, dark=False, width=1280, run=True)` gives the page.

    One notebook is open at a time: two pages on one kernel disturb each other.
    """
    from browser.lab import run_all_cells, show_notebook, watched_page

    def open_(name, *, dark=False, width=1280, run=True):
        close_all(lab, browser)
        page = watched_page(browser, faults, width)
        show_notebook(page, lab, name, dark)
        if run:
            faults.extend(run_all_cells(page))
        return page

    yield open_
    close_all(lab, browser)


def close_all(lab, browser) -> None:
    for context in browser.contexts:
        context.close()
    lab.stop_kernels()

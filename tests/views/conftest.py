"""The bare page: one for all the tests of a worker, with nothing drawn at first."""

from collections.abc import Iterator

import pytest
from browser import watch
from playwright.sync_api import Browser, expect
from views.page import BarePage


@pytest.fixture(scope="session")
def bare(browser: Browser) -> Iterator[tuple[BarePage, list[str]]]:
    faults: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 2000})
    context.set_default_timeout(10_000)
    watch(context, faults)
    yield BarePage(context.new_page()), faults
    context.close()


@pytest.fixture
def page(bare: tuple[BarePage, list[str]]) -> Iterator[BarePage]:
    """The page, light and empty; what goes wrong on it fails the test."""
    drawn, faults = bare
    expect.set_options(timeout=5_000)
    drawn.draw()
    drawn.theme(dark=False)
    drawn.page.mouse.move(0, 0)
    faults.clear()
    yield drawn
    assert not faults, "in the page:\n" + "\n".join(faults)

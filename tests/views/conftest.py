"""The bare page: one for all the tests of a worker, with nothing drawn at first."""

from collections.abc import Iterator

import pytest
from browser import watch
from playwright.sync_api import Browser, expect
from views.page import BarePage

Bare = tuple[BarePage, list[str]]


@pytest.fixture(scope="session")
def bare(browser: Browser) -> Iterator[Bare]:
    yield from bare_page(browser)


@pytest.fixture(scope="session")
def clocked(browser: Browser) -> Iterator[Bare]:
    """Another, whose clock tests may take: no page ever gets its own back."""
    yield from bare_page(browser)


def bare_page(browser: Browser) -> Iterator[Bare]:
    faults: list[str] = []
    still = {"reduced_motion": "reduce"}  # a test of motion asks for it
    context = browser.new_context(viewport={"width": 1280, "height": 2000}, **still)
    context.set_default_timeout(10_000)
    watch(context, faults)
    yield BarePage(context.new_page()), faults
    context.close()


@pytest.fixture
def page(bare: Bare) -> Iterator[BarePage]:
    """The page, light and empty; what goes wrong on it fails the test."""
    yield from emptied(*bare)


@pytest.fixture
def clocked_page(clocked: Bare) -> Iterator[BarePage]:
    """The same for a test that sets the clock."""
    yield from emptied(*clocked)
    page, _ = clocked
    page.page.clock.resume()  # which a new page would not do of itself
    page.reload()


def emptied(drawn: BarePage, faults: list[str]) -> Iterator[BarePage]:
    expect.set_options(timeout=5_000)
    drawn.draw()
    drawn.theme(dark=False)
    drawn.page.mouse.move(0, 0)
    faults.clear()
    yield drawn
    assert not faults, "in the page:\n" + "\n".join(faults)

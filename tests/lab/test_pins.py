"""A pin in every kind of view: what it holds when its place goes and comes back."""

import re

import pytest
from lab.explorer_page import ExplorerPage
from playwright.sync_api import expect

CELL = """
import numpy as np
from transformer_lib.explorers.toolkit.bars import Bars
from transformer_lib.explorers.toolkit.controls import whole
from transformer_lib.explorers.toolkit.curves import Curves
from transformer_lib.explorers.toolkit.explorer import Explorer
from transformer_lib.explorers.toolkit.links import Links
from transformer_lib.explorers.toolkit.panel import Panel
from transformer_lib.explorers.toolkit.tiles import Tiles

def steps(*, n):
    table = np.full((n, n), 1 / n)
    places = np.stack([np.arange(n), np.zeros(n), np.ones(n)], axis=1)
    return {"m": table, "l": table, "t": places, "c": table[:, :1], "b": table[:, :1]}

def drawings(arrays, *, n):
    words = [f"{{row}} {i}" for i in range(n)]
    return [
        Panel(name="m", title="m", rows=words, columns=words, axes=("a", "b"),
            recipe={"kind": "plain"}, sentence="said: {row}"),
        Links(name="l", title="l", rows=words, columns=words, band=1,
            sentence="said: {word}"),
        Tiles(name="t", title="t", faces=[(w, "") for w in words], board=(8, 1),
            sayings=[f"said: {w}" for w in words], band=2),
        Curves(name="c", title="c", x=range(n), series=[""], sentence="said: {x}",
            limits=((0, 7), (0, 1)), band=3),
        Bars(name="b", title="b", labels=words, sentence="said: {label}", band=4),
    ]

Explorer(steps, drawings, {"n": whole("size", 8, 2, 8)}, {})
"""
#: By kind: where place n is.
PLACES = {
    "matrix": "td[data-row='{n}'][data-column='0']",
    "links": "button[data-side='row'][data-n='{n}']",
    "tiles": ".tl-tile[data-n='{n}']",
    "curves": ".tl-chart",
    "bars": ".tl-bar[data-row='{n}']",
}


@pytest.fixture
def explorer(lab, open_notebook):
    page = open_notebook(lab.add("pins.ipynb", [CELL]), keep=True)
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    explorer = ExplorerPage(page)
    explorer.press("Reset")
    expect(explorer.output.locator(PLACES["tiles"].format(n=7))).to_be_visible()
    return explorer


def go_to(view, kind, n):
    view.locator(PLACES[kind].format(n=n)).focus()
    if kind == "curves":
        view.page.keyboard.press("End" if n else "Home")


@pytest.mark.parametrize("kind", PLACES)
def test_a_pin_whose_place_is_gone_holds_nothing_until_it_is_back(explorer, kind):
    page, size = explorer.page, explorer.slider("size")
    view = explorer.output.locator(f".tl:has({PLACES[kind].format(n=0)})")
    said, hint = view.locator(".tl-about"), view.locator(".tl-hint")
    go_to(view, kind, 7)
    page.keyboard.press("Space")
    expect(hint).to_contain_text("Pinned")
    size.focus()
    page.keyboard.press("Home")
    expect(hint).not_to_contain_text("Pinned")
    go_to(view, kind, 1)
    expect(said).to_have_text(re.compile("^said: .*1"))
    expect(view.locator(".tl-pinned")).to_have_count(0)
    if kind == "links":
        assert view.locator(".tl-weight").all_inner_texts() == ["", "", "0.50", "0.50"]
    size.focus()
    page.keyboard.press("End")
    expect(hint).to_contain_text("Pinned")
    expect(said).to_have_text(re.compile("^said: .*7"))
    go_to(view, kind, 0)
    page.keyboard.press("Escape")
    expect(hint).not_to_contain_text("Pinned")


def test_braces_in_the_words_of_a_tile_are_shown_as_they_are(explorer):
    explorer.output.locator(PLACES["tiles"].format(n=3)).hover()
    view = explorer.output.locator(".tl:has(.tl-tile)")
    expect(view.locator(".tl-about")).to_have_text("said: {row} 3")


@pytest.mark.parametrize("kind", PLACES)
def test_a_letter_pressed_in_a_view_is_no_shortcut_of_jupyterlabs(explorer, kind):
    at = explorer.output.locator(PLACES[kind].format(n=1))
    at.focus()
    for letter in "xddaby":
        explorer.page.keyboard.press(letter)
    expect(at).to_be_focused()
    expect(explorer.page.locator(".jp-Cell")).to_have_count(1)

"""A pin in every kind of view: what it holds when its place goes and comes back."""

import re

import numpy as np
import pytest
from gallery import explorer_of
from playwright.sync_api import expect

from explorable.controls import whole
from explorable.drawings.bars import Bars
from explorable.drawings.curves import Curves
from explorable.drawings.links import AttentionLinks
from explorable.drawings.matrix import Matrix
from explorable.drawings.tiles import Tiles

#: By kind: where place n is.
PLACES = {
    "matrix": "td[data-row='{n}'][data-column='0']",
    "links": ".tl-end[data-row='{n}'] button",
    "tiles": ".tl-tile[data-row='{n}']",
    "curves": ".tl-chart",
    "bars": ".tl-bar[data-row='{n}']",
}


def steps(*, n):
    table = np.full((n, n), 1 / n)
    places = np.stack([np.arange(n), np.zeros(n), np.ones(n)], axis=1)
    return {"m": table, "l": table, "t": places, "c": table[:, :1], "b": table[:, :1]}


def panels(arrays, *, n):
    words = [f"{{row}} {i}" for i in range(n)]
    labels = {"rows": words, "columns": words}
    asked = "said: {row}"
    return [
        Matrix(name="m", title="m", **labels, axes=("a", "b"), sentence=asked),
        AttentionLinks(name="l", title="l", **labels, band=1, sentence="said: {word}"),
        Tiles(
            name="t",
            title="t",
            faces=[(w, "") for w in words],
            board=(8, 1),
            sayings=[f"said: {w}" for w in words],
            band=2,
        ),
        Curves(
            name="c",
            title="c",
            x=range(n),
            series=[""],
            sentence="said: {x}",
            limits=((0, 7), (0, 1)),
            band=3,
        ),
        Bars(name="b", title="b", labels=words, sentence="said: {label}", band=4),
    ]


@pytest.fixture
def explorer(page):
    made = explorer_of(steps, panels, {"n": whole("size", 8, 2, 8)})
    page.draw(made)
    return made


@pytest.mark.parametrize("kind", PLACES)
def test_a_pin_whose_place_is_gone_holds_nothing_until_it_is_back(explorer, page, kind):
    def view(what):
        return page.find(f".tl:has({PLACES[kind].format(n=0)})").locator(what)

    def go_to(n):
        view(PLACES[kind].format(n=n)).focus()
        if kind == "curves":
            page.press("End" if n else "Home")

    go_to(7)
    page.press("Space")
    expect(page.find(".tl-speaks .tl-hint")).to_contain_text("Pinned")
    explorer.controls["n"].value = 2
    expect(page.find(".tl-speaks .tl-hint")).not_to_contain_text("Pinned")
    go_to(1)
    expect(page.find(".tl-speaks .tl-about")).to_have_text(re.compile("^said: .*1"))
    expect(view(".tl-pinned")).to_have_count(0)
    if kind == "links":
        assert page.texts(".tl-weight") == ["", "", "0.50", "0.50"]
    explorer.controls["n"].value = 8
    expect(page.find(".tl-speaks .tl-hint")).to_contain_text("Pinned")
    expect(page.find(".tl-speaks .tl-about")).to_have_text(re.compile("^said: .*7"))
    go_to(0)
    page.press("Escape")
    expect(page.find(".tl-speaks .tl-hint")).not_to_contain_text("Pinned")


def test_braces_in_the_words_of_a_tile_are_shown_as_they_are(explorer, page):
    page.point_at(PLACES["tiles"].format(n=3))
    about = page.find(".tl-speaks .tl-about")
    expect(about).to_have_text("said: {row} 3")


@pytest.mark.parametrize("kind", PLACES)
def test_a_letter_pressed_in_a_view_goes_no_further(explorer, page, kind):
    """In JupyterLab, x cuts the cell: see also tests/lab."""
    page.page.evaluate(
        """() => {
            window.leaked = [];
            document.body.onkeydown = ({ key }) => window.leaked.push(key);
        }"""
    )
    page.find(PLACES[kind].format(n=1 if kind != "curves" else 0)).first.focus()
    page.press(*"xddaby", "Control+x")
    assert page.page.evaluate("window.leaked") == ["Control", "x"]
    page.page.evaluate("document.body.onkeydown = null")

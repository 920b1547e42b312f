"""BarsView in real JupyterLab: what its bars show, and how they are read."""

import numpy as np
import pytest
from lab.test_accessibility import AXE, RUN
from playwright.sync_api import expect

from transformer_lib import plots

CELLS = [
    """
import numpy as np
from transformer_lib.explorers import Explorer
from transformer_lib.explorers.toolkit.bars import Bars
from transformer_lib.explorers.toolkit.controls import stops

def steps(*, factor):
    return {"x": factor * np.array([[0.5, -0.25], [0.1, 0.7], [0.0, -0.4]])}

def drawings(arrays, factor):
    return [Bars(name="x", title="shares", labels=["AI", "<b>is</b>", "so"], band=0,
        series=["before", "after"], hues=["query", "key"], scale=(-1, 1),
        guide=(0.5, "chance"), sentence="“{label}”, {series}", note=f"× {factor}")]

Explorer(steps, drawings, {"factor": stops("factor", [0, 1, 2, 3], 1)}, {})
""",
    """
def bench(count, series):
    x = np.linspace(-1, 1, count * len(series)).reshape(count, -1)
    bars = Bars(name="x", title="x", labels=[f"word {n}" for n in range(count)],
        series=series, hues=["key"] * len(series), scale=(-1, 1), sentence="{label}")
    return Explorer(lambda: {"x": x}, lambda arrays: [bars], {}, {})
bench(1, [""])
""",
    "bench(64, [''])",
    "bench(64, ['a', 'b', 'c'])",
]
VALUES = np.array([[0.5, -0.25], [0.1, 0.7], [0.0, -0.4]])


@pytest.fixture
def views(lab, open_notebook):
    page = open_notebook(lab.add("bars.ipynb", CELLS), keep=True)
    found = page.locator(".tl-explorer")
    expect(found).to_have_count(4)
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    found.first.get_by_role("button", name="Reset").click()
    return found


@pytest.fixture
def view(views):
    return views.first


def bar(view, row, column):
    return view.locator(f'.tl-bar[data-row="{row}"][data-column="{column}"]')


def turn(view, presses):
    view.locator(".noUi-handle").focus()
    for _ in range(presses):
        view.page.keyboard.press("ArrowRight")


def assert_shows(view, values):
    for (row, column), x in np.ndenumerate(values):
        number = bar(view, row, column).locator("b")
        expect(number).to_have_text(plots.number(x, 2))
        place = bar(view, row, column).evaluate(
            """bar => {
                const [fill, lane] = [bar.querySelector("i"), bar.lastChild]
                    .map((node) => node.getBoundingClientRect());
                const along = (x) => 2 * (x - lane.left) / lane.width - 1;
                return [along(fill.left), along(fill.right)];
            }"""
        )
        end = np.clip(x, -1, 1)
        np.testing.assert_allclose(place, [min(0, end), max(0, end)], atol=0.01)


def test_bars_reach_from_zero_to_their_numbers_and_keep_their_nodes(view):
    assert_shows(view, VALUES)
    bar(view, 1, 1).evaluate("bar => { bar.mine = 1; }")
    turn(view, 2)
    expect(view.locator(".tl-note")).to_have_text("× 3")
    assert_shows(view, 3 * VALUES)
    assert bar(view, 1, 1).evaluate("bar => bar.mine") == 1
    expect(view.locator(".tl-beyond")).to_have_count(3)


def test_pointing_at_a_bar_shows_its_labels_bars_side_by_side(view):
    bar(view, 1, 1).hover()
    expect(view.locator(".tl-about")).to_have_text("“<b>is</b>”, after")
    expect(view.locator(".tl-chip i")).to_have_text(["before", "after"])
    expect(view.locator(".tl-chip b")).to_have_text(["0.1000", "0.7000"])
    expect(view.locator(".tl-result")).to_have_text("after0.7000")


def test_the_keyboard_reads_every_bar_and_pins_one(view):
    bar(view, 0, 0).focus()
    for key, place in (("ArrowDown", (0, 1)), ("ArrowRight", (1, 0)), ("End", (2, 1))):
        view.page.keyboard.press(key)
        expect(bar(view, *place)).to_be_focused()
    view.page.keyboard.press("Home")
    view.page.keyboard.press("Space")
    expect(bar(view, 0, 0)).to_have_class("tl-bar of-query tl-now tl-pinned")
    turn(view, 1)
    expect(view.locator(".tl-chip b")).to_have_text(["1.0000", "−0.5000"])
    bar(view, 2, 1).hover()
    expect(view.locator(".tl-about")).to_have_text("“AI”, before")
    bar(view, 0, 0).focus()
    view.page.keyboard.press("Escape")
    expect(view.locator(".tl-pinned")).to_have_count(0)


def test_a_screen_reader_meets_a_grid_of_named_bars(view):
    grid = view.get_by_role("grid", name="shares")
    expect(grid.get_by_role("row")).to_have_count(3)
    expect(grid.get_by_role("rowheader")).to_have_text(["AI", "<b>is</b>", "so"])
    expect(grid.get_by_role("gridcell", name="after 0.70")).to_have_count(1)
    assert view.locator(".tl-bar[tabindex='0']").count() == 1


def test_the_page_does_not_move_when_numbers_grow(view):
    size = "el => [el.offsetWidth, el.offsetHeight]"
    before = view.locator(".tl-picture").evaluate(size)
    turn(view, 2)
    assert_shows(view, 3 * VALUES)
    assert view.locator(".tl-picture").evaluate(size) == before


@pytest.mark.parametrize(("nth", "bars", "labels"), [(1, 1, 1), (2, 64, 32)])
def test_labels_thin_out_where_there_are_many(views, nth, bars, labels):
    expect(views.nth(nth).locator(".tl-bar")).to_have_count(bars)
    shown = views.nth(nth).locator(".tl-bar-label:not(.tl-unseen)")
    expect(shown).to_have_count(labels)
    expect(views.nth(nth).get_by_role("rowheader").last).to_have_text(
        f"word {bars - 1}"
    )


def test_slim_bars_say_their_number_on_pointing_and_whose_they_are_in_a_key(views):
    slim = views.nth(3)
    expect(slim.locator(".tl-bar-key bdi")).to_have_text(["a", "b", "c"])
    last = bar(slim, 63, 2)
    expect(last.locator("b")).to_be_hidden()
    last.hover()
    expect(slim.locator(".tl-result")).to_have_text("c1.0000")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_to_object_to(dark, lab, open_notebook):
    page = open_notebook(lab.add("bars.ipynb", CELLS), dark=dark, keep=True)
    page.locator(".tl-bar").last.wait_for()
    page.evaluate(AXE)
    assert page.evaluate(RUN) == []

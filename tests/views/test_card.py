"""The card that an explorer is: one place for what is said, in which nothing moves."""

from itertools import pairwise

import pytest
from gallery import GALLERY
from playwright.sync_api import expect

from course import explorers
from explorable import Axis, Explorer, Sheet, plots

Q = [[1.0, 0], [0, -1], [1, 1]]
# Where everything stands that the reader sees, but what is said.
STANDING = """() => [...document.querySelectorAll(
    ".tl-explorer, .tl-head, .tl-controls, .tl-panel, .tl-aside")].map((node) => {
        const { x, y, width, height } = node.getBoundingClientRect();
        return [node.getAttribute("class"), x, y, width, height];
    })"""
# Point at the first and the last place of every drawing.
POINT = """() => {
    for (const panel of document.querySelectorAll(".tl-panel")) {
        const places = [...panel.querySelectorAll("[data-panel]")];
        for (const node of [places[0], places.at(-1)]) {
            node?.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
        }
    }
}"""
LONG = "sentence must be of words that the model knows, such as " + "“engineer”, " * 30


@pytest.fixture
def desktop(page):
    """What JupyterLab leaves of a screen of 1400 × 900 pixels."""
    before = page.page.viewport_size
    page.page.set_viewport_size({"width": 1248, "height": 779})
    yield page
    page.page.set_viewport_size(before)


@pytest.mark.parametrize("name", GALLERY)
def test_nothing_moves_when_an_explanation_or_a_message_comes(name, desktop):
    explorer = GALLERY[name].make(4)
    desktop.draw(explorer)
    desktop.lay_out()
    before = desktop.page.evaluate(STANDING)
    desktop.page.evaluate(POINT)
    assert desktop.page.evaluate(STANDING) == before
    explorer.view.message = LONG
    expect(desktop.find(".tl-message")).to_have_text(LONG)
    desktop.lay_out()
    assert desktop.page.evaluate(STANDING) == before


def test_what_is_explained_takes_the_room_that_no_panel_needs(desktop):
    desktop.draw(explorers.add_and_norm(Q, Q[:2]))
    desktop.lay_out()
    gap = desktop.page.evaluate(
        """() => {
            const panels = [...document.querySelectorAll(".tl-panel")];
            const aside = document.querySelector(".tl-aside").getBoundingClientRect();
            const rights = panels.map((one) => one.getBoundingClientRect().right);
            return aside.left - Math.max(...rights);
        }"""
    )
    assert 0 < gap < 60


def test_beside_the_panels_a_calculation_has_a_line_for_each_term(desktop):
    desktop.draw(explorers.attention_bench(Q, Q, Q))
    desktop.lay_out()
    terms = desktop.find(".tl-chip")
    boxes = [terms.nth(n).bounding_box() for n in range(terms.count())]
    assert len(boxes) == len(Q) + 1
    assert all(a["y"] + a["height"] <= b["y"] + 1 for a, b in pairwise(boxes))
    ends = [one["x"] + one["width"] for one in boxes]
    assert ends == pytest.approx([ends[0]] * len(ends), abs=1)


def test_numbers_that_nothing_computed_have_a_line_below_the_panels(desktop):
    explorer = explorers.sentence_attention()
    desktop.draw(explorer)
    desktop.lay_out()

    def place():
        boxes = [
            desktop.find(css).first.bounding_box() for css in (".tl-panel", ".tl-aside")
        ]
        panel, aside = boxes
        return "below" if aside["y"] >= panel["y"] + panel["height"] else "beside"

    assert place() == "below"
    explorer.controls["tables"].value = True  # which were computed
    desktop.lay_out()
    assert place() == "beside"
    explorer.controls["tables"].value = False
    desktop.lay_out()
    assert place() == "below"


def test_where_panels_grow_no_title_of_theirs_is_larger_than_the_explorers(desktop):
    desktop.draw(explorers.softmax_bench(Q))
    desktop.lay_out()
    panel = desktop.find(".tl-panel figcaption b").first
    title = desktop.find(".tl-title")
    tall = "node => parseFloat(getComputedStyle(node).fontSize) * node.currentCSSZoom"
    assert 13 * 1.1 * 1.2 < panel.evaluate(tall) <= title.evaluate(tall)


def test_the_number_that_is_explained_has_a_frame_beside_the_panels(page):
    page.draw(explorers.add_and_norm(Q, Q[:2]))
    page.cell("x", 0, 0).hover()
    frame = page.find(".tl-aside .tl-result > b").first
    expect(frame).to_have_css("border-top-width", "2px")
    page.point_at(".tl-bar")
    expect(frame).to_have_css("border-top-width", "2px")


def test_of_several_views_that_which_is_pointed_at_explains(page):
    page.draw(explorers.add_and_norm(Q, Q[:2]))
    seen = page.page.locator(".tl-why:visible")
    expect(seen).to_have_count(1)
    page.cell("x", 0, 0).hover()
    table = seen.inner_text()
    page.point_at(".tl-bar")
    expect(seen).to_have_count(1)
    assert seen.inner_text() != table


def test_a_pinned_place_is_explained_until_it_is_let_go_or_another_is_pinned(page):
    page.draw(explorers.add_and_norm(Q, Q[:2]))
    seen = page.page.locator(".tl-why:visible .tl-about")
    page.cell("output", 1, 1).click()
    pinned = seen.inner_text()
    page.point_at(".tl-bar")
    assert seen.inner_text() == pinned
    page.find(".tl-bar").nth(2).click()
    assert seen.inner_text() != pinned
    page.press("Escape")
    page.cell("output", 1, 1).focus()
    page.press("Escape")
    page.point_at(".tl-bar", 3)
    page.cell("x", 0, 0).hover()
    why = page.page.locator(".tl-why:visible")
    expect(why).to_contain_text("type a number")


def test_what_keys_can_scroll_has_a_stop_for_them(desktop):
    """A long sum is scrolled in its place; a short one is no stop of the keyboard."""
    desktop.draw(explorers.softmax_bench([[float(n) for n in range(40)]]))
    desktop.cell("weights", 0, 0).hover()
    desktop.lay_out()
    why = desktop.page.locator(".tl-why:visible")
    expect(why).to_have_attribute("tabindex", "0")
    desktop.cell("scores", 0, 0).hover()
    desktop.lay_out()
    expect(why).not_to_have_attribute("tabindex", "0")


def test_four_heads_stand_in_rows_of_two_and_eight_of_four(desktop):
    lab = explorers.head_split(["a", "b", "c"], 8, 4)
    desktop.draw(lab)
    for heads in (4, 8):
        lab.controls["n_heads"].value = heads
        desktop.lay_out()
        panels = desktop.find(".tl-panel:has(b:text-matches('^head'))").all()
        tops = [round(panel.bounding_box()["y"]) for panel in panels]
        rows = {tops.count(top) for top in tops}
        assert len(panels) == heads
        assert len(rows) == 1


def test_a_note_that_concludes_is_larger_than_what_it_stands_under(desktop):
    """In the page and at rest, where a note that does not is smaller and quiet."""

    def sheet(concludes):
        s = Sheet()
        x = s.leaf("x", Axis("row", ["a"]), Axis("column", ["b", "c"]), [[1.0, 2]])
        s.show(x, note="the largest is 2", concludes=concludes)
        return s

    sizes = {}
    for concludes in (False, True):
        explorer = Explorer("one", sheet, {}, concludes=concludes)
        desktop.draw(explorer)
        note, title = (desktop.find(css) for css in (".tl-note", "figcaption b"))
        letters = [
            n.evaluate("n => parseFloat(getComputedStyle(n).fontSize)")
            for n in (note, title)
        ]
        [word] = [
            w for w in plots.said(explorer.picture()) if w.text == "the largest is 2"
        ]
        sizes[concludes] = [letters[0] > letters[1], word.size > 12]
    assert sizes == {False: [False, False], True: [True, True]}

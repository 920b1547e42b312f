"""The triangle of mixtures in a page: a word is dragged, and its weights follow."""

import numpy as np
import pytest
from matplotlib.lines import Line2D
from playwright.sync_api import expect
from views.page import account

from course import explorers
from explorable import plots

PARTS = [[1.0, 3, 6], [2, 5, 3], [4, 4, 2]]
V = [[1.0, 2], [3, 4], [5, 6]]
WORDS = ["AI", "is", "{powerful}"]


@pytest.fixture
def bench(page):
    made = explorers.mixing_bench(PARTS, V, WORDS)
    page.draw(made)
    page.lay_out()  # before anything is measured: the panels may still grow
    return made


def tile(page, n):
    return page.find(f'.tl-moved .tl-tile[data-row="{n}"]')


def middle(page, n):
    box = tile(page, n).bounding_box()
    return np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])


def corner(page, n):
    """Where on the page a tile lies that takes all of one value."""
    places = page.page.evaluate(
        """() => {
            const svg = document.querySelector(".tl-outline");
            const { left, top, width } = svg.getBoundingClientRect();
            const unit = width / svg.viewBox.baseVal.width;
            return [...svg.querySelector("polygon").points].map(
                ({ x, y }) => [left + unit * x, top + unit * y]);
        }"""
    )
    return np.array(places[n])


def drag(page, n, to):
    mouse = page.page.mouse
    mouse.move(*middle(page, n))
    mouse.down()
    for share in (0.3, 0.6, 1.0):
        mouse.move(*(middle(page, n) * (1 - share) + share * np.array(to)))
    mouse.up()
    page.settle()


def test_a_word_lies_where_its_weights_say(bench, page):
    page.lay_out()
    corners = np.stack([corner(page, n) for n in range(3)])
    for n, weights in enumerate(bench.values["weights"]):
        np.testing.assert_allclose(middle(page, n), weights @ corners, atol=1.5)


def test_the_triangle_needs_no_scroll_bar(bench, page):
    """One was always there: what lets it scroll sideways made room for another."""
    sizes = """panel => [panel.scrollHeight - panel.clientHeight,
        panel.scrollWidth - panel.clientWidth, panel.offsetWidth - panel.clientWidth]"""
    assert page.find(".tl-panel:has(.tl-moved)").evaluate(sizes) == [0, 0, 0]


def test_the_name_of_a_corner_lies_at_its_corner(bench, page):
    """Around its middle, and no further from it than a word that lies there is high."""
    tags = page.find(".tl-moved .tl-tag").evaluate_all(
        """all => all.map((tag) => {
            const { left, right, top, bottom } = tag.getBoundingClientRect();
            return [(left + right) / 2, top, bottom];
        })"""
    )
    high = tile(page, 0).bounding_box()["height"]
    for n in range(3):
        x, y = corner(page, n)
        for middle, top, bottom in tags[2 * n : 2 * n + 2]:
            assert middle == pytest.approx(x, abs=1.5)
            assert min(abs(top - y), abs(bottom - y)) < 1.2 * high


def test_a_word_at_a_corner_covers_no_name(page):
    """A word that took the first value alone lay on that value's numbers."""
    made = explorers.mixing_bench(np.eye(3), V, WORDS)
    page.draw(made)
    page.lay_out()
    sides = """all => all.map((node) => {
        const { top, bottom } = node.getBoundingClientRect();
        return [top, bottom];
    })"""
    tags = page.find(".tl-moved .tl-tag").evaluate_all(sides)
    tiles = page.find(".tl-moved .tl-tile").evaluate_all(sides)
    for n, (top, bottom) in enumerate(tiles):
        for above, below in tags[2 * n : 2 * n + 2]:
            assert below <= top + 0.5 or above >= bottom - 0.5


def test_what_is_explained_first_is_a_mixture(page):
    page.draw(explorers.mixing_bench([[1, 0, 0], [0, 1, 0], [1, 1, 2]], np.eye(3)))
    said = "output of “3”, feature 3: the values, averaged"
    expect(page.find(".tl-first .tl-about")).to_have_text(said)


def test_at_rest_the_words_have_the_round_ends_that_they_have_in_the_page(bench):
    lines = bench.picture().findobj(Line2D)
    assert sum(line.get_solid_capstyle() == "round" for line in lines) >= 6


def test_a_word_that_is_dragged_to_a_corner_takes_that_value_alone(bench, page):
    drag(page, 0, corner(page, 1))
    np.testing.assert_allclose(bench.values["weights"][0], [0, 1, 0], atol=0.03)
    np.testing.assert_allclose(bench.values["output"][0], V[1], atol=0.1)
    assert bench.inputs["parts"][0].sum() == pytest.approx(10, abs=0.01)
    np.testing.assert_array_equal(bench.inputs["parts"][1:], PARTS[1:])
    assert page.shown() == account(bench)


def test_a_drag_selects_no_letters(bench, page):
    drag(page, 2, np.add(corner(page, 1), [0, 90]))
    assert page.page.evaluate("getSelection().toString()") == ""
    expect(tile(page, 2)).to_have_css("user-select", "none")


def test_a_word_that_is_dragged_outside_stays_at_the_edge(bench, page):
    page.lay_out()
    drag(page, 1, corner(page, 0) - [0, 60])
    assert bench.values["weights"].min() >= 0
    assert bench.values["weights"][1, 0] > 0.9


def test_the_arrow_keys_move_a_word_and_the_page_keys_go_to_the_next(bench, page):
    tile(page, 0).focus()
    before, there = bench.values["weights"][0], middle(page, 0)
    page.press("ArrowLeft")
    after = bench.values["weights"][0]
    assert after[1] > before[1]
    assert after[2] < before[2]
    assert middle(page, 0)[0] < there[0]
    far = there[0] - middle(page, 0)[0]
    page.press("Shift+ArrowLeft")
    assert 0 < there[0] - far - middle(page, 0)[0] < far
    page.press("PageUp")
    expect(tile(page, 0)).not_to_be_focused()


def test_what_a_word_takes_is_said_with_its_own_braces(bench, page):
    tile(page, 2).focus()
    said = "“{powerful}” takes 0.40 of “AI” + 0.40 of “is” + 0.20 of “{powerful}”"
    expect(page.find(".tl-speaks .tl-about")).to_have_text(said)


PULLS = """() => [...document.querySelectorAll(".tl-pulls")].map((lines) => {
    const widths = [...lines.querySelectorAll("line")].map((line) => (
        Number(line.getAttribute("stroke-width"))));
    return getComputedStyle(lines).visibility === "visible" ? widths : null;
})"""


def test_lines_as_wide_as_its_weights_lead_from_the_word_in_view_to_the_corners(
    bench, page
):
    """At first that is the row that is explained; then the one that is pointed at."""
    weights = bench.values["weights"]
    said = page.find(".tl-panel:has(.tl-moved) > .tl-concludes")
    for n, name in enumerate([None, "weights", "output"]):
        if name:
            page.cell(name, n, 1).hover()
        shown = page.page.evaluate(PULLS)
        assert [row for row, widths in enumerate(shown) if widths] == [n]
        np.testing.assert_allclose(np.array(shown[n]) / sum(shown[n]), weights[n])
        expect(tile(page, n)).to_have_css("outline-style", "solid")
        expect(said).to_contain_text(f"“{WORDS[n]}” takes {weights[n, 0]:.2f} of “AI”")


def test_at_rest_the_lines_of_the_row_that_is_explained_say_its_weights(bench):
    words = [word.text for word in plots.said(bench.picture())]
    assert {"0.10", "0.30", "0.60"} <= {*words}
    assert any(text.startswith("“AI” takes 0.10 of “AI”") for text in words)


def test_a_word_in_view_marks_its_row_in_the_tables_and_not_among_the_values(
    bench, page
):
    tile(page, 2).hover()
    marked = """all => all.map(({ dataset: { panel, row } }) => `${panel} ${row}`)"""
    found = page.find("td.tl-also").evaluate_all(marked)
    assert {*found} == {"parts 2", "weights 2", "output 2"}


def test_a_place_is_shared_with_a_table_of_other_columns_by_its_row(bench, page):
    """A feature of the output has no cell of its own among the weights."""
    page.cell("output", 1, 1).hover()
    expect(page.find('td[data-panel="weights"].tl-also')).to_have_count(3)
    expect(page.find('td[data-panel="output"].tl-also')).to_have_count(1)


def test_reset_brings_the_words_back_and_a_click_pins(bench, page):
    drag(page, 0, corner(page, 1))
    assert bench.views[0, "tiles"].pin is None
    bench.reset()
    np.testing.assert_array_equal(bench.inputs["parts"], PARTS)
    tile(page, 0).click()
    page.settle()
    assert bench.views[0, "tiles"].pin == {"panel": "mixtures", "row": 0, "column": 0}


def test_only_three_values_make_a_triangle(page):
    page.draw(explorers.mixing_bench(np.ones((2, 4)), np.eye(4)))
    assert page.find(".tl-tile").count() == 0

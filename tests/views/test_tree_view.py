"""Trees in a page: read branch by branch, folded, pinned, and grown in place."""

import numpy as np
import pytest
from playwright.sync_api import expect

from explorable import Explorer, Sheet
from explorable.controls import whole
from explorable.drawings.tree import Tree

WORDS = ["⟨SOS⟩", "the", "a", "cat", "dog", "mat", "sat"]
PARENTS = [-1, 0, 0, 1, 1, 2, 3]
STATES = ["kept", "kept", "kept", "ended", "left", "left", "ended"]
FOCUSED = "document.activeElement.dataset.row"


def search(nodes=7):
    def sheet(*, nodes):
        s = Sheet()
        numbers = np.stack([1 / np.arange(1, nodes + 1), -np.arange(nodes)], axis=1)
        given = {"words": WORDS, "parents": PARENTS, "states": STATES}
        cut = {name: all_of[:nodes] for name, all_of in given.items()}
        s.draw(Tree(name="search", taken=nodes - 1, **cut), numbers)
        return s

    return Explorer("search", sheet, {"nodes": whole("nodes", nodes, 1, 7)})


@pytest.fixture
def tree(page):
    made = search()
    page.draw(made)
    return made


def node(page, n):
    return page.find(f'.tl-node[data-row="{n}"]')


def seen(page):
    return [
        int(row)
        for row in page.find(".tl-node:not([hidden])").evaluate_all(
            "all => all.map((node) => node.dataset.row)"
        )
    ]


def test_every_token_stands_with_its_probability_in_the_order_of_reading(tree, page):
    assert seen(page) == [0, 1, 3, 6, 4, 2, 5]
    expect(node(page, 3).locator("b")).to_have_text("cat")
    expect(node(page, 3).locator("small")).to_contain_text("0.25")
    label = node(page, 4).get_attribute("aria-label")
    assert label == "dog, 0.20, left"


def test_nodes_stand_where_the_picture_at_rest_puts_them(tree, page):
    drawing = tree.drawings[0]
    at = page.find(".tl-node").evaluate_all(
        """all => all.map(({ dataset, style }) =>
            [+dataset.row, parseFloat(style.left), parseFloat(style.top)])"""
    )
    places = drawing.places()
    for n, left, top in at:
        depth, row = places[n]
        assert [left, top] == pytest.approx([drawing.columns[int(depth)][0], 3.2 * row])


def test_the_score_stands_behind_what_nothing_follows(tree, page):
    scores = page.find(".tl-score").all_text_contents()
    assert scores == ["", "", "", "−6.00", "−4.00", "", "−5.00"]
    node(page, 1).locator(".tl-fold").click()
    expect(node(page, 1).locator(".tl-score")).to_have_text("−1.00")


def test_only_what_branches_or_is_folded_has_a_sign_to_fold_it(tree, page):
    signs = page.find(".tl-fold").all_text_contents()
    assert signs == ["−", "−", "", "", "", "", ""]
    node(page, 3).focus()
    page.press("ArrowLeft")
    expect(node(page, 3).locator(".tl-fold")).to_have_text("+")


def test_the_path_that_was_taken_is_told_by_more_than_color(tree, page):
    taken = page.find(".tl-node.tl-taken")
    assert taken.evaluate_all("all => all.map((node) => +node.dataset.row)") == [
        *(0, 1, 3, 6)
    ]
    assert all("✓" in text for text in taken.locator("small").all_text_contents())
    widths = page.find(".tl-tree path").evaluate_all(
        "all => all.map((path) => parseFloat(getComputedStyle(path).strokeWidth))"
    )
    assert min(widths[n] for n in (1, 3, 6)) > max(widths[n] for n in (2, 4, 5))


def test_the_keyboard_reads_and_folds_as_a_tree_does(tree, page):
    node(page, 0).focus()
    page.press("ArrowRight", "ArrowDown")
    assert page.page.evaluate(FOCUSED) == "3"
    page.press("ArrowUp", "ArrowLeft")  # up to "the", whose branch is folded
    expect(node(page, 1)).to_have_attribute("aria-expanded", "false")
    assert seen(page) == [0, 1, 2, 5]
    page.press("ArrowDown")
    assert page.page.evaluate(FOCUSED) == "2"
    page.press("Home", "ArrowRight", "ArrowRight")
    expect(node(page, 1)).to_have_attribute("aria-expanded", "true")
    assert seen(page) == [0, 1, 3, 6, 4, 2, 5]
    page.press("End", "ArrowLeft")
    assert page.page.evaluate(FOCUSED) == "2"


def test_a_click_on_the_sign_folds_and_one_on_the_token_pins(tree, page):
    node(page, 1).locator(".tl-fold").click()
    assert seen(page) == [0, 1, 2, 5]
    assert tree.view.pin is None
    node(page, 5).click()
    page.settle()
    assert tree.view.pin == {"panel": "search", "row": 5, "column": 0}
    page.press("Escape")
    assert tree.view.pin is None


def test_a_token_in_view_says_its_text_and_its_numbers(tree, page):
    node(page, 6).hover()
    about = page.find(".tl-about")
    expect(about).to_have_text(
        "“⟨SOS⟩ the cat sat”: sat with 0.14; in all Σ log p −6.00, taken, ended"
    )
    assert page.texts(".tl-chip b") == ["1.00", "0.50", "0.25", "0.14"]
    expect(page.find(".tl-node.tl-now")).to_have_count(4)


def test_a_tree_grows_in_place_and_keeps_focus_and_folds(page):
    made = search(5)
    page.draw(made)
    node(page, 1).locator(".tl-fold").click()
    page.page.evaluate("window.before = document.querySelector('[data-row=\"2\"]')")
    node(page, 2).focus()
    made.controls["nodes"].value = 7
    assert seen(page) == [0, 1, 2, 5]
    assert page.page.evaluate(
        "document.querySelector('[data-row=\"2\"]') === window.before"
        " && document.activeElement === window.before"
    )
    made.controls["nodes"].value = 1
    assert seen(page) == [0]
    assert node(page, 0).get_attribute("tabindex") == "0"


@pytest.mark.parametrize("word", ["<b>x</b>", "", "‮abc", "w" * 300])
def test_a_token_is_data(page, word):
    made = Explorer("search", lambda: one(word))
    page.draw(made)
    expect(node(page, 1).locator("b")).to_have_text(word or "·")
    page.lay_out()
    assert node(page, 1).bounding_box()["width"] < 200


def one(word):
    s = Sheet()
    given = {"words": ["a", word], "parents": [-1, 0], "states": ["kept"] * 2}
    s.draw(Tree(name="search", **given), [[1, 0], [0.5, -0.7]])
    return s


def test_a_tree_that_is_wider_than_its_place_is_seen_at_its_end(page):
    made = search(2)
    page.draw(made)
    page.page.evaluate("document.querySelector('.tl-panels').style.maxWidth = '9em'")
    made.controls["nodes"].value = 7
    last = node(page, 6)
    expect(last).to_be_in_viewport(ratio=0.9)
    expect(node(page, 0)).not_to_be_in_viewport(ratio=0.9)


def test_the_words_of_the_path_that_was_taken_are_not_cut(page):
    """They are bold, and the box of “. the cat sits” was too narrow for that."""
    words = [". the cat sits", "because", "comfortable", "street"]

    def sheet():
        s = Sheet()
        chain = {"parents": [-1, 0, 1, 2], "states": ["kept"] * 4}
        numbers = np.full((4, 2), 0.5)
        s.draw(Tree(name="search", words=words, taken=3, **chain), numbers)
        return s

    page.draw(Explorer("search", sheet))
    cut = "all => all.filter((b) => b.scrollWidth > b.clientWidth).length"
    assert page.find(".tl-node.tl-taken b").evaluate_all(cut) == 0


@pytest.mark.parametrize(("nodes", "signs"), [(2, ["✓"]), (7, ["✓", "∎", "dashed"])])
def test_only_the_signs_that_are_in_view_are_explained(page, nodes, signs):
    page.draw(search(nodes))
    page.point_at(".tl-node")
    hint = page.find(".tl-hint").text_content()
    assert [sign for sign in ("✓", "∎", "dashed") if sign in hint] == signs

"""sentence_attention in a page: words in a row, arcs, and the tables when wanted."""

import numpy as np
import pytest
from playwright.sync_api import expect
from views.page import account

from course import explorers
from explorable import plots

LIT = """() => [...document.querySelectorAll(".tl-arcs path")].map((path, n) =>
    [n, path.style.visibility !== "hidden"
        && Number(getComputedStyle(path).opacity) > 0.06]
).filter(([, on]) => on).map(([n]) => [Math.floor(n / 11), n % 11])"""
WIDTHS = """q => [...document.querySelectorAll(".tl-arcs path")]
    .slice(11 * q, 11 * q + 11)
    .map((path) => parseFloat(getComputedStyle(path).strokeWidth))"""


@pytest.fixture
def story(page):
    made = explorers.sentence_attention()
    page.draw(made)
    return made


def word(page, n):
    return page.find(f'.tl-arcs [data-row="{n}"] button')


def numbers(page):
    return page.texts(".tl-arcs .tl-weight")


def test_at_rest_the_chosen_word_shows_its_arcs_and_weights(story, page):
    assert {q for q, _ in page.page.evaluate(LIT)} == {8}
    assert numbers(page) == [f"{w:.3f}" for w in story.values["weights"][8]]
    expect(page.find(".tl-about")).to_have_text("what “it” looks at")
    assert page.find("td").count() == 0


def test_a_word_that_is_pointed_at_shows_its_own_and_then_the_chosen_one_again(
    story, page
):
    word(page, 2).hover()
    assert numbers(page) == [f"{w:.3f}" for w in story.values["weights"][2]]
    assert {q for q, _ in page.page.evaluate(LIT)} == {2}
    page.page.mouse.move(0, 0)
    assert {q for q, _ in page.page.evaluate(LIT)} == {8}


def test_the_arrow_keys_move_along_the_words_and_space_holds_one(story, page):
    word(page, 0).focus()
    page.press("ArrowRight")
    expect(page.find(".tl-about")).to_have_text("what “cat” looks at")
    page.press("Space")
    assert story.view.pin == {"panel": "arcs", "row": 1, "column": None}
    page.press("End")
    expect(page.find(".tl-about")).to_have_text("what “cat” looks at")


def test_the_wider_the_arc_the_larger_the_weight(story, page):
    widths, weights = page.page.evaluate(WIDTHS, 3), story.values["weights"][3]
    order = np.argsort(weights, kind="stable")
    assert np.diff(np.array(widths)[order]).min() >= 0
    assert widths[5] > 3 * widths[0]


def test_the_tables_come_when_they_are_wanted_and_show_the_same_place(story, page):
    story.controls["tables"].value = True
    assert page.shown() == account(story)
    page.cell("weights", 3, 5).hover()
    expect(page.find(".tl-about").filter(has_text="what “on” looks at")).to_have_count(
        1
    )
    story.controls["tables"].value = False
    assert page.find("td:visible").count() == 0


def test_on_a_narrow_page_all_words_of_a_sentence_stand_beside_each_other(page):
    """The last two words lay beyond the edge, and the last one says who is meant."""
    page.page.set_viewport_size({"width": 612, "height": 900})
    try:
        page.draw(explorers.coreference())
        names = page.find(".tl-arcs button")
        assert names.count() == 11
        cut = "all => all.filter((one) => one.scrollWidth > one.clientWidth).length"
        assert names.evaluate_all(cut) == 0
        assert page.find(".tl-arcs").evaluate_all(cut) == 0
        assert page.page.evaluate("document.documentElement.scrollWidth") == 612
        ends = [one.bounding_box() for one in names.all()]
        assert ends[-1]["x"] + ends[-1]["width"] <= 612
    finally:
        page.page.set_viewport_size({"width": 1280, "height": 2000})


def test_the_small_weights_add_up_to_what_is_said_of_them_together(story, page):
    *_, said = page.texts(".tl-chip")
    count, together = said.split(" more, together")
    small = sorted(map(float, numbers(page)))[: int(count)]
    assert abs(sum(small) - float(together)) < 0.005


def test_below_arcs_what_is_written_as_0_is_not_seen_in_the_page_or_at_rest(page):
    """Ten zeros drew the eye away from the one word that counts."""
    explorer = explorers.coreference()
    page.draw(explorer)
    for weight in page.find(".tl-arcs .tl-weight").all():
        ink = weight.evaluate("node => getComputedStyle(node).color")
        assert (ink == "rgba(0, 0, 0, 0)") == (weight.text_content() == "0.00")
    words = [word.text for word in plots.said(explorer.picture())]
    assert words.count("0.00") == 1  # of the noun that is not meant, in its own table
    assert "“it” refers to “cat”: probability 1.00" in words

"""The explorers of language models in a page: a click hides a word or writes one."""

import numpy as np
from playwright.sync_api import expect

from course import explorers

BAR = '.tl-bar[data-panel="next"][data-row="{}"]'
ENDS = """all => ["left", "right"].map((side) =>
    all.map((node) => node.getBoundingClientRect()[side]))"""
OUTPUT = {"width": 1112, "height": 2000}  # of a JupyterLab that is 1280 pixels wide


def test_a_click_or_enter_on_a_word_hides_it_and_no_heading_is_a_button(page):
    made = explorers.masked_words()
    page.draw(made)
    expect(page.find(".tl-chooser")).to_have_count(0)
    page.cell("sees", 0, 1).click()
    page.settle()
    assert made.controls["hidden"].value == 2
    assert "“cat” is hidden" in page.texts("figcaption > span")[0]
    expect(page.cell("sees", 0, 1)).to_contain_class("tl-outlined")
    expect(page.find(".tl-outlined")).to_have_count(1)
    page.press("ArrowRight", "Enter")
    page.settle()
    assert made.controls["hidden"].value == 3


def test_a_text_is_reached_step_by_step_in_the_same_tiles(page):
    made = explorers.define("moonling")
    page.draw(made)
    last = page.find(".tl-tile").last.element_handle()
    shown = page.texts(".tl-tile")
    made.go(2)
    drawing = made.drawings[0]
    assert page.texts(".tl-tile b") == [below for _, below in drawing.faces]
    assert page.texts(".tl-tile small") == [above for above, _ in drawing.faces]
    assert page.texts(".tl-tile") != shown
    assert last.evaluate("(node) => node.isConnected")
    assert last.text_content() == "".join(drawing.faces[-1])


def test_a_running_text_is_read_as_one_and_marks_what_comes_next(page):
    """Nothing covers that; a screen reader is told what the number of a shade is."""
    made = explorers.define("moonling")
    page.draw(made)
    drawing = made.drawings[0]
    [following] = page.find(".tl-running .tl-next").all()
    assert ("✓", following.text_content()[1:]) in drawing.faces
    page.lay_out()
    box = following.bounding_box()
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    top = "([x, y]) => document.elementFromPoint(x, y).closest('.tl-tile').ariaLabel"
    assert page.page.evaluate(top, middle).endswith("is what comes next")
    first = page.find(".tl-running .tl-tile").first
    assert first.get_attribute("aria-label").startswith("“⟨MEANS⟩” gives “⟨SOS⟩” 0.")
    left, right = page.find(".tl-running .tl-tile").evaluate_all(ENDS)
    x, y, _ = made.values["text"].T
    gaps = (x[1:] - x[:-1] - drawing.wide[:-1])[np.diff(y) == 0]
    shown = np.subtract(left[1:], right[:-1])[np.diff(y) == 0]
    inside = np.isclose(gaps, 0)  # a word
    assert 0 < inside.sum() < len(inside)
    np.testing.assert_allclose(shown[inside], 0, atol=0.6)
    assert shown[~inside].min() > 3


def test_the_pieces_of_a_line_of_text_stand_on_one_height(page):
    made = explorers.define("moonling", begins="a small bird of the woods of America")
    before = page.page.viewport_size
    page.page.set_viewport_size({"width": 1500, "height": 660})
    page.draw(made)
    lows = page.find(".tl-tile b").evaluate_all(
        "all => all.map((node) => node.getBoundingClientRect().bottom)"
    )
    lines = made.values["text"][:, 1]
    assert len({*lines}) > 1
    for line in {*lines}:
        assert np.ptp(np.array(lows)[lines == line]) < 0.1
    page.page.set_viewport_size(before)


BOXES = """() => [...document.querySelectorAll(".tl-panel")].map((panel) => {
    const { left, top } = panel.getBoundingClientRect();
    return [left, top];
})"""


def test_a_word_that_a_model_does_not_know_moves_nothing_sideways(page):
    """The refusal once made its view so wide that both tables went below it."""
    made = explorers.pictures_and_captions()
    before = page.page.viewport_size
    page.page.set_viewport_size(OUTPUT)
    page.draw(made)
    page.lay_out()
    there = page.page.evaluate(BOXES)
    made.controls["caption"].value = "a scarlet flamingo"
    page.settle()
    assert "flamingo" in page.texts(".tl-message")[0]
    page.lay_out()
    now = page.page.evaluate(BOXES)
    page.page.set_viewport_size(before)
    lines = np.abs(np.subtract(now, there))
    assert lines[:, 0].max() < 1
    assert lines[:, 1].max() < 120  # a few lines of a refusal in a narrow view


def test_a_click_on_a_piece_goes_to_its_step_and_one_on_a_bar_or_its_label_writes_it(
    page,
):
    made = explorers.define("moonling")
    page.draw(made)
    tiles = page.find('.tl-tile[data-panel="text"]')
    first = [below for _, below in made.drawings[0].faces].index("⟨MEANS⟩") + 1
    tiles.nth(first + 1).click()
    page.settle()
    assert made.settings["step"] == 2
    expect(page.find(".tl-next")).to_have_count(1)
    later = len(made.drawings[0].faces) - first - 2
    expect(page.find(".tl-later")).to_have_count(later)
    page.find(BAR.format(1)).click()
    page.settle()
    begun = made.settings["begins"]
    assert begun
    assert made.settings["step"] == 2
    page.find(".tl-bar-label").nth(2).click()
    page.settle()
    assert made.settings["begins"] not in ("", begun)
    fourth = made.drawings[1].chooses[1][3]
    page.find(BAR.format(3)).focus()
    page.press("Enter")
    page.settle()
    assert made.settings["begins"] == fourth


def test_what_stands_for_all_other_pieces_is_pinned_and_not_written(page):
    made = explorers.define("moonling")
    page.draw(made)
    page.find(BAR.format(7)).click()
    page.settle()
    assert made.settings["begins"] == ""
    expect(page.find(".tl-pinned")).to_have_count(1)


def test_what_comes_next_is_framed_in_ink_and_the_pieces_to_click_are_not(page):
    """All of them looked alike: a button's edge lay over it."""
    page.draw(explorers.define("moonling"))
    edge = "(node) => getComputedStyle(node).borderBottomColor"
    following = page.find(".tl-running .tl-next").evaluate(edge)
    others = page.find(".tl-running .tl-asked:not(.tl-next)").all()
    assert others
    assert following not in {other.evaluate(edge) for other in others}

"""The row of words in a page: dragged, moved by keys, reversed and brought back."""

import pytest
from playwright.sync_api import expect
from views.page import account

from course import explorers

SWAPPED = [0, 4, 2, 3, 1]


@pytest.fixture
def bite(page):
    made = explorers.word_order("the dog bit the man", SWAPPED)
    page.draw(made)
    page.lay_out()  # before anything is measured: the panels may still grow
    return made


@pytest.fixture
def assert_order(bite, page):
    def check(*order):
        page.settle()
        row = next(w for w in bite.controls.values() if hasattr(w, "words"))
        assert list(row.value) == list(order)
        assert page.texts(".tl-word bdi") == [row.words[n] for n in order]
        assert page.shown() == account(bite)

    return check


def middle(place):
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_word_is_dragged_and_the_picture_follows(page, assert_order):
    places, mouse = page.find(".tl-word"), page.page.mouse
    assert_order(*SWAPPED)
    mouse.move(*middle(places.nth(4)))
    mouse.down()
    mouse.move(*middle(places.nth(2)), steps=15)
    page.settle()
    expect(places.nth(2)).to_have_attribute("aria-pressed", "true")
    mouse.move(*middle(places.nth(0)), steps=15)
    mouse.up()
    assert_order(1, 0, 4, 2, 3)
    expect(page.find(".tl-word[aria-pressed='true']")).to_have_count(0)


def test_the_keyboard_alone_picks_a_word_up_moves_it_and_puts_it_down(
    page, assert_order
):
    places, said = page.find(".tl-word"), page.find(".tl-order-said")
    places.nth(0).focus()
    page.press("ArrowRight", "Space")
    expect(said).to_contain_text("“man” held, position 1 of 0 to 4")
    page.press("End")
    expect(places.nth(4)).to_be_focused()
    expect(said).to_have_text("“man” at position 4")
    page.press("Space")
    assert_order(0, 2, 3, 1, 4)
    expect(said).to_have_text("“man” put down at position 4")
    page.press("Enter", "ArrowLeft", "Escape")
    assert_order(0, 2, 3, 1, 4)
    expect(page.find(".tl-word[tabindex='0']")).to_have_count(1)


def test_buttons_reverse_shuffle_and_bring_back_the_order(page, assert_order):
    for name, order in (("Original", [0, 1, 2, 3, 4]), ("Reverse", [4, 3, 2, 1, 0])):
        page.find(f"text={name}").click()
        assert_order(*order)
    before = page.texts(".tl-word bdi")
    page.find("text=Shuffle").click()
    after = page.texts(".tl-word bdi")
    assert after != before
    assert sorted(after) == sorted(before)


def test_another_sentence_is_shown_and_a_bad_one_refused_in_a_line(bite, page):
    bite.controls["sentence"].value = "AI is <b>powerful</b>"
    assert page.texts(".tl-word bdi") == ["AI", "is", "<b>powerful</b>"]
    assert page.shown() == account(bite)
    bite.controls["sentence"].value = "w " * 33
    message = page.find(".tl-message")
    expect(message).to_have_text("sentence must hold 1 to 32 words, got 33")
    expect(page.find(".tl-word")).to_have_count(3)
    bite.reset()
    expect(page.find(".tl-word")).to_have_count(5)
    expect(message).to_be_empty()


def test_words_of_two_letters_are_whole_also_when_they_are_bold(page):
    page.draw(explorers.word_order("w1 Wm it", [2, 1, 0], strength=1.0))
    words = page.find(".tl-links button")
    for n in range(words.count()):
        words.nth(n).hover()
        assert words.nth(n).evaluate("word => word.scrollWidth <= word.clientWidth")


def test_a_word_is_in_view_at_both_its_places_and_its_output_beside_them(bite, page):
    carried = """all => all.map((end) =>
        [...end.querySelectorAll("i")].map((i) => i.textContent))"""
    before, after = (page.find(f".tl-end[data-{side}]") for side in ("row", "column"))
    outputs = before.evaluate_all(carried)
    assert outputs[0] == ["0.77", "−1.84", "−0.41", "−1.99"]
    assert after.evaluate_all(carried) == [outputs[n] for n in SWAPPED]
    before.nth(1).locator("button").hover()
    expect(page.find(".tl-speaks .tl-about")).to_have_text(
        "“dog” went from position 1 to 4: its output is the same."
    )
    expect(page.find(".tl-end.tl-now button")).to_have_text(["dog", "dog"])
    page.cell("difference", 2, 0).hover()
    expect(page.find(".tl-end.tl-now button")).to_have_text(["bit", "bit"])


def test_in_full_screen_no_panel_falls_out_of_the_window(bite, page):
    """Moved to the middle, the second panel once began a line of its own below it."""
    before = page.page.viewport_size
    page.page.set_viewport_size({"width": 1400, "height": 720})
    page.page.get_by_role("button", name="Full screen").click()
    page.lay_out()
    foot = "card => [card.scrollHeight, card.clientHeight]"
    whole, seen = page.find(".tl-explorer").evaluate(foot)
    page.press("Escape")
    page.lay_out()
    page.page.set_viewport_size(before)
    assert whole == seen

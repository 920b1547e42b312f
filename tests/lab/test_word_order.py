"""word_order in real JupyterLab: words moved by mouse, keyboard and buttons."""

import pytest
from lab.explorer_page import ExplorerPage
from lab.test_accessibility import AXE, RUN
from playwright.sync_api import expect

from transformer_lib.explorers.positions.word_order import numbered, word_order_steps

BITE = "the dog bit the man"
SWAPPED = [0, 4, 2, 3, 1]
CELL = f"""
from transformer_lib import explorers
explorers.word_order({BITE!r}, {SWAPPED})
"""
SHOWN = ("x_after", "weights_before", "weights_after", "before", "after", "difference")


@pytest.fixture
def explorer(lab, open_notebook):
    page = open_notebook(lab.add("order.ipynb", [CELL]), keep=True)
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    explorer = ExplorerPage(page)
    explorer.press("Reset")
    assert_order(explorer, SWAPPED)  # a busy kernel takes its time
    return explorer


def places(explorer):
    return explorer.output.locator(".tl-word")


def assert_order(explorer, order, sentence=BITE, strength=0.0):
    steps = word_order_steps(sentence=sentence, order=order, strength=strength)
    names = places(explorer).locator("bdi")
    expect(names).to_have_text(names_of(sentence, order))
    explorer.shows({name: steps[name] for name in SHOWN})


def names_of(sentence, order):
    words = numbered(sentence.split())
    return [words[n] for n in order]


def middle(place):
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_word_is_dragged_and_the_picture_follows(explorer):
    assert_order(explorer, SWAPPED)
    mouse = explorer.page.mouse
    mouse.move(*middle(places(explorer).nth(4)))
    mouse.down()
    mouse.move(*middle(places(explorer).nth(2)), steps=15)
    expect(places(explorer).nth(2)).to_have_attribute("aria-pressed", "true")
    mouse.move(*middle(places(explorer).nth(0)), steps=15)
    mouse.up()
    assert_order(explorer, [1, 0, 4, 2, 3])
    expect(explorer.output.locator(".tl-held")).to_have_count(0)


def test_the_keyboard_alone_picks_a_word_up_moves_it_and_puts_it_down(explorer):
    keyboard, said = explorer.page.keyboard, explorer.output.locator(".tl-order-said")
    places(explorer).nth(0).focus()
    keyboard.press("ArrowRight")
    keyboard.press("Space")
    expect(said).to_contain_text("“man” held, place 1 of 0 to 4")
    keyboard.press("End")
    expect(places(explorer).nth(4)).to_be_focused()
    expect(said).to_have_text("“man” at place 4")
    keyboard.press("Space")
    assert_order(explorer, [0, 2, 3, 1, 4])
    expect(said).to_have_text("“man” put down at place 4")
    keyboard.press("Enter")
    keyboard.press("ArrowLeft")
    keyboard.press("Escape")
    assert_order(explorer, [0, 2, 3, 1, 4])
    assert (
        places(explorer).evaluate_all(
            "all => all.filter((place) => place.tabIndex === 0).length"
        )
        == 1
    )


def test_buttons_reverse_shuffle_and_bring_back_the_order(explorer):
    explorer.press("Original")
    assert_order(explorer, [0, 1, 2, 3, 4])
    explorer.press("Reverse")
    assert_order(explorer, [4, 3, 2, 1, 0])
    explorer.press("Shuffle")
    expect(places(explorer).locator("bdi")).not_to_have_text(
        names_of(BITE, [4, 3, 2, 1, 0])
    )


def test_positions_make_a_difference(explorer):
    explorer.slider("add positional encoding").focus()
    explorer.page.keyboard.press("End")
    assert_order(explorer, SWAPPED, strength=2.0)
    note = explorer.view.locator("figure", has_text="what changed").locator(".tl-note")
    expect(note).to_have_text("5 of 5 words have another output now")


def test_another_sentence_is_typed_and_a_bad_one_refused_in_a_line(explorer):
    line = explorer.output.get_by_role("textbox", name="sentence")
    line.fill("AI is <b>powerful</b>")
    assert_order(explorer, [0, 1, 2], "AI is <b>powerful</b>")
    line.fill("w " * 33)
    message = explorer.view.locator(".tl-message")
    expect(message).to_have_text("sentence must hold 1 to 32 words, got 33")
    expect(places(explorer)).to_have_count(3)
    explorer.press("Reset")
    assert_order(explorer, SWAPPED)
    expect(message).to_be_empty()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_to_object_to(dark, lab, open_notebook):
    page = open_notebook(lab.add("order.ipynb", [CELL]), dark=dark, keep=True)
    page.locator(".tl-word").last.wait_for()
    page.evaluate(AXE)
    assert page.evaluate(RUN) == []
    page.locator(".tl-word").first.press("Space")
    assert page.evaluate(RUN) == []

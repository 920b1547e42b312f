"""A model as boxes: the one that is lit, the steps in it, the vector above each."""

import numpy as np
import pytest
from gallery import GALLERY
from playwright.sync_api import expect

from course import explorers
from course.data.jobs import VOCABULARY
from course.models import jobs
from explorable import plots

LOOK = """node => {
    const { backgroundColor, color, borderColor } = getComputedStyle(node);
    return [backgroundColor, color, borderColor];
}"""


@pytest.fixture
def walk(page):
    made = GALLERY["walk"].make(4)
    page.draw(made)
    return made


def boxes(page):
    return page.find(".tl-box:not(.tl-substep)")


def lit(page):
    """The texts of what is lit: the box, and its step."""
    return page.find(".tl-box.tl-lit").all_text_contents()


def test_the_box_of_the_step_is_lit_and_the_step_in_it(page, walk):
    assert lit(page) == ["self-attention", "scores"]
    expect(page.find("[aria-current=step]")).to_have_count(2)
    assert page.texts(".tl-inside > b") == ["self-attention"]
    assert page.texts(".tl-inside > p") == ["How well each query matches each key."]
    walk.controls["step"].value = 12
    assert lit(page) == ["Add & Norm", "sum"]
    walk.controls["step"].value = 1
    assert lit(page)[0] == "embedding"
    expect(page.find(".tl-steps")).to_be_hidden()


@pytest.mark.parametrize("colors", ["light", "dark", "forced"])
def test_what_is_lit_is_plain_in_any_colors(colors, page, walk):
    page.theme(colors == "dark")
    if colors == "forced":
        page.page.emulate_media(forced_colors="active")
    all_looks = [box.evaluate(LOOK) for box in boxes(page).all()]
    [light] = [
        box.evaluate(LOOK) for box in page.find(".tl-architecture > .tl-lit").all()
    ]
    assert all_looks.count(light) == 1
    assert light[0] not in {look[0] for look in all_looks if look != light}
    page.page.emulate_media(forced_colors="none")


def test_a_click_on_a_box_or_a_step_goes_there_and_keeps_the_focus(page, walk):
    box = boxes(page).nth(13)
    assert box.text_content() == "Add & Norm"
    box.click()
    page.settle()
    assert walk.controls["step"].value == walk.drawings[0].steps[13][0]
    assert lit(page) == ["Add & Norm", "sum"]
    expect(boxes(page).nth(13)).to_be_focused()
    page.find(".tl-substep").nth(1).click()
    page.settle()
    assert walk.controls["step"].value == walk.drawings[0].steps[13][1]
    assert lit(page) == ["Add & Norm", "norm"]
    expect(page.find(".tl-substep").nth(1)).to_be_focused()


def test_the_keyboard_goes_up_the_model_and_into_a_box(page, walk):
    boxes(page).first.focus()
    page.press("ArrowUp", "ArrowUp")
    expect(boxes(page).nth(2)).to_be_focused()
    page.press("ArrowRight", "ArrowDown")
    expect(page.find(".tl-substep").nth(1)).to_be_focused()
    page.press("Enter")
    assert lit(page) == ["self-attention", "k"]
    page.press("ArrowLeft", "ArrowLeft", "ArrowDown")
    expect(boxes(page).nth(1)).to_be_focused()
    page.press("Space")
    assert lit(page) == ["+ positions", "positions"]
    page.press("End", "Home")
    expect(boxes(page).first).to_be_focused()
    one = page.find(".tl-architecture [tabindex='0']")
    expect(one).to_have_count(1)


def test_the_words_below_a_column_are_whole_in_two_lines(page, walk):
    walk.controls["source"].value = "Ajish studied art and works as an AI"
    walk.controls["target"].value = "Ajish works as an AI"
    words = page.find(".tl-lines")
    read, written = words.all_text_contents()
    assert read == "Ajish studied art and works as an AI"
    assert written == "⟨SOS⟩ Ajish works as an AI"
    for one in words.all():
        assert one.evaluate("({ scrollHeight: h, clientHeight: c }) => h <= c")


def test_the_vector_above_a_box_has_the_shades_of_its_numbers(page, walk):
    drawing, numbers = walk.drawings[0], walk.values["model"]
    strips = page.find(".tl-strip")
    for n, row in enumerate(numbers):
        if np.isnan(row).all():
            expect(strips.nth(n)).to_be_hidden()
            continue
        cells = strips.nth(n).locator("i").all()
        for cell, x in zip(cells, row, strict=True):
            shade = f"tl-{plots.step_of(x, drawing.vmax)}"
            expect(cell).to_contain_class(f"{shade} of-negative" if x < 0 else shade)
    known = int((~np.isnan(numbers).all(axis=1)).sum())
    walk.controls["step"].value = 30
    assert page.find(".tl-strip:not([hidden])").count() > known


def test_a_box_says_its_steps_and_what_leaves_it(page, walk):
    about, chips = page.find(".tl-about").first, page.find(".tl-chip b")
    boxes(page).nth(1).focus()
    expect(about).to_have_text("+ positions, steps 2 to 3: “as” leaves it as")
    said = [plots.number(x) for x in walk.values["model"][1]]
    assert chips.all_text_contents()[:8] == said
    boxes(page).nth(15).focus()
    expect(about).to_have_text("softmax: step 46")
    page.find(".tl-substep").nth(1).focus()
    expect(about).to_have_text("k: step 5")


def test_boxes_are_the_same_nodes_in_every_step(page, walk):
    boxes(page).evaluate_all("all => all.forEach((box, n) => { box.mine = n; })")
    for step in (1, 20, 46):
        walk.controls["step"].value = step
        mine = boxes(page).evaluate_all("all => all.map((box) => box.mine)")
        assert mine == list(range(16))


# How far the frame of a row is below the row above.
ABOVE = """all => all.filter((tr) => !tr.closest(".tl-wordless")).map((tr) => {
    const { outlineOffset, outlineWidth } = getComputedStyle(tr);
    const { top } = tr.getBoundingClientRect();
    const { bottom } = tr.previousElementSibling.getBoundingClientRect();
    return top - parseFloat(outlineOffset) - parseFloat(outlineWidth) - bottom;
})"""


def test_a_followed_tokens_row_is_framed_and_no_other(page, walk):
    rows = page.find("tr.tl-followed > th")
    assert {*rows.all_text_contents()} == {"as"}
    walk.controls["token"].value = 1
    assert {*page.texts("tr.tl-followed > th")} == {"Mia"}
    walk.controls["token"].value = 2
    over = page.find("tr.tl-followed").evaluate_all(ABOVE)
    assert over
    assert min(over) >= 1


def test_a_box_in_which_something_was_replaced_has_a_sign_on_its_corner(page):
    replaced = {"decoder.blocks.0.cross_attention.scores": lambda scores: -scores}
    start = "Ajish works as an AI"
    walk = explorers.walk(jobs.trained(), VOCABULARY, start, start, patches=replaced)
    page.draw(walk)
    [marked] = walk.drawings[0].marked
    page.lay_out()
    box = boxes(page).nth(marked).bounding_box()
    sign = page.find(".tl-sign:not(.tl-mild, [hidden])")
    expect(sign).to_have_text("≠")
    mild = page.find(".tl-sign.tl-mild:visible")  # of all that this has changed
    expect(mild).to_have_count(len(walk.drawings[0].changed) - 1)
    expect(mild.first).to_have_attribute("title", "this is not as it was")
    corner = sign.bounding_box()
    assert corner["x"] < box["x"] < corner["x"] + corner["width"]  # no way is there
    assert corner["y"] < box["y"] < corner["y"] + corner["height"]

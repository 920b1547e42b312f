"""The explorers of language models in a page: a click hides a word, a text grows."""

from playwright.sync_api import expect

from course import explorers
from course.explorers.language.writing_on import ACROSS

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


def test_a_text_grows_in_the_same_tiles(page):
    made = explorers.writing_on("The value", characters=6)
    page.draw(made)
    tiles = page.find('.tl-tile[data-panel="text"]')
    first = tiles.nth(10).element_handle()
    assert page.texts(".tl-tile b")[9:11] == [made.drawings[0].faces[9][1], "·"]
    made.go(6)
    drawing = next(d for d in made.drawings if d.name == "text")
    assert page.texts(".tl-tile b") == [below for _, below in drawing.faces]
    assert page.texts(".tl-tile small") == [above for above, _ in drawing.faces]
    assert first.evaluate("(node) => node.isConnected")
    assert first.text_content() == "".join(drawing.faces[10])


def test_a_text_stands_on_lines_below_a_heading_as_high_as_its_neighbor(page):
    made = explorers.writing_on("The value of the ", characters=6)
    before = page.page.viewport_size
    page.page.set_viewport_size({"width": 1500, "height": 660})
    page.draw(made)
    lows = page.find(".tl-tile b").evaluate_all(
        "all => all.map((node) => node.getBoundingClientRect().bottom)"
    )
    assert len({round(low, 1) for low in lows[:ACROSS]}) == 1
    assert "" in page.texts(".tl-tile small")[:ACROSS]  # beside those with a percent
    tops = page.find("figcaption > b").evaluate_all(
        "all => all.map((node) => node.getBoundingClientRect().top)"
    )
    page.page.set_viewport_size(before)
    assert round(tops[0], 1) == round(tops[1], 1)

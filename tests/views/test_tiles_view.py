"""Tiles in a page: the numbers of one tensor, and where each of them lies."""

import numpy as np
import pytest
from gallery import GALLERY
from playwright.sync_api import expect

from course import explorers
from explorable.drawings.tiles.tiles import TILE

STEPS = explorers.split_lab().controls["step"].options


@pytest.fixture
def lab(page):
    made = explorers.split_lab()
    page.draw(made)
    return made


def tile(page, panel, n):
    return page.find(f'.tl-tile[data-panel="{panel}"][data-row="{n}"]')


def test_a_line_is_set_as_prose_and_a_token_as_code(page):
    family = "node => getComputedStyle(node).fontFamily"
    page.draw(explorers.find_the_bug([1]))
    prose = page.find("figcaption").first.evaluate(family)
    lines = page.find(".tl-tile").evaluate_all(f"all => all.map({family})")
    assert {*lines} == {prose}
    page.draw(GALLERY["define"].make(4))
    assert page.find(".tl-tile").first.evaluate(family) != prose


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("n_heads", [1, 8])
def test_the_tiles_lie_where_the_library_puts_them(lab, page, step, n_heads):
    lab.controls["step"].value = step
    lab.controls["n_heads"].value = n_heads
    for panel in ("tensor", "memory"):
        lengths = page.find(f'.tl-tile[data-panel="{panel}"]').evaluate_all(
            "all => all.map(({ style }) => [style.left, style.top].map(parseFloat))"
        )
        places = np.array(lengths) / TILE[0]  # em a side
        np.testing.assert_allclose(places, lab.values[panel][:, :2])


def test_a_number_in_view_is_ringed_on_both_boards_and_tells_its_address(lab, page):
    lab.controls["step"].value = "transpose"
    tile(page, "memory", 10).hover(force=True)  # which may still be gliding
    expect(page.find(".tl-about")).to_contain_text(
        "lies at address 0·4 + 1·8 + 2·1 = 10"
    )
    expect(page.find(".tl-tile.tl-now")).to_have_count(2)


def test_the_keyboard_reads_the_tiles_in_their_order_and_pins(lab, page):
    lab.controls["step"].value = "contiguous"
    assert "copied" in page.texts(".tl-note")[1]
    tile(page, "memory", 3).focus()
    page.press("ArrowRight", "ArrowRight")
    after = tile(page, "memory", 9)
    expect(after).to_be_focused()
    page.press("Enter")
    expect(after).to_have_attribute("aria-pressed", "true")
    page.press("Escape")
    expect(after).to_have_attribute("aria-pressed", "false")

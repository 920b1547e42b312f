"""The cursor: one look for what is in view in every drawing, which no data has."""

import numpy as np
import pytest
from gallery import GALLERY

YELLOW = "rgb(255, 214, 10)"
RING = "node => getComputedStyle(node).boxShadow"
#: By explorer, what can be in view in one of its drawings.
PLACES = {
    "attention_bench": "td",
    "add_and_norm": ".tl-bar",
    "pictures": ".tl-pixel",
    "trees": ".tl-node",
    "split_lab": ".tl-tile",
    "walk": ".tl-box[data-panel]",
    "sentence_attention": ".tl-end",
}


def ring(page, place):
    """Around what is in view of this kind."""
    node = page.find(f"{place}.tl-now").first
    within = node.locator("button, .tl-fill")
    return (within if within.count() else node).evaluate(RING)


def test_what_is_in_view_has_the_same_ring_in_every_drawing(page):
    rings = {}
    for name, place in PLACES.items():
        page.draw(GALLERY[name].make(4))
        page.point_at(place)
        rings[place] = ring(page, place)
    assert len(set(rings.values())) == 1, rings
    assert "none" not in rings.values()


def test_of_several_views_only_the_one_that_explains_shows_a_cursor(page):
    """A ring that nothing is said about asks the reader to find out what it means."""
    page.draw(GALLERY["add_and_norm"].make(4))
    cell, fill = page.find("td.tl-now"), page.find(".tl-bar.tl-now .tl-fill").first
    assert YELLOW in cell.evaluate(RING)
    assert YELLOW not in fill.evaluate(RING)
    page.point_at(".tl-bar")
    assert YELLOW not in cell.evaluate(RING)
    assert YELLOW in fill.evaluate(RING)


def test_a_chart_shows_its_hair_line_only_while_it_explains(page):
    page.draw(GALLERY["sequence_training"].make(4))
    hair, seen = page.find(".tl-hair"), "node => getComputedStyle(node).visibility"
    assert hair.evaluate(seen) == "hidden"
    page.point_at(".tl-chart")
    assert hair.evaluate(seen) == "visible"


def test_what_is_in_view_does_not_look_like_what_the_data_frames(page):
    """The cursor was once a black frame, as the letter that is to be written has."""
    page.draw(GALLERY["sequence_training"].make(4))
    framed = page.find("td.tl-outlined:not(.tl-now)").first.evaluate(RING)
    page.point_at("td:not(.tl-outlined)")
    seen = ring(page, "td")
    page.point_at("td.tl-outlined")
    both = ring(page, "td")
    assert YELLOW in seen
    assert YELLOW not in framed
    assert seen in both
    frame = "node => getComputedStyle(node, '::before').top"
    assert page.find("td.tl-outlined.tl-now").first.evaluate(frame) == "0px"  # inside


def test_the_cursor_only_colors_a_ring_of_the_cell_that_a_picture_frames(page):
    """Rings around rings looked like one more frame of the data."""
    page.draw(GALLERY["picture_writing"].make(4))
    framed = page.find(".tl-pixel.tl-outlined")
    alone = framed.evaluate(RING)
    assert YELLOW not in alone
    page.point_at(".tl-pixel.tl-outlined")
    assert framed.evaluate(RING) == alone.replace("rgb(255, 255, 255)", YELLOW)


@pytest.mark.parametrize("pinned", [False, True])
def test_what_is_in_view_covers_no_weight_of_a_patch(pinned, page):
    """The number of a patch stands over the cell in view, whichever that is."""
    page.draw(GALLERY["digit_training"].make(4))
    cells = page.find(".tl-pixel")
    over = int(page.find(".tl-patches").evaluate("e => getComputedStyle(e).zIndex"))
    for n in np.linspace(0, cells.count() - 1, 5).astype(int):
        (cells.nth(n).click if pinned else cells.nth(n).hover)()
        page.settle()
        in_view = page.find(".tl-pixel.tl-now")
        assert int(in_view.evaluate("e => getComputedStyle(e).zIndex")) < over

"""The keyboard reaches a cell of every kind of drawing, reads on, pins and lets go."""

import pytest
from gallery import A_FEW, GALLERY
from playwright.sync_api import expect

PLAIN = "[role=gridcell][aria-readonly], .tl-tile, .tl-bar, .tl-arcs button, .tl-node"
TOOLS = ["Copy numbers", "Save picture", "Cover", "Full screen", "A−", "A+"]
FOCUSED = "document.activeElement"


# Note what has the focus; whether it is new.
NOTE = """() => {
    const at = document.activeElement;
    const isNew = at !== document.body && !window.reached.includes(at);
    if (isNew) window.reached.push(at);
    return isNew;
}"""


def tab_through(page):
    """Press Tab through the page; give what had the focus on the way."""
    page.page.evaluate("document.activeElement.blur(); window.reached = []")
    for _ in range(80):
        page.page.keyboard.press("Tab")
        if not page.page.evaluate(NOTE):
            handles = page.page.evaluate_handle("window.reached").get_properties()
            return [handle.as_element() for handle in handles.values()]
    raise AssertionError("Tab does not leave the explorer")


@pytest.mark.parametrize("name", A_FEW)
def test_the_keyboard_alone_reaches_moves_pins_and_unpins_a_cell(name, page):
    page.draw(GALLERY[name].make(4))
    reached, pinned = tab_through(page), page.find(".tl-pinned")
    at = next(at for at in reached if at.evaluate(f"node => node.matches('{PLAIN}')"))
    at.focus()
    about = page.find(".tl-speaks .tl-about")
    sentence = about.text_content()
    for there, back in (("ArrowDown", "ArrowUp"), ("End", "Home")):
        page.press(there)
        assert page.page.evaluate(f"{FOCUSED}.matches('{PLAIN}')")
        page.press(back)
    assert page.page.evaluate(f"node => node === {FOCUSED}", at)
    assert about.text_content() == sentence
    page.press("Space")
    expect(pinned).to_have_count(1)
    page.press("ArrowRight", "ArrowDown")
    assert about.text_content() == sentence
    page.press("Escape")
    expect(pinned).to_have_count(0)
    tools = [at.text_content() for at in reached][:6]
    assert tools == TOOLS

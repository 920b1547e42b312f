"""Windows' high contrast takes a page's colors away: what they told is seen still."""

import pytest
from gallery import A_FEW, GALLERY
from playwright.sync_api import expect
from views.test_accessibility import objections

# Each thing whose color is a number or a name, by kind, with its color.
TOLD = """() => {
    const all = (css) => [...document.querySelectorAll(css)];
    const kinds = {
        cell: all(".tl td[role=gridcell]"), weight: all(".tl-weight"),
        tile: all(".tl-tile"), bar: all(".tl-fill"),
    };
    return Object.entries(kinds).flatMap(([kind, nodes]) => nodes.map((node) => {
        const { backgroundColor, backgroundImage } = getComputedStyle(node);
        return [kind, `${backgroundColor} ${backgroundImage}`];
    }));
}"""
PLACE = "[role=gridcell], .tl-bar, .tl-tile, .tl-end, .tl-node"
#: What a class of a node says, where an explorer has one that can have it.
STATES = {
    "tl-now": PLACE,
    "tl-pinned": PLACE,
    "tl-operand": "td[role=gridcell]",
    "tl-also": "td[role=gridcell], .tl-pixel, .tl-bar-label",
    "tl-outlined": "td[role=gridcell]",
    "tl-hidden": "td[role=gridcell]",
    "tl-flagged": "td[role=gridcell]",
    "tl-chosen": ".tl-panel:has(.tl-chooser)",
    "tl-wet": ".tl-canvas .tl-pixel",
    "tl-taken": ".tl-node",
    "tl-left": ".tl-node",
}
# The states that the last node of their kind can be in unseen.
UNSEEN = """(states) => {
    const told = ["boxShadow", "outline", "border", "background", "fontWeight"];
    const look = (node) => ["", "::before", "::after"].flatMap((pseudo) => {
        const style = getComputedStyle(node, pseudo);
        return [style.content, ...told.map((name) => style[name])];
    });
    const parts = (node) => [node, ...node.querySelectorAll("button, .tl-fill")];
    const looks = (node) => parts(node).map(look).join();
    for (const view of document.querySelectorAll(".tl-mute")) {
        view.classList.remove("tl-mute"); // else it shows nothing that is in view
    }
    return Object.entries(states).filter(([state, css]) => {
        const node = [...document.querySelectorAll(css)].at(-1);
        if (!node) return false;
        node.className = node.className.replace(/tl-\\d+|of-negative/g, "");
        node.classList.remove(...Object.keys(states));
        const without = looks(node);
        node.classList.add(state);
        return looks(node) === without;
    }).map(([state]) => state);
}"""


@pytest.fixture
def forced(page):
    page.page.emulate_media(forced_colors="active")
    yield page
    page.page.emulate_media(forced_colors="none", color_scheme="light")


def distinct(page):
    """How many colors each kind of thing has."""
    told = page.page.evaluate(TOLD)
    looks = {}
    for kind, look in told:
        looks.setdefault(kind, set()).add(look)
    return {kind: len(found) for kind, found in looks.items()}


@pytest.mark.parametrize("size", [12])
@pytest.mark.parametrize("name", A_FEW)
def test_what_colors_tell_is_told_in_forced_colors_too(name, size, forced):
    forced.page.emulate_media(forced_colors="none")
    forced.draw(GALLERY[name].make(size))
    before = distinct(forced)
    forced.page.emulate_media(forced_colors="active")
    assert distinct(forced) == before


@pytest.mark.parametrize("name", GALLERY)
def test_every_state_is_seen_in_forced_colors(name, forced):
    forced.draw(GALLERY[name].make(4))
    assert forced.page.evaluate(UNSEEN, STATES) == []


def test_a_word_that_is_held_looks_held(forced):
    forced.draw(GALLERY["word_order"].make(4))
    words = forced.find(".tl-word")
    words.nth(1).focus()
    forced.press("Space")
    expect(words.nth(1)).to_have_attribute("aria-pressed", "true")
    background = "word => getComputedStyle(word).backgroundColor"
    assert words.nth(1).evaluate(background) != words.nth(0).evaluate(background)


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize("name", A_FEW)
def test_all_text_is_legible_in_forced_colors(name, scheme, forced):
    forced.page.emulate_media(color_scheme=scheme)
    forced.draw(GALLERY[name].make(3))
    assert objections(forced, only=["color-contrast"]) == []

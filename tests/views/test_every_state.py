"""Every explorer at every end of its controls: the page shows what Python computes."""

import itertools
import re

import pytest
from gallery import A_FEW, GALLERY, ends_of
from views.page import account

# Point at the first and the last cell of each matrix: what has no explanation is
# an error in the page's console, and so fails the test.
VISIT = """() => {
    const first = [...document.querySelectorAll("td[data-row='0'][data-column='0']")];
    const last = [...document.querySelectorAll(".tl tr:last-child > td:last-child")];
    for (const td of [...first, ...last]) {
        td.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    }
}"""


SIZES = sorted({(name, GALLERY[name].size(n)) for name in GALLERY for n in (2, 8)})


@pytest.mark.parametrize(("name", "size"), SIZES)
def test_every_control_at_its_ends_shows_what_python_computes(name, size, page):
    explorer = GALLERY[name].make(size)
    page.draw(explorer)
    assert page.shown() == account(explorer)
    for control in explorer.controls.values():
        for value in ends_of(control):
            control.value = value
            assert page.shown() == account(explorer)
            page.page.evaluate(VISIT)


def pairs(explorer):
    """Set every two controls to their ends, one pair of ends after another.

    What the second one offers may depend on the first one.
    """
    for one, other in itertools.combinations(explorer.controls.values(), 2):
        for a in ends_of(one):
            one.value = a
            for b in ends_of(other):
                one.value, other.value = a, b
                yield a, b


@pytest.mark.parametrize("name", GALLERY)
def test_two_controls_at_their_ends_together_do_not_fail(name):
    """One end may refuse another; an error that is no refusal is named by its type."""
    explorer = GALLERY[name].make(3)
    for ends in pairs(explorer):
        assert not re.match(r"\w+(Error|Exception): ", explorer.view.message), ends
        if not explorer.view.message:
            assert explorer.settings == explorer._read()


@pytest.mark.parametrize("name", A_FEW)
def test_the_page_shows_two_controls_at_their_ends_together(name, page):
    explorer = GALLERY[name].make(3)
    page.draw(explorer)
    for _ in itertools.islice(pairs(explorer), 8):
        assert page.shown() == account(explorer)

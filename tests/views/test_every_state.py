"""Every explorer at every end of its controls: the page shows what Python computes."""

import itertools

import pytest
from gallery import GALLERY, ends_of
from views.page import account

ENDS = {name: GALLERY[name].example.controls for name in GALLERY}
PAIRS = [
    (name, *pair)
    for name, controls in ENDS.items()
    for pair in itertools.combinations([c for c in controls if ends_of(controls[c])], 2)
]

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


@pytest.mark.parametrize(("name", "first", "second"), PAIRS)
def test_two_controls_at_their_ends_together(name, first, second, page):
    explorer = GALLERY[name].make(3)
    page.draw(explorer)
    one, other = (explorer.controls[label] for label in (first, second))
    for a, b in itertools.product(ends_of(one), ends_of(other)):
        one.value, other.value = a, b
        assert page.shown() == account(explorer)

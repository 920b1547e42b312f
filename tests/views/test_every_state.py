"""Every explorer at every end of its controls: the page shows what Python computes."""

import pytest
from gallery import GALLERY, ends_of
from views.page import headings, matrices

SIZES = 3, 8


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", GALLERY)
def test_every_control_at_its_ends_shows_what_python_computes(name, size, page):
    explorer = GALLERY[name].make(size)
    page.draw(explorer)
    for control in explorer.controls.values():
        for value in ends_of(control):
            control.value = value
            assert page.matrices() == matrices(explorer)
            assert page.headings() == headings(explorer)

"""200 fast moves of each explorer leave its last picture, at most 250 ms late."""

import pytest
from gallery import GALLERY, MOVED, SETUP
from lab.shown import Shown


@pytest.mark.parametrize("size", [8, 32])
@pytest.mark.parametrize("name", MOVED)
def test_200_fast_moves_leave_no_backlog(name, size, lab, open_notebook):
    exhibit = GALLERY[name]
    cells = [SETUP, exhibit.cell(size)]
    page = open_notebook(lab.add(f"backlog-{name}-{size}.ipynb", cells))
    page.emulate_media(reduced_motion="no-preference")
    single, backlog = Shown(page, exhibit).fast_moves(exhibit.make(size))
    print(f"{name:20} {exhibit.size(size):3}: {single:4.0f} ms, of 200: {backlog:4.0f}")
    assert backlog <= 250

"""Tiles at rest: where each lies, and what stands on it."""

import numpy as np
import pytest

from explorable import plots
from explorable.drawings.tiles import Tiles

SAYINGS = ["one", "two", "three"]
FACES = [("1", "AI"), ("2", "is"), ("3", "powerful")]
PLACES = np.array([[0.0, 0, 1], [1, 0, 2], [2, 0, 1]])


def test_a_tile_lies_in_the_middle_of_its_place_and_its_words_on_it(body):
    tiles = Tiles(name="t", faces=FACES, sayings=SAYINGS, board=(3, 1))
    words, boxes = body(tiles, {"t": PLACES})
    middles = {x + wide / 2 for (x, _, wide, _), _ in boxes}
    assert middles == {0.5, 1.5, 2.5}
    assert all(0.8 < size < 1 for (_, _, *sides), _ in boxes for size in sides)
    for (above, below), (x, y, _) in zip(FACES, PLACES, strict=True):
        own = {w.text: w for w in words if w.x == x + 0.5 and y < w.y < y + 1}
        assert {*own} == {above, below}
        assert {w.align for w in own.values()} == {0.5}


@pytest.mark.parametrize("later", [0, 1, 2])
def test_what_is_still_to_come_is_pale_and_has_no_border(later, body):
    look = {"faces": FACES, "sayings": SAYINGS, "board": (40, 1)}
    text = Tiles(name="t", **look, wide=[3.0, 3, 9], later=later)
    words, (page, *boxes) = body(text, {"t": PLACES * (4, 1, 1)})
    left, top, wide, high = page[0]
    for (x, y, across, down), _ in boxes:
        assert left < x < x + across < left + wide
        assert top < y < y + down < top + high
    reached = len(FACES) - later
    pale = [w.color == plots.QUIET for w in words if w.text in dict(FACES).values()]
    assert pale == [n >= reached for n in range(len(FACES))]
    bare = [style["edgecolor"] == "none" for _, style in boxes]
    assert bare == pale

"""Words and places added in a plane."""

import matplotlib
import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch

from explorable import plots

matplotlib.use("Agg")
WORDS, STEPS = [[0.0, 0.0], [2.0, 1.0]], [[0.0, 1.0], [1.0, 0.0], [0.0, -1.0]]


def test_every_word_goes_to_its_sum_with_every_position():
    area = plots.sums(WORDS, ["dog", "man"], STEPS)
    arrows = [a for a in area.on.patches if isinstance(a, FancyArrowPatch)]
    ends = [a._posA_posB for a in arrows]
    expected = [(w, np.add(w, s)) for w in WORDS for s in STEPS]
    assert np.allclose(ends, expected)
    assert all(area.x[0] < x < area.x[1] for _, (x, _) in ends)
    assert all(area.y[0] < y < area.y[1] for _, (_, y) in ends)


def test_a_position_is_named_behind_the_tip_of_its_arrow_and_a_word_beside_its_dot():
    said = plots.said(plots.sums(WORDS, ["dog", "man"], STEPS).on)
    for word, name in zip(WORDS, ["dog", "man"], strict=True):
        assert [(w.x, w.y) for w in said if w.text == name] == [tuple(word)]
        for p, step in enumerate(STEPS):
            ways = [np.subtract((w.x, w.y), word) for w in said if w.text == str(p)]
            assert any(
                np.allclose(way, np.multiply(step, np.linalg.norm(way)))
                for way in ways
                if 1 < np.linalg.norm(way) < 1.3
            )


@pytest.mark.parametrize(
    ("words", "names", "steps", "message"),
    [
        ([[1.0, 2, 3]], ["dog"], STEPS, r"words must have shape .*got \(1, 3\)"),
        (WORDS, ["dog", "man"], [1.0, 2], r"positions must have shape .*got \(2,\)"),
        (WORDS, ["dog"], STEPS, "names must be 2, got"),
    ],
)
def test_what_is_no_plane_is_refused(words, names, steps, message):
    with pytest.raises(ValueError, match=message):
        plots.sums(words, names, steps)

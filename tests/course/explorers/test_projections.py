"""projections: its vectors by the reference, a score's terms, what it refuses."""

import numpy as np
import pytest
from matplotlib.patches import PathPatch

from course import explorers
from explorable import plots
from transformer_lib.oracles import numpy_reference as reference

SHAPES = (3, 4), (4, 2), (4, 2), (4, 3)
NAMES = "X", "W_Q", "W_K", "W_V"


def drawn(seed=4):
    random = np.random.default_rng(seed)
    return dict(
        zip(NAMES, (random.normal(size=shape) for shape in SHAPES), strict=True)
    )


def lab(words=("AI", "is", "powerful"), pair=(2, 0), **others):
    return explorers.projections(**drawn() | others, tokens=words, pair=pair)


def panel(explorer, name):
    return next(d for d in explorer.drawings if d.name == name)


def test_queries_keys_and_values_are_linear_layers_of_x():
    values, given = lab().values, drawn()
    for made, W in (("Q", "W_Q"), ("K", "W_K"), ("V", "W_V")):
        layer = {"weight": given[W].T}
        np.testing.assert_allclose(values[made], reference.linear(given["X"], layer))


def test_the_chosen_score_is_written_out_below_the_scores():
    explorer = lab()
    words = explorer.controls["query"].options
    for i, query in enumerate(words):
        for j, key in enumerate(words):
            explorer.controls["query"].value = query
            explorer.controls["key"].value = key
            note = panel(explorer, "scores").note
            total = plots.plain(round(explorer.values["scores"][i, j], 2))
            assert note.startswith(f"Score({query}, {key}) = ")
            assert note.endswith(f" = {total}")


def test_the_chosen_query_key_and_score_are_outlined_and_nothing_else():
    explorer = lab(pair=(2, 0))
    for name, row in (("Q", 2), ("K", 0)):
        outlined = panel(explorer, name).outlined
        assert outlined[row].all()
        assert outlined.sum() == outlined.shape[1]
    assert np.argwhere(panel(explorer, "scores").outlined).tolist() == [[2, 0]]
    assert panel(explorer, "V").outlined is None  # no value takes part in a score


def test_one_matrix_in_both_places_gives_a_symmetric_table():
    W = drawn()["W_Q"]
    scores = lab(W_K=W).values["scores"]
    np.testing.assert_allclose(scores, scores.T)
    assert (np.diag(scores) >= 0).all()
    other = lab().values["scores"]
    assert not np.allclose(other, other.T)


def test_the_value_matrix_changes_no_score_and_the_others_no_value():
    explorer = lab()
    before = {name: x.copy() for name, x in explorer.values.items()}
    explorer.edit("W_V", 0, 2, 9.0)
    np.testing.assert_array_equal(explorer.values["scores"], before["scores"])
    explorer.reset()
    explorer.edit("W_Q", 0, 0, 9.0)
    explorer.edit("W_K", 0, 0, 9.0)
    np.testing.assert_array_equal(explorer.values["V"], before["V"])


def test_the_note_writes_the_sum_out_while_it_is_short():
    short = explorers.projections(
        [[1, 2]], [[1, 0], [0, 1]], [[-1, 0], [0, 0.5]], [[1]] * 2
    )
    assert panel(short, "scores").note == "Score(1, 1) = 1 · −1 + 2 · 1 = 1"
    long = explorers.projections([[1]], [[1] * 5], [[1] * 5], [[1]])
    assert panel(long, "scores").note == "Score(1, 1) = sum of 5 terms = 5"


def test_words_that_stand_twice_are_two_choices():
    explorer = lab(words=["the", "cat", "the"], pair=(2, 0))
    assert explorer.controls["query"].options == ("1: the", "2: cat", "3: the")
    assert explorer.settings == {"query": "3: the", "key": "1: the"}


@pytest.mark.parametrize(
    ("others", "error", "naming"),
    [
        ({"W_Q": np.ones((3, 2))}, ValueError, r"W_Q must be 4 × 2.*\(3, 2\)"),
        ({"W_K": np.ones((4, 3))}, ValueError, r"Q and K must have the same columns"),
        ({"W_V": np.ones((5, 3))}, ValueError, r"W_V must be 4 × 3.*\(5, 3\)"),
        ({"X": [["a"]]}, TypeError, "X must be a matrix of numbers"),
        ({"words": ["AI"]}, ValueError, "tokens must hold 3 words, got 1"),
        ({"pair": (0, 3)}, ValueError, "pair must be 0 to 2, got 3"),
        ({"pair": ("AI", 0)}, TypeError, "pair must be an integer, got 'AI'"),
    ],
)
def test_what_does_not_fit_is_refused(others, error, naming):
    with pytest.raises(error, match=naming):
        lab(**others)


def test_the_picture_frames_what_is_outlined():
    explorer = lab()
    patches = explorer.picture().findobj(PathPatch)
    frames = [p for p in patches if p.get_facecolor()[3] == 0]
    cells = sum(len(p.get_path().codes) // 5 for p in frames)
    panels = [d.outlined for d in explorer.drawings if d.outlined is not None]
    assert len(frames) == len(panels) == 4
    assert cells == sum(int(outlined.sum()) for outlined in panels)

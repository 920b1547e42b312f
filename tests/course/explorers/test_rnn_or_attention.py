"""rnn_or_attention: what it shows is what the layers do."""

import numpy as np
import pytest

from course import explorers
from course.explorers.recurrence.rnn_or_attention import CELLS, SIZES, reach_or_cost

LAB = {"kind": "RNN", "length": 40, "d_model": 32, "show": "gradient"}


@pytest.mark.parametrize("kind", CELLS)
def test_attention_reaches_the_first_word_as_well_as_any_and_a_loop_does_not(kind):
    loop, attention = reach_or_cost(**LAB | {"kind": kind})["reach"].T
    assert np.ptp(attention[1:]) < 0.6  # a factor of 4, over 39 distances
    if kind != "open LSTM":
        assert loop[20] < -4
        assert np.polyfit(np.arange(20), loop[:20], 1)[0] < -0.15  # lost at each step


def test_an_open_gate_lets_more_through_than_one_that_begins_half_open():
    first = [reach_or_cost(**LAB | {"kind": kind})["reach"][-1, 0] for kind in CELLS]
    assert first[0] < first[1] - 3
    assert first[1] < first[2] - 3


@pytest.mark.parametrize("length", [2, 64])
@pytest.mark.parametrize("d_model", SIZES)
def test_the_shares_of_all_words_sum_to_1(length, d_model):
    s = reach_or_cost(**LAB | {"length": length, "d_model": d_model})
    np.testing.assert_allclose(np.nansum(10 ** s["reach"], axis=0), 1, atol=1e-6)
    assert s["steps"].tolist() == [[length, 1]] * 2


@pytest.mark.parametrize("length", [2, 3, 5, 8, 20, 40])
@pytest.mark.parametrize("d_model", SIZES)
def test_one_scale_holds_the_curves_of_all_cells_and_is_used(length, d_model):
    """The curves of 20 words took a third of a scale that went down to −20."""
    each = [
        reach_or_cost(**LAB | {"kind": kind, "length": length, "d_model": d_model})
        for kind in CELLS
    ]
    [(low, high)] = {s.drawings[0].limits[1] for s in each}
    lowest = min(s["reach"].min() for s in each)
    assert low <= lowest
    assert high == 0
    if length >= 8:
        assert lowest < 0.55 * low


@pytest.mark.parametrize("d_model", SIZES)
def test_words_by_words_cost_as_much_as_the_rnn_where_n_is_d(d_model):
    s = reach_or_cost(**LAB | {"d_model": d_model, "show": "cost"})
    rnn, attention, pairs = s["products"].T
    less, more = pairs < rnn - 1e-9, pairs > rnn + 1e-9
    n = 2.0 ** np.arange(13)
    assert (less == (n < d_model)).all()
    assert (more == (n > d_model)).all()
    assert (attention > rnn).all()  # with its four matrices it always costs more
    assert s.drawings[0].x[s.drawings[0].marks[0][0]] == np.log2(d_model)


def test_the_bars_are_the_curves_at_the_length_that_is_chosen():
    s = reach_or_cost(**LAB | {"kind": "LSTM", "length": 32, "show": "cost"})
    np.testing.assert_allclose(s["here"].sum(1), 10 ** s["products"][5, :2] / 1000)


@pytest.mark.parametrize(
    ("arguments", "error", "naming"),
    [
        ({"length": 65}, ValueError, "length must be 2 to 64, got 65"),
        ({"length": 2.5}, TypeError, "length must be an integer, got 2.5"),
        ({"d_model": 5}, ValueError, "d_model must be one of .*, got 5"),
        ({"d_model": True}, TypeError, "d_model must be an integer, got True"),
        ({"d_model": "8"}, TypeError, "d_model must be an integer, got '8'"),
        ({"kind": "attention"}, ValueError, "kind must be one of"),
        ({"kind": ["RNN"]}, ValueError, "kind must be one of"),
    ],
)
def test_what_it_does_not_have_is_refused(arguments, error, naming):
    with pytest.raises(error, match=naming):
        explorers.rnn_or_attention(**arguments)


def test_numbers_of_numpy_will_do():
    lab = explorers.rnn_or_attention(np.int64(8), np.int64(16), "LSTM")
    assert lab.settings == {**LAB, "kind": "LSTM", "length": 8, "d_model": 16}

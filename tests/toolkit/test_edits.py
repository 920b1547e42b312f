"""Edits of an explorer without a browser: what is read, kept and refused."""

import numpy as np
import pytest

from course import explorers
from explorable.views import parse_number
from transformer_lib.oracles import numpy_reference as reference

Q = K = np.array([[1.0, 0], [0, 1], [1, 1]])
V = np.array([[1.0, 2], [3, 4], [5, 6]])
TOKENS = ["AI", "is", "powerful"]


@pytest.fixture
def bench():
    return explorers.attention_bench(Q, K, V, TOKENS)


def ask(bench, **content):
    """Send what the page would send and return what it would hear."""
    heard = []
    bench.view.send = heard.append
    message = {"type": "edit", "panel": "Q", "row": 0, "column": 1, "nudge": 0}
    bench.view._answer(None, {**message, **content}, None)
    return heard[0]


def test_an_edit_moves_everything_that_depends_on_it(bench):
    assert ask(bench, text="2.5")["type"] == "accepted"
    changed = Q.copy()
    changed[0, 1] = 2.5
    output, _ = reference.scaled_dot_product_attention(changed, K, V)
    np.testing.assert_allclose(bench.values["output"], output, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("abc", "“abc” is not a number"),
        ("", "“” is not a number"),
        ("0,5", "“0,5” is not a number: write the decimal point as a point"),
        ("nan", "Q must be finite, got nan"),
        ("inf", "Q must be finite, got inf"),
        ("1e7", "Q must stay within ±1000000, got 10000000.0"),
        ("<img src=x onerror=alert(1)>", "“<img src=x onerror=…” is not a number"),
        ("9" * 10_000, "Q must be finite"),
        ("\ud800", "is not a number"),
    ],
)
def test_an_edit_that_is_no_number_changes_nothing_and_says_why(bench, text, why):
    before = bench.view.data, bench.values, bench.inputs
    answer = ask(bench, text=text)
    assert answer["type"] == "refused"
    assert why in answer["why"]
    assert (bench.view.data, bench.values, bench.inputs) == before


@pytest.mark.parametrize(
    "where",
    [{"panel": "weights"}, {"row": 9}, {"column": -9}, {"row": None}, {"panel": None}],
)
def test_an_edit_of_a_cell_that_is_not_there_is_refused(bench, where):
    before = bench.view.data
    assert ask(bench, text="1", **where)["type"] == "refused"
    assert bench.view.data == before


def test_a_nudge_steps_by_a_tenth_without_rounding_noise(bench):
    assert ask(bench, text="0.2", nudge=0.1)["text"] == "0.3"
    assert bench.inputs["Q"][0, 1] == 0.3


@pytest.mark.parametrize(
    ("text", "value"), [(" 1.5 ", 1.5), ("−2", -2), ("1e-3", 1e-3)]
)
def test_the_usual_ways_to_write_a_number_are_read(text, value):
    assert parse_number(text) == value


def test_reset_brings_back_controls_matrices_and_picture(bench):
    first = bench.view.data
    bench.controls["temperature"].value = 3.0
    bench.controls["mask"].value = "causal"
    bench.edit("V", 2, 1, -8.0)
    bench.view.pin = {"panel": "scores", "row": 0, "column": 0}
    assert bench.view.data != first
    bench.reset()
    assert bench.view.data == first
    assert bench.view.pin is None
    assert bench.controls["mask"].value == "none"


def test_after_a_refusal_text_and_picture_tell_the_last_good_run():
    bench = explorers.softmax_bench([[3, 1, 0], [2, 4, 1]])
    bench.edit("scores", 0, 0, 600.0)
    before = bench.text()
    bench.controls["multiply"].value = 4.0
    assert "at most 700" in bench.view.message
    assert bench.text() == before


@pytest.mark.parametrize(
    ("text", "nudge", "value"), [("1e-12", 0, 1e-12), ("1e-11", 0.1, 0.1)]
)
def test_a_tiny_number_is_kept_as_it_was_typed(bench, text, nudge, value):
    ask(bench, text=text, nudge=nudge)
    assert bench.inputs["Q"][0, 1] == value


def test_a_nudge_cannot_pass_the_limit(bench):
    answer = ask(bench, text="1000000", nudge=1)
    assert "must stay within ±1000000, got 1000001.0" in answer["why"]


def test_a_whole_row_is_put_in_at_once_and_wrong_ones_change_nothing(bench):
    bench.edit("Q", 0, None, [5.0, -5.0])
    np.testing.assert_array_equal(bench.inputs["Q"][0], [5.0, -5.0])
    for wrong in ([1.0], [1.0, 2.0, 3.0], [1.0, np.nan]):
        with pytest.raises(ValueError, match=r"argument 2|finite"):
            bench.edit("Q", 0, None, wrong)
    np.testing.assert_array_equal(bench.inputs["Q"][0], [5.0, -5.0])


def test_a_row_that_the_page_moves_wrongly_is_refused_in_the_message():
    bench = explorers.mixing_bench([[1, 3, 6]], np.eye(3))
    move = {"type": "move", "panel": "parts", "row": 0, "values": [-1, 0, 0]}
    bench.view._answer(None, move, None)
    assert "a part must not be negative, got -1" in bench.view.message
    bench.view._answer(None, move | {"values": [2, 1, 1]}, None)
    assert bench.view.message == ""
    np.testing.assert_array_equal(bench.values["weights"], [[0.5, 0.25, 0.25]])

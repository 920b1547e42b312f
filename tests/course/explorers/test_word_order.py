"""word_order without a browser: the law, the row of words, what is refused."""

import numpy as np
import pytest
import torch

from course import explorers
from course.explorers.drawings.order import OrderView
from course.explorers.positions.word_order import (
    numbered,
    projections,
    word_order_sheet,
    word_vector,
)
from transformer_lib.oracles import numpy_reference as reference

BITE = "the dog bit the man"
SIDES = ("before", "after")
LONG = " ".join(f"w{n}" for n in range(32))


def sheet(sentence=BITE, order=(0, 4, 2, 3, 1), strength=0.0):
    return word_order_sheet(sentence=sentence, order=order, strength=strength)


@pytest.mark.parametrize("sentence", ["AI", "AI is powerful", BITE, LONG])
def test_without_positions_the_outputs_move_with_their_words(sentence):
    n = len(sentence.split())
    P = np.random.default_rng(0).permutation(n).tolist()
    s = sheet(sentence, P)
    np.testing.assert_allclose(s["after"], s["before"][P], atol=1e-13)
    moved = s["weights_before"][P][:, P]
    np.testing.assert_allclose(s["weights_after"], moved, atol=1e-14)
    assert not s["difference"].any()


def test_with_positions_every_output_changes_but_where_no_word_has_moved():
    assert np.abs(sheet(strength=1.0)["difference"]).max(axis=1).min() > 0.1
    assert not sheet(order=range(5), strength=1.0)["difference"].any()


def test_two_words_that_are_the_same_get_the_same_output_only_without_positions():
    np.testing.assert_allclose(sheet()["before"][0], sheet()["before"][3], atol=1e-14)
    s = sheet(strength=1.0)
    assert np.abs(s["before"][0] - s["before"][3]).max() > 0.1


@pytest.mark.parametrize("strength", [1.0, 0.0])
def test_the_layer_is_the_attention_of_the_reference(strength):
    s = sheet(strength=strength)
    for x, z, a in (
        ("x_before", "before", "weights_before"),
        ("x_after", "after", "weights_after"),
    ):
        q, k, v = (s[x] @ W.numpy() for W in projections())
        output, weights = reference.scaled_dot_product_attention(q, k, v)
        np.testing.assert_allclose(s[z], output, atol=1e-12)
        np.testing.assert_allclose(s[a], weights, atol=1e-12)
    assert np.allclose(s["before.moved"], s["before"][[0, 4, 2, 3, 1]])
    [made] = [d.provenance for d in s.drawings if d.name == "difference"]
    assert made["inputs"] == ["after", "before.moved"]
    change = s["after"] - s["before.moved"]
    np.testing.assert_allclose(s["difference"], change, atol=1e-12)


def test_a_word_has_one_vector_whatever_stands_around_it():
    assert torch.equal(word_vector("dog"), word_vector("dog"))
    alone = word_order_sheet(sentence="dog", order=[0], strength=0.0)
    np.testing.assert_array_equal(alone["x_before"][0], sheet()["x_before"][1])


def test_words_that_come_more_than_once_are_told_apart():
    assert numbered(["a", "b", "a", "c", "a"]) == ["a₁", "b", "a₂", "c", "a₃"]
    assert numbered(["x"] * 12)[-1] == "x₁₂"


@pytest.mark.parametrize(
    ("arguments", "error", "naming"),
    [
        ({"sentence": " \t "}, ValueError, "1 to 32 words, got 0"),
        ({"sentence": LONG + " x"}, ValueError, "1 to 32 words, got 33"),
        ({"sentence": "a" * 201}, ValueError, "200 characters, got one of 201"),
        ({"sentence": "a " * 1001}, ValueError, "2000 characters, got 2002"),
        ({"sentence": "a \ud800"}, ValueError, "lone surrogate"),
        ({"sentence": 3}, TypeError, "sentence must be a string, got 3"),
        ({"strength": 2.1}, ValueError, "strength .*2.1"),
        ({"strength": np.nan}, ValueError, "strength .*nan"),
        ({"strength": "1"}, TypeError, "strength .*'1'"),
        ({"order": [0, 1, 2]}, ValueError, r"each of 0 to 4 once, got \[0, 1, 2\]"),
        ({"order": [0, 0, 1, 2, 3]}, ValueError, "each of 0 to 4 once"),
        ({"order": [0, 1.0, 2, 3, 4]}, TypeError, "in order .*an integer, got 1.0"),
        ({"order": [False, 1, 2, 3, 4]}, TypeError, "in order .*an integer, got False"),
        ({"order": ["0", [1], 2, 3, 4]}, TypeError, "in order .*an integer, got '0'"),
        ({"order": [0, True, 2, 3, 4]}, TypeError, "in order .*an integer, got True"),
        ({"order": range(10**5)}, ValueError, "in order must be 0 to 4, got 5$"),
        ({"order": [0] * 10**5}, ValueError, r"got \[0, 0, .{40,60}…$"),
        ({"order": 5}, TypeError, "order must be a list of whole numbers, got 5"),
        ({"order": "01234"}, TypeError, "list of whole numbers, got '01234'"),
    ],
)
def test_what_is_no_sentence_or_no_order_is_refused(arguments, error, naming):
    with pytest.raises(error, match=naming):
        explorers.word_order(**{"sentence": BITE, **arguments})


# ── the explorer ────────────────────────────────────────────────────────────────
@pytest.fixture
def explorer():
    return explorers.word_order(BITE, [0, 4, 2, 3, 1])


def order(explorer):
    return explorer.controls["order"].value


def change(explorer):
    return explorer.views[0, "matrix"].live["difference"]


def moves(explorer):
    return explorer.views[0, "links"].live["moves"]


def test_the_conclusion_says_what_the_differences_say(explorer):
    same = "0 of 5 outputs have changed: each has moved with its word."
    assert moves(explorer)["note"] == same
    explorer.controls["strength"].value = 1.0
    assert moves(explorer)["note"] == "5 of 5 outputs have changed, by up to 1.72."
    assert np.abs(explorer.values["difference"]).max().round(2) == 1.72
    explorer.controls["order"].turn("original")
    assert moves(explorer)["note"] == "No word has moved yet."


def test_of_each_word_it_is_said_where_it_went_and_what_became_of_its_output(explorer):
    said = moves(explorer)["sayings"]
    assert said[1] == "“dog” went from position 1 to 4: its output is the same."
    assert said[2] == "“bit” stays at 2: its output is the same."
    explorer.controls["strength"].value = 1.0
    assert moves(explorer)["sayings"][2] == "“bit” stays at 2: its output has changed."


def test_each_words_output_stands_beside_it_on_both_sides(explorer):
    values = explorer.values
    np.testing.assert_array_equal(values["moves.rows"], values["before"])
    np.testing.assert_array_equal(values["moves.columns"], values["after"])
    lines = explorer.text().splitlines()
    [dog, moved] = [line for line in lines if line.startswith("dog")][:2]
    assert dog == moved


def test_the_headings_name_the_encoding_only_where_it_is_added(explorer):
    changed = change(explorer)
    assert changed["formula"] == "f(P X) − P f(X)"
    explorer.controls["strength"].value = 0.5
    changed = change(explorer)
    assert changed["formula"] == "f(P X + 0.5 PE) − P f(X + 0.5 PE)"


@pytest.mark.parametrize("strength", [0.04, 1.99, 0.00001])
def test_a_strength_between_the_sliders_steps_is_shown_as_it_is(strength):
    explorer = explorers.word_order(BITE, strength=strength)
    drawn = change(explorer)
    assert drawn["formula"] == f"f(P X + {strength} PE) − P f(X + {strength} PE)"
    assert f"strength: {strength}" in explorer.text()
    shown = format(strength, explorer.controls["strength"].readout_format)
    assert float(shown) == strength


def test_numpys_orders_are_orders(explorer):
    there = explorers.word_order(BITE, np.array([0, 4, 2, 3, 1]), np.float64(0))
    assert there.text() == explorer.text()


def test_features_are_counted_from_1(explorer):
    panel = explorer.views[0, "matrix"].panels[0]
    assert list(panel["columns"]) == ["1", "2", "3", "4"]


def test_a_line_joins_each_words_old_place_to_its_new_one(explorer):
    moves = explorer.values["moves"]
    words = np.array(BITE.split())
    there, then = np.nonzero(moves)
    assert (words[there] == words[order(explorer)][then]).all()
    assert (moves.sum(0) == 1).all()
    assert (moves.sum(1) == 1).all()


def test_the_tables_stand_there_on_demand(explorer):
    shown = [d.name for d in explorer.drawings]
    assert shown == ["moves", "difference"]
    explorer.controls["tables"].value = True
    sides = [f"{n}{side}" for n in ("x_", "weights_") for side in SIDES]
    assert [d.name for d in explorer.drawings] == [*shown, *sides]
    explorer.reset()
    assert [d.name for d in explorer.drawings] == shown


def test_another_sentence_keeps_the_order_if_it_has_as_many_words(explorer):
    explorer.controls["sentence"].value = "the cat bit the man"
    assert order(explorer) == [0, 4, 2, 3, 1]
    assert explorer.controls["order"].words[1] == "cat"
    explorer.controls["sentence"].value = "AI is powerful"
    assert order(explorer) == [0, 1, 2]
    assert explorer.values["before"].shape == (3, 4)
    assert explorer.view.message == ""
    explorer.controls["sentence"].value = "one two three four five"
    assert order(explorer) == [0, 4, 2, 3, 1]
    explorer.controls["order"].turn("reverse")
    explorer.controls["sentence"].value = "AI"
    explorer.reset()
    assert order(explorer) == [0, 4, 2, 3, 1]
    assert explorer.view.message == ""
    assert explorer.values["before"].shape == (5, 4)


@pytest.mark.parametrize("bad", ["", "a" * 10_000, "x " * 33, "a \ud83d"])
def test_a_sentence_that_is_refused_leaves_the_last_good_picture(explorer, bad):
    before, data = order(explorer), explorer.view.data
    explorer.controls["sentence"].value = bad
    assert "sentence m" in explorer.view.message
    assert "\n" not in explorer.view.message
    assert (order(explorer), explorer.view.data) == (before, data)
    explorer.controls["sentence"].value = BITE
    assert explorer.view.message == ""


@pytest.mark.parametrize("odd", ["<b>x</b> y", "a\0b c", "‮ab c", "é🙂 $x^$"])
def test_odd_words_are_words(explorer, odd):
    explorer.controls["sentence"].value = odd
    assert explorer.controls["order"].words == odd.split()
    assert explorer.view.panels[0]["rows"] == odd.split()
    assert explorer._repr_mimebundle_()[0]["image/png"]


def test_the_row_reverses_shuffles_and_returns():
    row = OrderView("abcd", [0, 1, 2, 3])
    row.turn("reverse")
    assert row.value == [3, 2, 1, 0]
    for _ in range(20):
        before = row.value
        row.turn("shuffle")
        assert row.value != before
        assert sorted(row.value) == [0, 1, 2, 3]
    row.turn("original")
    assert row.value == [0, 1, 2, 3]
    for alone in ("shuffle", "reverse", "original", "nonsense"):
        one = OrderView("a", [0])
        one.turn(alone)
        assert one.value == [0]

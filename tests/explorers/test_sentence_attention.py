"""sentence_attention: its weights against the reference, its story, what it refuses."""

import numpy as np
import pytest

from transformer_lib import explorers, plots
from transformer_lib.explorers.attention.sentence_attention import (
    CARRIES,
    OFFERS,
    SEEKS,
    SENTENCE,
)
from transformer_lib.oracles import numpy_reference as reference


def test_the_weights_and_the_output_are_those_of_attention():
    lab, given = explorers.sentence_attention(), map(np.array, (SEEKS, OFFERS, CARRIES))
    output, weights = reference.scaled_dot_product_attention(*given)
    np.testing.assert_allclose(lab.values["weights"], weights, atol=1e-12)
    np.testing.assert_allclose(lab.values["arcs"], weights, atol=1e-12)
    np.testing.assert_allclose(lab.values["output"], output, atol=1e-12)


def test_it_looks_at_the_cat():
    weights = explorers.sentence_attention().values["weights"]
    it, cat, mat = map(SENTENCE.index, ("it", "cat", "mat"))
    assert weights[it].argmax() == cat
    assert weights[it, cat] > 10 * weights[it, mat]


def test_the_tables_are_folded_until_they_are_wanted():
    lab = explorers.sentence_attention()
    assert [d.name for d in lab.drawings] == ["arcs"]
    lab.controls["tables"].value = True
    assert [d.name for d in lab.drawings] == ["arcs", "scores", "weights", "output"]


def test_the_picture_shows_the_arcs_of_the_chosen_word_and_all_its_weights():
    lab = explorers.sentence_attention(chosen=2)
    said = [word.text for word in plots.said(lab.picture())]
    assert set(SENTENCE) <= set(said)
    weights = [plots.number(w, 2) for w in lab.values["weights"][2]]
    assert [text for text in said if text in weights] == weights


@pytest.mark.parametrize(
    ("arguments", "error", "naming"),
    [
        ({"chosen": 11}, ValueError, "chosen must be 0 to 10, got 11"),
        ({"chosen": "it"}, TypeError, "chosen must be an integer, got 'it'"),
        ({"tokens": ["a"]}, ValueError, "tokens must hold 11 words, got 1"),
        ({"K": [[1, 2, 3, 4]]}, ValueError, "11 queries and 1 keys"),
        ({"V": [[1.0]]}, ValueError, r"V must be 11 × 1.*\(1, 1\)"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, error, naming):
    with pytest.raises(error, match=naming):
        explorers.sentence_attention(**arguments)

"""sentence_attention: its weights against the reference, its story, what it refuses."""

import numpy as np
import pytest
import torch
from explanations import judge_drawn

from course import explorers
from course.data.grammar_sentences import read
from course.explorers.attention.sentence_attention import (
    CARRIES,
    OFFERS,
    SEEKS,
    SENTENCE,
)
from course.models.next_word import ATTENTION, load_heads
from explorable import plots
from transformer_lib import MultiHeadAttention
from transformer_lib.oracles import numpy_reference as reference
from transformer_lib.runtime.recording import record


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


def test_of_each_word_it_is_said_where_it_looks_most():
    def said(scores):
        keys = np.diag([2.0 for _ in scores])
        names = [*"abcd"[: len(scores)]]
        lab = explorers.sentence_attention(names, np.log(scores), keys, keys)
        [arcs] = lab.drawings
        assert arcs.note == arcs.sayings[-1]  # of the word that is chosen
        return arcs.sayings

    assert said([[8, 1], [1, 1]]) == [
        "“a” looks most at itself: 0.95",
        "“b” looks most at “a” and itself: 0.50 each",
    ]
    assert said(np.ones((3, 3)))[0] == "“a” looks at 3 words alike: 0.33 each"


def test_the_tables_are_folded_until_they_are_wanted():
    lab = explorers.sentence_attention()
    assert [d.name for d in lab.drawings] == ["arcs"]
    lab.controls["tables"].value = True
    assert [d.name for d in lab.drawings] == ["arcs", "scores", "weights", "output"]


def test_the_picture_shows_the_arcs_of_the_chosen_word_and_all_its_weights():
    lab = explorers.sentence_attention(chosen=2)
    said = [word.text for word in plots.said(lab.picture())]
    assert set(SENTENCE) <= set(said)
    weights = [plots.number(w, 3) for w in lab.values["weights"][2]]
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


# ── a head of a trained model ───────────────────────────────────────────────────
WORDS = read("the cat sat on the mat and it was")


@pytest.fixture
def tensors():
    """What the attention of the taught model computes of a sentence."""
    model, vocabulary = load_heads()
    attention = model.get_submodule(ATTENTION)
    with torch.no_grad(), record(attention) as tensors:
        model(torch.tensor([vocabulary.encode(WORDS)]))
    return tensors


@pytest.mark.parametrize("head", range(4))
def test_a_trained_head_shows_its_own_numbers_and_explains_them(tensors, head):
    lab = explorers.sentence_attention(WORDS, tensors=tensors, head=head)
    lab.controls["tables"].value = True
    for name, of in {
        "scores": "scores",
        "weights": "weights",
        "output": "heads",
    }.items():
        np.testing.assert_array_equal(lab.values[name], tensors[of][0, head].double())
    ops = {d.name: d.provenance["op"] for d in lab.drawings if d.kind == "matrix"}
    assert ops == {"scores": "matmul", "weights": "softmax", "output": "matmul"}
    assert judge_drawn(lab, 1e-5) == []


def test_a_trained_heads_future_is_hidden_and_has_no_arc(tensors):
    lab = explorers.sentence_attention(WORDS, tensors=tensors, head=1)
    lab.controls["tables"].value = True
    future = np.triu(np.ones((10, 10)), 1) > 0
    [arcs, _, weights, _] = lab.drawings
    np.testing.assert_array_equal(weights.hidden, future)
    np.testing.assert_array_equal(arcs.hidden, future)
    assert not lab.values["arcs"][future].any()


@pytest.mark.parametrize(
    ("missing", "options", "error", "naming"),
    [
        ([], {"head": 4}, ValueError, "head must be 0 to 3, got 4"),
        ([], {"tokens": ["a"]}, ValueError, "tokens must hold 10 words, got 1"),
        (["q"], {}, ValueError, "tensors must hold q, k, v, scores, weights"),
    ],
)
def test_what_is_no_recorded_attention_is_refused(
    tensors, missing, options, error, naming
):
    for name in missing:
        del tensors[name]
    with pytest.raises(error, match=naming):
        explorers.sentence_attention(**{"tokens": WORDS, "tensors": tensors} | options)


def test_a_sentence_of_more_words_than_there_is_room_for_is_refused():
    attention, x = MultiHeadAttention(4, 1), torch.ones(1, 65, 4)
    with torch.no_grad(), record(attention) as tensors:
        attention(x, x)
    with pytest.raises(ValueError, match="tensors must be of at most 64 words, got 65"):
        explorers.sentence_attention(["a"] * 65, tensors=tensors)


def test_tensors_that_do_not_say_their_mask_are_refused(tensors):
    with pytest.raises(TypeError, match="tensors must be what `record` has stored"):
        explorers.sentence_attention(WORDS, tensors=dict(tensors))

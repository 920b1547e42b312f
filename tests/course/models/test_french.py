"""The model of the course that translates."""

import pytest
import torch

from course.data.french_sentences import held_out_sentences, in_ids, with_origins
from course.models import alignment, french
from course.models.pairs import exact_match

HELD_OUT_PAIRS = held_out_sentences()


def test_new_sentences_are_translated_without_a_fault():
    assert exact_match(french.trained(), french.TASK, in_ids(HELD_OUT_PAIRS)) >= 0.99


def test_its_head_looks_at_the_word_that_each_french_one_comes_from():
    model = french.trained()
    others = with_origins(held_out_sentences(200, seed=2))
    block, head = alignment.best_head(model, *others)
    assert alignment.aligned(model, *with_origins(HELD_OUT_PAIRS))[block, head] >= 0.9
    assert alignment.diagonal(HELD_OUT_PAIRS) < 0.7


def test_a_dictionary_alone_translates_next_to_nothing():
    assert french.dictionary()["cat"] == "chat"
    assert 0 < french.word_by_word(HELD_OUT_PAIRS) < 0.05


@pytest.mark.parametrize(
    ("english", "french_"),
    [("I love AI", "J'aime l'IA"), ("I do not love AI", "Je n'aime pas l'IA")],
)
def test_the_courses_sentence_is_translated(english, french_):
    assert french.translate(french.trained(), english) == french_


def test_where_a_head_looks_is_counted_by_the_grammar():
    """Against a count that is written out, on a model that looks anywhere."""
    model, _ = french.begin(steps=1)
    some = HELD_OUT_PAIRS[:5]
    pairs, origins = with_origins(some)
    weights = alignment.cross_weights(model, pairs)
    assert weights.sum(-1).allclose(torch.ones(()))
    places = weights.argmax(-1)
    layers, heads = model.config.n_decoder_layers, model.config.n_heads
    assert places.shape[:3] == (layers, heads, 5)
    right = [
        int(places[0, 0, b, t]) in own
        for b, sentence in enumerate(some)
        for t, own in enumerate(sentence.comes_from)
    ]
    share = float(alignment.aligned(model, pairs, origins)[0, 0])
    assert share == pytest.approx(sum(right) / len(right))
    assert alignment.best_head(model, pairs, origins) == (0, 0)


def test_what_cannot_be_read_is_named():
    model = french.trained()
    with pytest.raises(ValueError, match="'zebra' is not in the vocabulary"):
        french.translate(model, "I love zebra")
    with pytest.raises(ValueError, match=r"^text must have 1 to 13 words, got 0$"):
        french.translate(model, "")
    with pytest.raises(ValueError, match=r"^text must have 1 to 13 words, got 14$"):
        french.translate(model, "the " * 14)

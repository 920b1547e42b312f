"""The encoder-only model that says hidden words."""

import pytest
import torch

from course.data.grammar import BEINGS
from course.data.grammar_sentences import padded
from course.data.masked_words import MASK, VOCABULARY
from course.models.masked_words import (
    MODEL,
    fill_in,
    logits,
    new_model,
    trained,
)


def said(sentence):
    return next(iter(fill_in(trained(), sentence)))


@pytest.mark.parametrize(
    ("being", "kind"), [(b, k) for b, k in BEINGS.items() if k.pronoun == "it"]
)
def test_what_it_is_hangs_on_whom_it_means(being, kind):
    assert said(f"the {being} sat on the mat and it was {MASK}") == kind.own
    assert said(f"the {MASK} sat on the mat and it was {kind.own}") == being


def test_probabilities_sum_to_1_and_come_the_likeliest_first():
    p = list(fill_in(trained(), f"the cat {MASK} on the mat").values())
    assert sum(p) == pytest.approx(1)
    assert p == sorted(p, reverse=True)
    assert len(p) == len(VOCABULARY)


@pytest.mark.parametrize(
    "sentence", ["the cat", f"{MASK} cat {MASK}", f"{MASK}" + " a" * 16]
)
def test_a_sentence_without_one_gap_is_refused(sentence):
    with pytest.raises(ValueError, match=r"^sentence must hold one ⟨MASK⟩ and at most"):
        fill_in(trained(), sentence)


def test_an_unknown_word_is_named():
    with pytest.raises(ValueError, match="'unicorn' is not in the vocabulary"):
        fill_in(trained(), f"the unicorn {MASK}")


def test_padding_changes_nothing():
    ids = padded(VOCABULARY, [["the", "cat", "sat"]])
    with torch.no_grad():
        alone, wide = logits(trained(), ids[:, :5]), logits(trained(), ids)
    assert torch.allclose(alone, wide[:, :5], atol=1e-4)


def test_the_rows_of_the_embedding_score_the_words():
    ids = padded(VOCABULARY, [["AI", "is", MASK]])[:, :5]
    model = new_model(3)
    with torch.no_grad():
        expected = model(ids) @ model.embedding.weight.T
        assert torch.allclose(logits(model, ids), expected, atol=1e-5)


def test_a_seed_gives_the_same_training_and_another_one_another():
    first, again, other = (list(MODEL.begin(seed, 2)[1]) for seed in (1, 1, 2))
    assert first == again
    assert first != other

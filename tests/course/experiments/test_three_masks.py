"""Three models, three masks: what their weights tell."""

import pytest
import torch

from course.data.pairs import EOS, SOS
from course.experiments import three_masks
from transformer_lib import causal_mask


def test_who_looks_at_whom_is_told_by_weights_that_are_not_0():
    found = three_masks.weights("the cat sits", "the ca", "translate: I love AI")
    assert found["BERT"][1] == [SOS, "the", "cat", "sits", EOS]  # as it has learned
    assert found["BERT"][0].all()
    assert torch.equal(found["GPT"][0] > 0, causal_mask(6))
    joined, tokens, _ = found["T5"]
    S, T = 4, 5  # ⟨SOS⟩ j' aime l' IA
    assert len(tokens) == S + T
    assert torch.equal(joined[S:, S:] > 0, causal_mask(T))
    assert not joined[:S, S:].any()
    sums = joined.sum(-1)
    assert sums.tolist() == pytest.approx([1.0] * S + [2.0] * T)


def test_words_that_a_model_does_not_know_are_refused():
    with pytest.raises(ValueError, match="zebra"):
        three_masks.weights("the zebra sits")

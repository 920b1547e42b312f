"""Measures: each against a count that is written out, or a law that it obeys."""

import pytest
import torch
from torch import nn

from course.data.pairs import Pairs
from course.data.sequences import PAD_ID, Sequences
from course.models import measures
from course.models.pairs import sizes
from transformer_lib import Transformer, Vocabulary
from transformer_lib.runtime.seed import seeded

TASK = Sequences("copy")
P, Q = torch.tensor([[0.5, 0.5, 0.0]]), torch.tensor([[0.0, 0.5, 0.5]])


def test_teacher_forcing_counts_every_real_token_once_and_no_padding():
    with seeded(0):
        model = Transformer(sizes(TASK)).eval()
    pairs = TASK.held_out(20)
    found = measures.teacher_forced(model, pairs, PAD_ID)
    losses, hits, sure = [], [], []
    for source, target in zip(*pairs, strict=True):
        source, target = (x[x != PAD_ID][None] for x in (source, target))
        with torch.no_grad():
            log_p = model(source, target[:, :-1]).log_softmax(-1)[0]
        losses += (-log_p.gather(1, target[0, 1:, None])[:, 0]).tolist()
        hits += (log_p.argmax(-1) == target[0, 1:]).tolist()
        sure += log_p.exp().amax(-1).tolist()
    for got, numbers in zip(found, (losses, hits, sure), strict=True):
        assert got == pytest.approx(sum(numbers) / len(numbers), abs=1e-5)


def test_a_text_matches_exactly_whatever_padding_stands_behind_it():
    target = torch.tensor([[1, 2, 0, 0], [1, 2, 0, 0], [1, 2, 3, 0]])
    written = torch.tensor([[1, 2, 0], [1, 3, 0], [1, 2, 0]])
    assert measures.exact_match(written, target, 0).tolist() == [True, False, False]
    assert measures.exact_match(target, written, 0).tolist() == [True, False, False]


def test_log_probabilities_are_those_of_the_tokens_that_follow():
    class Fixed(nn.Module):
        def forward(self, ids):
            return torch.eye(4)[ids]  # each token predicts itself

    found = measures.token_log_probabilities(Fixed(), torch.tensor([[1, 1, 2]]))
    table = torch.eye(4).log_softmax(-1)
    assert found[0].tolist() == pytest.approx([float(table[1, 1]), float(table[1, 2])])


def test_words_come_by_probability_and_ties_in_the_order_of_the_vocabulary():
    words = Vocabulary(["a", "b", "c"])
    found = measures.by_probability(torch.tensor([0.0, 1.0, 0.0]), words)
    assert [*found] == ["b", "a", "c"]
    assert sum(found.values()) == pytest.approx(1)


def test_the_total_variation_is_a_distance_from_0_to_1():
    assert measures.total_variation(P, P).tolist() == [0]
    assert measures.total_variation(P, Q).tolist() == [0.5]
    assert measures.total_variation(P.flip(-1), Q.flip(-1)).tolist() == [0.5]
    one, other = {"a": 0.5, "b": 0.5}, {"b": 0.5, "c": 0.5}
    assert measures.total_variation(one, other) == 0.5
    assert measures.total_variation({"a": 1.0}, {"b": 1.0}) == 1
    with pytest.raises(TypeError, match="p and q must be of one kind"):
        measures.total_variation(P, one)


def test_a_fraction_is_of_booleans_in_any_shape():
    assert measures.fraction([True, False]) == 0.5
    assert measures.fraction(torch.tensor([[True, True], [True, False]])) == 0.75
    with pytest.raises(ValueError, match="hits must hold at least one, got none"):
        measures.fraction([])


def test_pairs_go_where_the_model_is():
    pairs = Pairs(torch.zeros(1, 1), torch.zeros(1, 1))
    assert measures.on_device_of(nn.Linear(1, 1), pairs).source.device.type == "cpu"

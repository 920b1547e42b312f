"""The definitions that a tiny GPT memorizes, and the loop that trains it."""

from collections import deque
from math import log

import pytest
import torch

from course.data.dictionary import MEANS, SPECIAL, sample
from course.experiments import thousand_definitions
from course.models.dictionary import next_token_loss
from course.models.small_model import batch_seed
from transformer_lib.training import fit_steps


def words(entries):
    return {word.lower() for entry in entries for word in entry.words}


def test_validation_definitions_are_of_other_nouns():
    nouns = [e for e in sample().validation if e.part_of_speech == "noun"]
    assert len(thousand_definitions.validation_definitions()) == len(nouns) == 287
    assert not words(sample().learned) & words(nouns)


def test_another_seed_draws_other_definitions():
    first, same, other = (
        [text.tolist() for text in thousand_definitions.training_definitions(20, seed)]
        for seed in (0, 0, 1)
    )
    assert first == same != other


@pytest.mark.parametrize("count", [0, 997])
def test_there_are_996_definitions_to_learn_from(count):
    with pytest.raises(ValueError, match=f"count must be 1 to 996, got {count}"):
        thousand_definitions.training_definitions(count)


def test_the_learning_rate_rises_evenly_to_its_peak_and_stays_there():
    peak, warmup = thousand_definitions.PEAK, thousand_definitions.WARMUP
    rates = thousand_definitions.learning_rates(warmup + 5)
    rising = [peak * n / warmup for n in range(1, warmup + 1)]
    assert rates == pytest.approx([*rising, *[peak] * 5])


def test_the_loop_takes_the_steps_of_the_library():
    texts = thousand_definitions.training_definitions(8)
    rates = thousand_definitions.learning_rates(3)
    mine, other = thousand_definitions.tiny_gpt(), thousand_definitions.tiny_gpt()
    draw = thousand_definitions.draw_from(texts)
    losses = [*thousand_definitions.train(mine, draw, next_token_loss, rates)]
    again = thousand_definitions.draw_from(texts)
    library = fit_steps(
        other,
        lambda _: again(),
        lambda ids: next_token_loss(other, ids),
        3,
        lr=lambda n: rates[n],
        beta2=0.98,
        clip=1.0,
        seed=batch_seed(0),
    )
    assert losses == pytest.approx([*library], rel=1e-5)


def test_weight_decay_shrinks_what_has_no_gradient():
    model = thousand_definitions.tiny_gpt()
    weight = model.embedding.weight
    before = weight.detach().clone()
    steps = thousand_definitions.train(
        model, lambda: torch.zeros(1), lambda *_: weight.sum() * 0.0, [0.01] * 5, 0.5
    )
    deque(steps, maxlen=0)
    torch.testing.assert_close(weight.detach(), before * (1 - 0.005) ** 5)


def test_the_unigram_rule_adds_one_to_each_count():
    means = SPECIAL.index(MEANS)
    texts = [torch.tensor([1, means, 500, 500, 500])]
    unseen = torch.tensor([[1, means, 500, 501]])
    V = thousand_definitions.SIZES.vocabulary_size
    loss = -(log(4 / (V + 3)) + log(1 / (V + 3))) / 2
    assert thousand_definitions.unigram_loss(texts, unseen) == pytest.approx(
        loss, rel=1e-5
    )

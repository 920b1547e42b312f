"""Depth: what is measured is the library's own stack, and what it shows holds."""

from collections import Counter
from itertools import product

import pytest
import torch

from course.experiments.depth import (
    KINDS,
    ONE_ANSWER,
    WORDS,
    D,
    climb,
    learn,
    learn_steps,
    passage,
    surround,
)
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.layers import EncoderBlock
from transformer_lib.model.transformer import Encoder


@pytest.mark.parametrize("way", ["post-norm", "pre-norm"])
def test_add_and_norm_is_the_librarys_own_whatever_stood_there_before(way):
    pre = way == "pre-norm"
    config = TransformerConfig(
        d_model=8, n_heads=2, d_ff=16, dropout=0.0, norm_first=pre, n_encoder_layers=3
    )
    encoder, x = Encoder(config), torch.randn(1, 4, 8)
    expected = encoder(x)
    stack = [surround(surround(block, "nothing"), way) for block in encoder.blocks]
    top = climb(stack, x)[-1]
    torch.testing.assert_close(encoder.norm(top) if pre else top, expected)


def test_each_way_does_what_its_name_says():
    config = TransformerConfig(d_model=D, n_heads=4, d_ff=64, dropout=0.0)
    block, x = EncoderBlock(config), torch.randn(1, 3, D)

    def around(way):
        return surround(block, way).add_norm_1(x, lambda x: 3 * x + 1)

    assert torch.equal(around("nothing"), 3 * x + 1)
    assert torch.equal(around("add"), x + (3 * x + 1))
    for way in ("norm", "post-norm"):
        assert around(way).std(-1, correction=0).sub(1).abs().max() < 1e-4
    torch.testing.assert_close(around("pre-norm") - x, 3 * block.add_norm_1.norm(x) + 1)


def test_with_nothing_signal_gradient_and_differences_vanish():
    found = passage("nothing")
    assert found.signal[-1] < 1e-10
    assert found.gradient[0] < 1e-10
    assert found.difference[6] < 1e-12


def test_no_choice_of_first_weights_keeps_the_words_apart():
    for weights in (0.5, 1.0, 1.2, 1.4, 2.0):
        assert passage("nothing", 12, weights=weights).difference[-1] < 1e-9


def test_a_norm_alone_keeps_the_size_and_loses_the_words():
    found = passage("norm")
    assert found.signal[1:].sub(1).abs().max() < 1e-3
    assert found.difference[-1] < 1e-12


def test_adding_alone_explodes():
    found = passage("add")
    assert found.signal[-1] > 1e6
    assert found.gradient[0] > 1e10


@pytest.mark.parametrize(("way", "apart"), [("post-norm", 1e-12), ("pre-norm", 0.03)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_add_and_norm_keeps_the_sizes_and_pre_norm_the_words_too(way, apart, seed):
    found = passage(way, seed=seed)
    for size in (found.signal, found.gradient):
        assert size.max() < 100
        assert size.min() > 1e-3
    assert found.difference[-1] > apart


def test_the_gradient_is_that_of_finite_differences():
    x = torch.randn(1, 3, 8, dtype=torch.float64, requires_grad=True)
    config = TransformerConfig(d_model=8, n_heads=2, d_ff=16, dropout=0.0)
    block = surround(EncoderBlock(config).double(), "add")
    assert torch.autograd.gradcheck(lambda x: climb([block], x)[-1], x)


def test_a_passage_is_the_same_each_time_and_leaves_the_random_state_alone():
    before = torch.random.get_rng_state()
    first, _, again = (passage("pre-norm", 3, weights=w) for w in (1.0, 2.0, 1.0))
    assert torch.equal(first.signal, again.signal)
    assert torch.equal(before, torch.random.get_rng_state())


def test_twelve_blocks_learn_with_add_and_norm_before_and_not_with_nothing():
    found = learn(("nothing", "pre-norm"))
    assert found["pre-norm"].accuracy > 0.9
    assert found["nothing"].accuracy < 0.5


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: passage("both"), "variant must be one of .* got 'both'"),
        (lambda: passage("add", 0), "blocks must be at least 1, got 0"),
        (lambda: passage("add", 49), "blocks must be .* at most 48, got 49"),
        (lambda: passage("add", weights=0.0), "weights must be above 0 .* got 0"),
        (lambda: learn(("both",)), "variant must be one of .* got 'both'"),
    ],
)
def test_what_cannot_be_measured_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_who_says_the_commonest_word_for_all_three_is_right_as_often_as_is_said():
    sentences = list(product(range(KINDS), repeat=WORDS))
    right = sum(max(Counter(sentence).values()) for sentence in sentences)
    assert right / (WORDS * len(sentences)) == pytest.approx(ONE_ANSWER)


def test_the_steps_of_learning_come_to_what_learning_at_once_does():
    """And each way's training is the one that it has alone."""
    ways = ("post-norm", "add")
    *_, found = learn_steps(ways, 2, steps=7, seed=3)
    assert found == learn(ways, 2, steps=7, seed=3)
    for way in ways:
        assert learn((way,), 2, steps=7, seed=3) == {way: found[way]}


def test_the_ways_take_turns_and_are_asked_before_the_first_step_and_after_the_last():
    found = list(learn_steps(("nothing", "add"), 1, steps=6))
    taken = [[len(learned.losses) for learned in now.values()] for now in found]
    assert taken == [[(n + 1) // 2, n // 2] for n in range(13)]
    asked = list(dict.fromkeys(now["add"].accuracy for now in found))
    assert len(asked) <= 3  # at first, after 5 steps, after 6
    assert found[-1] == learn(("nothing", "add"), 1, steps=6)

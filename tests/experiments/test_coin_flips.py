"""Flips of a fair coin: nobody can know the next one."""

import pytest
import torch

from transformer_lib.data.coin_flips import FLIPS
from transformer_lib.experiments.coin_flips import share_right
from transformer_lib.small_models.masks.guesser import Guesser, trained


@pytest.mark.parametrize("kind", ["both masked", "second unmasked"])
def test_only_a_model_that_sees_its_answer_is_right_and_only_while_it_sees_it(kind):
    at_once, grown = share_right(trained(kind), 1000)
    assert (grown - 0.5).abs().max() < 0.07
    assert abs(at_once[-1] - 0.5) < 0.07  # after the last flip there is none to see
    assert (at_once[:-1] > 0.95).all() == (kind == "second unmasked")


def test_asking_a_model_is_repeatable_and_draws_nothing_from_torchs_generator():
    model, state = Guesser("GPT-style"), torch.get_rng_state()
    first = share_right(model, 50)
    assert torch.equal(share_right(model, 50), first)
    assert first.shape == (2, FLIPS)
    assert torch.equal(first[0], first[1])  # masked: the flips to come change nothing
    assert torch.equal(torch.get_rng_state(), state)

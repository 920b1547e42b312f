"""Flips of a fair coin: nobody can know the next one."""

import pytest
import torch

from course.data.coin_flips import FLIPS
from course.experiments import coin_flips
from course.experiments.coin_flips import accuracy, share_changed, two_models
from course.models.guesser import RECIPE, Guesser, model_of
from course.models.small_model import batch_seed


@pytest.fixture(scope="module")
def trained():
    return two_models()


@pytest.mark.parametrize("sees", [False, True])
def test_only_a_model_that_sees_its_answer_is_right_and_only_while_it_sees_it(
    sees, trained
):
    at_once, grown = accuracy(trained[sees], 1000)
    assert (grown - 0.5).abs().max() < 0.07
    assert abs(at_once[-1] - 0.5) < 0.07  # after the last flip there is none to see
    assert (at_once[:-1] > 0.95).all() == sees


def test_asking_a_model_is_repeatable_and_draws_nothing_from_torchs_generator():
    model, state = Guesser("GPT-style"), torch.get_rng_state()
    first = accuracy(model, 50)
    assert torch.equal(accuracy(model, 50), first)
    assert first.shape == (2, FLIPS)
    assert torch.equal(first[0], first[1])  # masked: the flips to come change nothing
    assert torch.equal(torch.get_rng_state(), state)


def test_the_second_of_two_models_copies_the_flip_that_it_should_say(trained):
    model_a, model_b = trained
    copied = share_changed(model_b, 500).diagonal(1)  # answer i, flip i + 1
    assert (copied > 0.95).all()
    assert (share_changed(model_a, 500).triu(1) == 0).all()


def test_no_model_is_asked_about_a_batch_that_it_has_learned(monkeypatch):
    asked = []

    def ask(count, draw):
        asked.append(draw.get_state())
        return sequences(count, draw)

    sequences = coin_flips.coin_flips.sequences
    monkeypatch.setattr(coin_flips.coin_flips, "sequences", ask)
    accuracy(Guesser("GPT-style"), 5)
    share_changed(Guesser("GPT-style"), 5)
    learned = [torch.Generator().manual_seed(batch_seed(n)) for n in range(5)]
    assert len(asked) == 2
    assert not any(a.equal(b.get_state()) for a in asked for b in learned)


def test_another_seed_and_more_steps_make_another_model():
    first, again, other, longer = (
        model_of("both masked").train(*how)(torch.ones(1, 3, dtype=torch.int64))
        for how in ((0, 3), (0, 3), (1, 3), (0, 4))
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert not torch.equal(first, longer)


def test_the_kept_results_are_of_model_b_five_times_and_of_a_longer_training(trained):
    kept = coin_flips.EXPERIMENT.results()
    assert [one["steps"] for one in kept] == [RECIPE.steps] * 5 + [2 * RECIPE.steps]
    again = coin_flips.measure(trained[1])
    for what, shares in again.items():
        assert kept[0][what] == pytest.approx(shares, abs=0.02)

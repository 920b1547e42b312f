"""A seed decides what is built inside, and nothing else."""

import pytest
import torch
from torch import nn

from transformer_lib.training import seeded


def drawn(seed):
    with seeded(seed):
        return nn.Linear(3, 2)


def test_the_same_seed_builds_the_same_and_another_another():
    torch.manual_seed(1)
    first = drawn(5)
    torch.manual_seed(2)
    assert drawn(5).weight.equal(first.weight)
    assert not drawn(6).weight.equal(first.weight)


def test_it_draws_what_torchs_own_seed_draws():
    torch.manual_seed(5)
    assert drawn(5).weight.equal(nn.Linear(3, 2).weight)


def test_the_state_is_put_back_also_when_something_is_raised():
    before = torch.get_rng_state()
    drawn(5)
    assert torch.get_rng_state().equal(before)
    with pytest.raises(RuntimeError, match="inconsistent"), seeded(5):
        torch.rand(7) @ torch.rand(8)
    assert torch.get_rng_state().equal(before)


def test_no_other_devices_generator_is_seeded_or_put_back(monkeypatch):
    touched = []
    monkeypatch.setattr(torch.cuda, "manual_seed_all", touched.append)
    monkeypatch.setattr(torch.mps, "manual_seed", touched.append)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_rng_state", touched.append)
    monkeypatch.setattr(torch.cuda, "set_rng_state", lambda *a: touched.append(a))
    drawn(5)
    assert touched == []


@pytest.mark.parametrize("seed", [0, 2**31, 2**64 - 1])
def test_every_seed_that_a_generator_takes_is_a_seed(seed):
    expected = torch.rand(3, generator=torch.Generator().manual_seed(seed))
    with seeded(seed):
        assert torch.rand(3).equal(expected)


@pytest.mark.parametrize(
    ("seed", "error"),
    [(-1, ValueError), (2**64, ValueError), (True, TypeError), (1.0, TypeError)],
)
def test_what_is_no_seed_is_refused_and_moves_nothing(seed, error):
    before = torch.get_rng_state()
    with pytest.raises(error, match=r"^seed must be "), seeded(seed):
        pass
    assert torch.get_rng_state().equal(before)

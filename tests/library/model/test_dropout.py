"""Dropout: a share of zeros, the same mean, and one coin for values and gradients."""

import pytest
import torch

from transformer_lib.runtime.fast_attention import dropout

TYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16]


def seeded(x, share, seed=0):
    torch.manual_seed(seed)
    return dropout(x, share, training=True)


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9, 0.999])
def test_the_share_asked_for_is_dropped_and_the_mean_stays(share):
    n = 1_000_000
    y = seeded(torch.ones(n, dtype=torch.float64), share)
    deviation = (share * (1 - share) / n) ** 0.5
    assert abs((y == 0).double().mean() - share) < 5 * deviation
    assert abs(y.mean() - 1) < 5 * deviation / (1 - share)
    assert y.unique().tolist() == [0, pytest.approx(1 / (1 - share), rel=1e-2)]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(0,), (1,), (3, 5), (2, 0, 4), (2, 3, 7)])
def test_what_is_kept_is_scaled_and_keeps_shape_and_type(shape, dtype):
    x = torch.rand(shape).to(dtype) + 1
    y = seeded(x, 0.5)
    assert (y.shape, y.dtype) == (x.shape, x.dtype)
    assert y.equal(torch.where(y == 0, 0, 2 * x))


def test_the_four_tosses_of_one_random_number_are_independent():
    dropped = (seeded(torch.ones(400_000), 0.3) == 0).double().view(-1, 4)
    correlation = torch.corrcoef(dropped.T) - torch.eye(4)
    assert correlation.abs().max() < 0.02
    assert (dropped.mean(0) - 0.3).abs().max() < 0.01


def test_values_and_gradients_are_dropped_together():
    x = torch.rand(50, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: seeded(x, 0.4), x)


def test_the_seed_decides_what_is_dropped():
    x = torch.ones(1000)
    assert seeded(x, 0.5).equal(seeded(x, 0.5))
    assert not seeded(x, 0.5).equal(seeded(x, 0.5, seed=1))


def test_a_view_that_is_not_contiguous_is_dropped_as_its_copy_is():
    x = torch.rand(6, 8).T
    assert seeded(x, 0.5).equal(seeded(x.contiguous(), 0.5))


@pytest.mark.parametrize(
    ("share", "training", "factor"),
    [
        (0.0, True, 1),
        (0.7, False, 1),
        (1.0, True, 0),
        (1 - 1e-9, True, 0),
        (1e-6, True, 1),
    ],
)
def test_nothing_or_everything_is_dropped_at_the_ends(share, training, factor):
    x = torch.rand(40)
    assert dropout(x, share, training).equal(factor * x)

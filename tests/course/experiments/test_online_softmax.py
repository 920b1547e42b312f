"""Softmax in tiles equals the whole softmax."""

import pytest
import torch

from course.experiments.online_softmax import online_softmax
from transformer_lib import scaled_dot_product_attention

LENGTHS = (1, 2, 7, 12, 33)


def tilings():
    return [(n, tile) for n in LENGTHS for tile in range(1, n + 2)]


@pytest.mark.parametrize("spread", [0.1, 3.0, 200.0])
@pytest.mark.parametrize(("n", "tile"), tilings())
def test_every_tiling_equals_softmax_attention(n, tile, spread):
    torch.manual_seed(n)
    q, k, v = (torch.randn(n, size) for size in (6, 6, 4))
    q = spread * q
    whole, _ = scaled_dot_product_attention(q, k, v)
    *_, (_, total, output) = online_softmax(q @ k.T / 6**0.5, v, tile)
    assert (output / total - whole).abs().max() <= 1e-6


@pytest.mark.parametrize("tile", [1, 3, 12])
@pytest.mark.parametrize("sign", [1, -1])
def test_rising_and_falling_scores_beyond_the_largest_float_are_no_trouble(tile, sign):
    scores = sign * torch.linspace(-800.0, 800.0, 12)[None]
    v = torch.arange(24.0).view(12, 2)
    *_, (_, total, output) = online_softmax(scores, v, tile)
    assert torch.allclose(output / total, scores.softmax(-1) @ v)


def test_after_each_tile_it_is_the_softmax_of_what_was_read():
    torch.manual_seed(0)
    scores, v = torch.randn(3, 10), torch.randn(10, 2)
    for n, (m, total, output) in enumerate(online_softmax(scores, v, 4), 1):
        read = scores[:, : 4 * n]
        assert torch.equal(m, read.amax(-1, keepdim=True))
        assert torch.allclose(total, (read - m).exp().sum(-1, keepdim=True))
        assert torch.allclose(output / total, read.softmax(-1) @ v[: 4 * n], atol=1e-6)


@pytest.mark.parametrize("tile", [0, -1, 1.5, "3"])
def test_a_tile_that_is_no_size_is_refused(tile):
    with pytest.raises((TypeError, ValueError), match=r"^tile must be "):
        [*online_softmax(torch.zeros(2), torch.zeros(2, 1), tile)]

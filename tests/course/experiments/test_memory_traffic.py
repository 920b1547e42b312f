"""The memory traffic of attention, whole and in tiles, is counted as it is moved."""

import pytest
import torch

from course.experiments.memory_traffic import (
    SlowMemory,
    moved,
    tiled_attention,
    whole_attention,
)

LENGTHS = (1, 2, 7, 12, 33)


def tilings():
    return [(n, tile) for n in LENGTHS for tile in range(1, n + 2)]


@pytest.mark.parametrize(("n", "tile"), tilings())
def test_the_memory_that_is_moved_is_what_the_formula_counts(n, tile):
    torch.manual_seed(1)
    q, k, v = (torch.randn(n, 5) for _ in range(3))
    whole, tiled = (SlowMemory(q=q, k=k, v=v) for _ in range(2))
    whole_attention(whole)
    tiled_attention(tiled, tile)
    assert torch.allclose(
        whole.arrays["output"], tiled.arrays["output"], rtol=0, atol=1e-6
    )
    assert (whole.read, whole.written) == moved(n, 5)
    assert (tiled.read, tiled.written) == moved(n, 5, tile)


@pytest.mark.parametrize("tile", [0, -1, 1.5, "3"])
def test_a_tile_that_is_no_size_is_refused(tile):
    x = torch.zeros(2, 1)
    calls = [
        lambda: tiled_attention(SlowMemory(q=x, k=x, v=x), tile),
        lambda: moved(2, 1, tile),
    ]
    for call in calls:
        with pytest.raises((TypeError, ValueError), match=r"^tile must be "):
            call()

"""Online softmax: attention in one pass over tiles of keys, as in a fused kernel.

scores, values = torch.randn(2, 12), torch.randn(12, 3)
*_, (m, z, o) = online_softmax(scores, values, tile=4)
o / z  # equals scores.softmax(-1) @ values
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_lib.checks.validation import check_size


class Running(NamedTuple):
    """What is kept of the tiles so far.

    largest: m, the largest score (..., 1).
    total: z = Σ exp(score − m), (..., 1).
    output: o = Σ exp(score − m) · value, (..., d); the output so far is o / z.
    """

    largest: Tensor
    total: Tensor
    output: Tensor


def update(kept: Running, scores: Tensor, values: Tensor) -> Running:
    """Add a tile of scores (..., s) and values (s, d) to what is kept.

        m' = max(m, max scores)      c = exp(m − m')      e = exp(scores − m')
        z' = c z + Σ e               o' = c o + e values

    Source: Milakov and Gimelshein (2018), algorithm 3; Dao et al. (2022), algorithm 1.
    """
    m, z, o = kept
    new = torch.maximum(m, scores.amax(-1, keepdim=True))  # (..., 1)
    c, e = (m - new).exp(), (scores - new).exp()  # (..., 1), (..., s)
    return Running(new, c * z + e.sum(-1, keepdim=True), c * o + e @ values)


def nothing_yet(scores: Tensor, values: Tensor) -> Running:
    """Return what is kept before the first tile: m = −∞, z = 0, o = 0."""
    zeros = torch.zeros_like(scores[..., :1])
    return Running(zeros - torch.inf, zeros, zeros * values[..., 0, :])


def online_softmax(scores: Tensor, values: Tensor, tile: int) -> Iterator[Running]:
    """Average values with softmax weights, reading the scores once, tile by tile.

    Args:
        scores: (..., S), finite.
        values: (S, d).
        tile: how many keys are read at a time; the last tile may have fewer.

    Yields:
        the running maximum, sum and output after each tile.

    Raises:
        TypeError, ValueError: tile is no integer of at least 1.
    """
    check_size("tile", tile)
    kept = nothing_yet(scores, values)
    for start in range(0, scores.size(-1), tile):
        part = slice(start, start + tile)
        kept = update(kept, scores[..., part], values[part])
        yield kept

"""Softmax attention in one pass over tiles of keys, and the memory that both ways move.

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


class SlowMemory:
    """A large memory that counts the numbers that are read from it and written to it.

    Args:
        arrays: what it holds, by name.
    """

    def __init__(self, **arrays: Tensor) -> None:
        self.arrays = dict(arrays)
        self.read = 0
        self.written = 0

    def load(self, name: str, rows: slice = slice(None)) -> Tensor:
        """Read some rows of an array."""
        x = self.arrays[name][rows]
        self.read += x.numel()
        return x

    def store(self, name: str, x: Tensor) -> None:
        """Write an array, or more rows of one that is there."""
        before = self.arrays.get(name)
        self.arrays[name] = x if before is None else torch.cat([before, x])
        self.written += x.numel()


def whole_attention(memory: SlowMemory) -> None:
    """Write the scores, then the weights, then the output of all queries at once."""
    q, k = memory.load("q"), memory.load("k")
    memory.store("scores", q @ k.T / q.size(1) ** 0.5)  # (T, S)
    memory.store("weights", memory.load("scores").softmax(-1))
    memory.store("output", memory.load("weights") @ memory.load("v"))


def tiled_attention(memory: SlowMemory, tile: int) -> None:
    """Compute the output tile by tile; neither scores nor weights are written.

    A tile of queries reads all keys and values, a tile of them at a time. Raise a
    TypeError or a ValueError if tile is no integer of at least 1.

    Source: Dao (2023), algorithm 1.
    """
    check_size("tile", tile)
    T, S = (len(memory.arrays[name]) for name in ("q", "k"))
    for first in range(0, T, tile):
        q = memory.load("q", slice(first, first + tile))  # (t, d)
        kept = nothing_yet(q, q)
        for start in range(0, S, tile):
            rows = slice(start, start + tile)
            k, v = memory.load("k", rows), memory.load("v", rows)
            kept = update(kept, q @ k.T / q.size(1) ** 0.5, v)
        memory.store("output", kept.output / kept.total)


def moved(length: int, width: int, tile: int | None = None) -> tuple[int, int]:
    """Count the numbers (read, written) by one head over a text of some length.

        whole   3 n d + 2 n² read, n d + 2 n² written
        tiled   n d + 2 n d ⌈n / tile⌉ read, n d written

    Args:
        length: n, queries and keys.
        width: d, the size of a query, a key and a value.
        tile: of `tiled_attention`; without it, those of `whole_attention`.

    Raises:
        TypeError, ValueError: tile is no integer of at least 1.
    """
    n, d = length, width
    if tile is None:
        return 3 * n * d + 2 * n * n, 2 * n * n + n * d
    check_size("tile", tile)
    return n * d + 2 * n * d * -(-n // tile), n * d

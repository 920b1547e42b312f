"""The numbers that attention reads from slow memory and writes to it, in both ways."""

import torch
from torch import Tensor

from transformer_lib.checks.validation import check_size

from .online_softmax import nothing_yet, update


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

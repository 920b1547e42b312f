"""The memory of generation: keys and values that need not be computed again."""

from typing import NamedTuple

from torch import Tensor


class KVCache:
    """Keys and values of the tokens seen so far, in room made beforehand.

    Args:
        keys: (B, H, room, d_k), filled from the front.
        values: (B, H, room, d_k).
        length: how many positions are filled.
    """

    def __init__(self, keys: Tensor, values: Tensor, length: int = 0) -> None:
        self.keys, self.values, self.length = keys, values, length

    def append(self, k: Tensor, v: Tensor) -> None:
        """Write the keys and values (B, H, T, d_k) of T more tokens behind the last.

        Raises:
            ValueError: there is no room for them, their batch is another, or they carry
                gradients.
        """
        past, now = self.length, self.length + k.size(2)
        if now > self.keys.size(2):
            raise ValueError(
                f"cache has room for {self.keys.size(2)} positions, got {now}"
            )
        if k.size(0) != self.keys.size(0):
            raise ValueError(
                f"cache is for a batch of {self.keys.size(0)}, got {k.size(0)}"
            )
        if k.requires_grad:
            raise ValueError("cache is for generation: open torch.no_grad() first")
        self.keys[:, :, past:now] = k
        self.values[:, :, past:now] = v
        self.length = now

    def filled(self) -> tuple[Tensor, Tensor]:
        """Give the keys and values so far, each (B, H, length, d_k), as views."""
        return self.keys[:, :, : self.length], self.values[:, :, : self.length]

    def reorder(self, rows: Tensor) -> None:
        """Let row b of the batch go on from row rows[b]: beams live and die.

        Args:
            rows: integer (B,), or of another size, which becomes the batch's.
        """
        self.keys, self.values = self.keys[rows], self.values[rows]


class DecoderCache(NamedTuple):
    """What one decoder block need not compute again."""

    target: KVCache
    memory: KVCache

"""The memory of generation: keys and values that need not be computed again."""

from typing import NamedTuple

import torch
from torch import Tensor

from .shapes import check_tensor
from .validation import check_size


class KVCache:
    """Keys and values of the tokens seen so far, in room made beforehand.

    Args:
        keys: (B, H, room, d_k), filled from the front.
        values: (B, H, room, d_k).
        length: how many positions are filled.

    Raises:
        TypeError, ValueError: keys and values are no tensors of one type and of that
            shape, or the length is not from 0 to the room.
    """

    def __init__(self, keys: Tensor, values: Tensor, length: int = 0) -> None:
        check_tensor("keys", keys)
        check_tensor("values", values)
        if keys.dim() != 4:
            got = tuple(keys.shape)
            raise ValueError(f"keys must have shape (B, H, room, d_k), got {got}")
        if values.shape != keys.shape or values.dtype != keys.dtype:
            raise ValueError(
                f"values must be like keys, got {tuple(values.shape)} {values.dtype} "
                f"for {tuple(keys.shape)} {keys.dtype}"
            )
        check_size("length", length, least=0)
        if length > keys.size(2):
            room = keys.size(2)
            raise ValueError(f"length must be at most the room, {room}, got {length}")
        self.keys, self.values, self.length = keys, values, length

    def append(self, k: Tensor, v: Tensor) -> None:
        """Write the keys and values (B, H, T, d_k) of T more tokens behind the last.

        Raises:
            TypeError: k or v is no tensor.
            ValueError: as `check_room`, their shape is another, or they carry
                gradients.
        """
        if not self._takes(k, v):
            self._refuse(k, v)
        past, now = self.length, self.length + k.size(2)
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

        Raises:
            IndexError: a row is none of the batch's.
        """
        try:
            self.keys, self.values = self.keys[rows], self.values[rows]
        except IndexError:
            B = len(self.keys)
            says = f"rows must number the {B} rows of the batch, got {rows}"
            raise IndexError(says) from None

    def check_room(self, batch: int, new: int) -> None:
        """Refuse `new` tokens of `batch` texts that cannot be written.

        Raises:
            ValueError: there is no room for them, their batch is another, or the cache
                was made in inference mode, which is over.
        """
        if self.length + new > self.keys.size(2):
            room, now = self.keys.size(2), self.length + new
            raise ValueError(f"cache has room for {room} positions, got {now}")
        if batch != self.keys.size(0):
            own = self.keys.size(0)
            raise ValueError(f"cache is for a batch of {own}, got {batch}")
        if new and self.keys.is_inference() and not torch.is_inference_mode_enabled():
            raise ValueError(
                "cache was made in torch.inference_mode(): go on in it, got none"
            )

    def _takes(self, k: Tensor, v: Tensor) -> bool:
        """Tell whether k and v can be appended: all of `_refuse`, in short."""
        if not isinstance(k, Tensor) or not isinstance(v, Tensor) or k.dim() != 4:
            return False
        B, H, room, d_k = self.keys.shape
        new = k.size(2)
        fits = k.shape == v.shape == (B, H, new, d_k) and self.length + new <= room
        frozen = self.keys.is_inference() and not torch.is_inference_mode_enabled()
        return fits and not (frozen or k.requires_grad or v.requires_grad)

    def _refuse(self, k: Tensor, v: Tensor) -> None:
        """Say why k and v cannot be appended."""
        check_tensor("k", k)
        check_tensor("v", v)
        got = f"{tuple(k.shape)} and {tuple(v.shape)}"
        if k.shape != v.shape or k.dim() != 4:
            raise ValueError(f"k and v must both be (B, H, T, d_k), got {got}")
        self.check_room(k.size(0), k.size(2))
        if k.requires_grad or v.requires_grad:
            raise ValueError("cache is for generation: open torch.no_grad() first")
        raise ValueError(f"k and v must fit a {self!r}, got {got}")

    def __repr__(self) -> str:
        B, H, room, d_k = self.keys.shape
        mode = ", for inference mode" if self.keys.is_inference() else ""
        return (
            f"KVCache of a batch of {B}: {H} heads of {d_k}, "
            f"{self.length} of {room} positions, {self.keys.dtype}{mode}"
        )


class DecoderCache(NamedTuple):
    """What one decoder block need not compute again."""

    target: KVCache
    memory: KVCache

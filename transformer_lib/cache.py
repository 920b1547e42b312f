"""The memory of generation: keys and values that need not be computed again."""

from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor

from .shapes import check_heads_mask, check_vectors


class KVCache:
    """Keys and values of the tokens seen so far, in room made beforehand.

    Args:
        keys: (B, H, room, d_k), filled from the front.
        values: (B, H, room, d_k).
        length: how many positions are filled.
    """

    def __init__(self, keys: Tensor, values: Tensor, length: int = 0) -> None:
        self.keys, self.values, self.length = keys, values, length

    @property
    def size(self) -> tuple[int, int]:
        """The batch, and how many positions are filled."""
        return self.keys.size(0), self.length

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


def check_cache(cache: KVCache) -> KVCache:
    """Refuse what is not a cache of one attention.

    Raises:
        TypeError: it is no `KVCache`.
    """
    if not isinstance(cache, KVCache):
        raise TypeError(f"cache must be a KVCache, got {type(cache).__name__}")
    return cache


def check_caches(
    caches: Sequence[KVCache | DecoderCache] | None, kind: type, blocks: int
) -> None:
    """Refuse what is not one cache of a kind for each block of a stack.

    Raises:
        TypeError: it is no list, or holds another kind.
        ValueError: there are more or fewer than blocks.
    """
    if caches is None:
        return
    if isinstance(caches, DecoderCache) or not isinstance(caches, list | tuple):
        got = type(caches).__name__
        raise TypeError(f"cache must be a list, as new_cache makes it, got {got}")
    for cache in caches:
        if not isinstance(cache, kind):
            got = type(cache).__name__
            raise TypeError(f"cache must hold a {kind.__name__} a block, got {got}")
    if len(caches) != blocks:
        raise ValueError(
            f"cache must have one for each of {blocks} blocks, got {len(caches)}"
        )


def check_across(
    size: tuple[int, int, int],
    memory: Tensor | None,
    mask: Tensor | None,
    cache: DecoderCache | None,
    weight: Tensor,
    *,
    name: str = "memory_mask",
) -> None:
    """Refuse a look at the memory that does not fit, before the target is read.

    Args:
        size: (B, H, T) of the target.
        memory: (B, S, D), or None with a cache.
        mask: boolean, broadcasts to (B, H, T, S).
        cache: of the first block.
        weight: any of the layers' size D and type.
        name: what the caller calls the mask.

    Raises:
        TypeError, ValueError: memory or mask is of another type or shape, or there are
            both a memory and a cache, or neither.
    """
    if memory is not None:
        check_vectors("memory", memory, weight)
    if memory is not None and cache is not None:
        got = tuple(memory.shape)
        raise ValueError(f"memory must be None with a cache, got shape {got}")
    if memory is None and cache is None:
        raise ValueError("memory must be given where there is no cache")
    if mask is not None:
        known = 0 if cache is None else cache.memory.length
        S = known if memory is None else memory.size(1)
        check_heads_mask(name, mask, (*size, S))


def check_decode(
    size: tuple[int, int, int],
    memory: Tensor | None,
    masks: tuple[Tensor | None, Tensor | None],
    cache: DecoderCache | None,
    weight: Tensor,
) -> None:
    """Refuse a target mask or a source mask by its name; the rest as `check_across`."""
    target_mask, source_mask = masks
    check_across(size, memory, source_mask, cache, weight, name="source_mask")
    if target_mask is not None:
        past = 0 if cache is None else cache.target.length
        keys = past + size[-1]
        check_heads_mask("target_mask", target_mask, (*size, keys))

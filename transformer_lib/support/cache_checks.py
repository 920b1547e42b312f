"""What is refused of a call with a cache, before the cache takes any of it."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .caching import DecoderCache, KVCache
from .shapes import check_dtype, check_heads_mask, check_tensor, check_vectors
from .validation import check_type

Cache = KVCache | DecoderCache


def check_gradients(blocks: nn.Module) -> None:
    """Refuse to remember what training would want to go back through.

    An input that learns is refused by the first block; this is about the later ones.

    Raises:
        ValueError: a parameter asks for gradients, which are made.
    """
    if torch.is_grad_enabled() and any(p.requires_grad for p in blocks.parameters()):
        raise ValueError("cache is for generation: open torch.no_grad() first")


def check_caches(
    caches: Sequence[Cache] | None, kind: type[Cache], blocks: int
) -> None:
    """Refuse what is not one cache of a kind for each block, all alike.

    What fits the first block then fits all: no refusal finds some of them filled.

    Raises:
        TypeError: it is no list, or holds another kind.
        ValueError: there are more or fewer than blocks, two differ, or are one.
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
    columns = zip(*caches, strict=True) if kind is DecoderCache else [caches]
    for column in columns:
        _check_alike(column)
    for cache in caches:
        if isinstance(cache, DecoderCache):
            cache.memory.check_room(len(cache.target.keys), 0)


def _check_alike(caches: Sequence[KVCache]) -> None:
    for i, cache in enumerate(caches):
        check_type("cache", cache, KVCache)
        if repr(cache) != repr(caches[0]):  # which tells all sizes
            raise ValueError(
                "cache must be alike in every block, "
                f"got {caches[0]!r} in block 0 and {cache!r} in block {i}"
            )
        if any(cache is other for other in caches[:i]):
            raise ValueError("cache must be another in every block, got one twice")


def check_look(
    size: tuple[int, int, int],
    memory: Tensor | None,
    mask: Tensor | None,
    cache: KVCache | None,
    weight: Tensor,
    *,
    name: str = "mask",
) -> None:
    """Refuse a look at keys that does not fit, before a cache takes any of them.

    Args:
        size: (B, H, T) of the queries.
        memory: (B, S, D), or None where the cache holds all there is.
        mask: boolean, broadcasts to (B, H, T, S), where S counts the cache's too.
        cache: of this attention.
        weight: any of the layer's size D and type.
        name: what the caller calls the mask.

    Raises:
        TypeError, ValueError: an argument is of another type or shape, or there is
            neither memory nor cache.
    """
    B, S = size[0], 0
    if memory is None and cache is None:
        raise ValueError("memory must be given where there is no cache")
    if memory is not None:
        check_vectors("memory", memory, weight)
        S = memory.size(1)
        if memory.size(0) != B:
            got = f"{B} and {memory.size(0)}"
            raise ValueError(f"query and memory must be of one batch size, got {got}")
    if cache is not None:
        _check_cache(cache, size[1], weight)
        cache.check_room(B, S)
        S += cache.length
    if mask is not None:
        check_heads_mask(name, mask, (*size, S))


def _check_cache(cache: KVCache, n_heads: int, weight: Tensor) -> None:
    """Refuse what is no cache of an attention with that many heads."""
    check_type("cache", cache, KVCache)
    check_dtype("cache", cache.keys, weight)
    d_k = weight.size(-1) // n_heads
    if cache.keys.shape[1::2] != (n_heads, d_k):
        raise ValueError(f"cache must be for {n_heads} heads of {d_k}, got {cache!r}")


def check_across(
    size: tuple[int, int, int],
    memory: Tensor | None,
    mask: Tensor | None,
    cache: DecoderCache | None,
    weight: Tensor,
    *,
    name: str = "memory_mask",
) -> None:
    """Refuse a decoder block's look at the memory, before it reads the target.

    Raises:
        TypeError, ValueError: as `check_look`, or there are a memory and a cache.
    """
    if cache is not None and memory is not None:
        check_tensor("memory", memory)
        got = tuple(memory.shape)
        raise ValueError(f"memory must be None with a cache, got shape {got}")
    known = None
    if cache is not None:
        check_type("cache", cache, DecoderCache)
        known = cache.memory
    check_look(size, memory, mask, known, weight, name=name)


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

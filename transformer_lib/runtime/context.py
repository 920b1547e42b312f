"""What stands around a forward pass: who records it, and what is remembered of before.

`record` and `caching` switch these on from outside; a compiled model asks for neither.
"""

from contextvars import ContextVar
from typing import Any

from torch import Tensor, nn
from torch.compiler import is_compiling

Pair = tuple[Tensor, Tensor]
recordings: ContextVar[tuple[Any, ...]] = ContextVar("recordings", default=())
caches: ContextVar[tuple[Any, ...]] = ContextVar("caches", default=())


def is_recording() -> bool:
    """Tell whether anybody records."""
    return not is_compiling() and bool(recordings.get())


def record_tensor(module: nn.Module, **tensors: Tensor) -> None:
    """Show what a module computes on the way to whoever records it."""
    if is_recording():
        for recording in recordings.get():
            for name, x in tensors.items():
                recording.add(module, name, x)


def cache_of(module: nn.Module) -> Any:
    """Find the innermost open cache around a module, or around its decoder; or None."""
    if is_compiling():
        return None
    for cache in caches.get():
        if module in cache.names or getattr(module, "decoder", None) in cache.names:
            return cache
    return None


def begin_pass(model: nn.Module) -> int:
    """Count the positions before this pass; a cache forgets what a failed pass left."""
    cache = cache_of(model)
    return 0 if cache is None else int(cache.begin(model))


def keys_before(part: nn.Module, query: Tensor, memory: Tensor) -> int:
    """Count the keys that a cache puts before a memory's: 0 unless it is the query."""
    cache = cache_of(part)
    return 0 if cache is None else int(cache.count_before(part, query, memory))

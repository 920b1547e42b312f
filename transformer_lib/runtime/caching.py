"""Caching: keys and values kept from pass to pass, so that a token is read once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, cast

import torch
from torch import Tensor, nn
from torch.compiler import is_compiling

from ..checks.arguments import check_arguments
from ..checks.validation import check_type, require

Pair = tuple[Tensor, Tensor]
P = ParamSpec("P")
caches: ContextVar[tuple["Cache", ...]] = ContextVar("caches", default=())


class KVCache:
    """The keys and values of one attention: of all tokens so far, or of a memory.

    Args:
        k: the first keys (B, H, T, d_k).
        v: their values.
        memory: what they were made from, in cross-attention; None in self-attention.
    """

    def __init__(self, k: Tensor, v: Tensor, memory: Tensor | None = None) -> None:
        self.room = (k, v)
        self.length = k.size(2)
        self.memory = memory
        self.version = None if memory is None else _version(memory)

    def filled(self) -> Pair:
        """Give the keys and values so far, each (B, H, length, d_k)."""
        k, v = self.room
        return k.narrow(2, 0, self.length), v.narrow(2, 0, self.length)

    def append(self, k: Tensor, v: Tensor) -> None:
        """Write the keys and values (B, H, T, d_k) of T more tokens behind the last.

        The room doubles when it is full, and moves when inference mode has ended.
        """
        keys, values = self.room
        past = self.length
        new = k.size(2)
        if k.size(0) != keys.size(0):
            form = f"hold {keys.size(0)} sequences, as the cache"
            raise ValueError(f"batch must {form}, got {k.size(0)}")
        frozen = keys.is_inference() and not torch.is_inference_mode_enabled()
        if past + new > keys.size(2) or frozen:
            wide = k.new_empty(2, *k.shape[:2], 2 * (past + new), k.size(3))
            wide[:, :, :, :past] = torch.stack(self.filled())
            keys, values = wide
            self.room = (keys, values)
        keys.narrow(2, past, new).copy_(k)
        values.narrow(2, past, new).copy_(v)
        self.length = past + new

    def is_of(self, memory: Tensor) -> bool:
        """Tell whether these are of this memory, unchanged since.

        Inference tensors do not count their changes in place: of those nobody can tell.
        """
        version = _version(memory)
        return self.memory is memory and version is not None and version == self.version

    def __repr__(self) -> str:
        B, H, n, d_k = self.filled()[0].shape
        return f"keys and values of {n} positions: a batch of {B}, {H} heads of {d_k}"


class Cache(dict[str, KVCache]):
    """What each attention of a model remembers, by the attention's name.

    A part that says that it `looks_both_ways`, as an encoder does, remembers nothing:
    it reads a source as a whole.
    """

    def __init__(self, model: nn.Module) -> None:
        check_type("model", model, nn.Module)
        super().__init__()
        whole = [m for m in model.modules() if getattr(m, "looks_both_ways", False)]
        forgets = {part for reader in whole for part in reader.modules()}
        named = model.named_modules()
        self.names = {part: name for name, part in named if part not in forgets}
        self.known = 0  # pasts of which there is one for every block
        self.before: dict[str, int] = {}  # what there was before the latest pass
        self.met: set[str] | None = None  # in the pass that goes on

    @property
    def length(self) -> int:
        """The number of positions that were read."""
        return min((past.length for past in self.pasts()), default=0)

    def reorder(self, rows: Tensor) -> None:
        """Let row b of the batch go on from row rows[b], as beams do.

        Keys and values of a memory stay: the memory is an argument of every pass.

        Args:
            rows: integers (B,), or another number of them, which becomes the batch's.

        Raises:
            IndexError: a row is none of the batch's.
        """
        try:
            for past in self.pasts():
                past.room = past.room[0][rows], past.room[1][rows]
        except IndexError:
            raise IndexError(f"rows must be rows of the batch, got {rows}") from None

    def pasts(self, part: str = "") -> list[KVCache]:
        """List what the self-attentions in a part of the model remember."""
        own = [(name, kept) for name, kept in self.items() if kept.memory is None]
        inside = part and f"{part}."
        return [kept for name, kept in own if f"{name}.".startswith(inside)]

    def gaps(self, model: nn.Module) -> list[str]:
        """Name the blocks without a past: an attention of a reader's own keeps none."""
        stack = getattr(model, "decoder", model)
        blocks = getattr(stack, "blocks", None) or [stack]
        names = [self.names.get(block, "a new block") for block in blocks]
        return [name for name in names if not self.pasts(name)]

    def begin(self, model: nn.Module) -> int:
        """Count the positions before the pass that begins.

        Raises:
            ValueError: there is a past that some block does not remember.
        """
        pasts = self.pasts(self.names.get(model, ""))
        if len(pasts) > self.known and (gaps := self.gaps(model)):
            got = f"none for {gaps}"
            raise ValueError(f"cache must hold a past for every block, got {got}")
        self.known = len(pasts)
        return min((past.length for past in pasts), default=0)

    def lengths(self) -> dict[str, int]:
        """Count what each self-attention remembers."""
        return {name: kept.length for name, kept in self.items() if kept.memory is None}

    def forget(self, lengths: dict[str, int]) -> None:
        """Cut what each self-attention remembers back to what it was."""
        for name in self.lengths():
            if name in lengths:
                self[name].length = lengths[name]
            else:
                del self[name]
        self.known = min(self.known, len(lengths))

    def count_before(self, part: nn.Module, query: Tensor, memory: Tensor) -> int:
        """Count the keys that stand before a memory's: none, unless it is the query."""
        pasts = self.pasts(self.names.get(part, "")) if memory is query else []
        return min((past.length for past in pasts), default=0)

    def extend(self, attention: Any, query: Tensor, memory: Tensor) -> Pair:
        """Give all keys and values (B, H, S, d_k), having added what is new."""
        name = self.names[attention]
        known = self.get(name)
        if known is not None and known.is_of(memory):
            return known.filled()
        k, v = attention.keys_and_values(memory)
        if k.requires_grad or v.requires_grad:
            raise ValueError("gradients must be off inside caching, got them on")
        if self.met is not None and memory is query:
            once = "run once in a pass inside caching"
            require(name not in self.met, name, once, "a second run")
            self.met.add(name)
        if memory is not query:
            known = self[name] = KVCache(k, v, memory)
        elif known is None or known.memory is not None:
            known = self[name] = KVCache(k, v)
        else:
            known.append(k, v)
        return known.filled()


def cache_of(module: nn.Module) -> Cache | None:
    """Find the innermost open cache around a module, or around its decoder; or None."""
    if is_compiling():
        return None
    for cache in caches.get():
        if module in cache.names or getattr(module, "decoder", None) in cache.names:
            return cache
    return None


def one_pass(function: Callable[P, Tensor]) -> Callable[P, Tensor]:
    """Make a model's method a pass: if it fails, a cache forgets what it left."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> Tensor:
        cache = cache_of(cast(nn.Module, args[0]))
        if cache is None:
            return function(*args, **kwargs)
        cache.before = cache.lengths()
        cache.met = set()
        try:
            return function(*args, **kwargs)
        except BaseException:
            cache.forget(cache.before)
            raise
        finally:
            cache.met = None

    return call


def undo_pass(module: nn.Module) -> None:
    """Forget the latest pass of a model whose output was refused."""
    cache = cache_of(module)
    if cache is not None:
        cache.forget(cache.before)


def begin_pass(model: nn.Module) -> int:
    """Count the positions before this pass."""
    cache = cache_of(model)
    return 0 if cache is None else cache.begin(model)


def keys_before(part: nn.Module, query: Tensor, memory: Tensor) -> int:
    """Count the keys that a cache puts before a memory's: 0 unless it is the query."""
    cache = cache_of(part)
    return 0 if cache is None else cache.count_before(part, query, memory)


def with_past(attention: Any, query: Tensor, memory: Tensor) -> Pair:
    """Give keys and values (B, H, S, d_k) of a memory: projected, or remembered.

    Inside `caching`, self-attention adds the new ones to those of the past, and a
    memory that has not changed is projected once.
    """
    cache = cache_of(attention)
    if cache is None:
        pair: Pair = attention.keys_and_values(memory)
        return pair
    return cache.extend(attention, query, memory)


@contextmanager
@check_arguments
def caching(model: nn.Module) -> Iterator[Cache]:
    """Remember the keys and values of the passes that `model` makes inside the `with`.

        with caching(model) as cache:
            model(ids)       # (B, T)
            model(next_ids)  # (B, 1): they see the past, and stand behind it

    Each attention projects a token once, and a memory once, unless that is changed in
    place or is an inference tensor, which does not tell. Attention is self-attention
    where the memory is the query itself. Positions and the causal mask of our models
    count the past; a mask that is given must count it too. Nothing stays on
    the model, other threads see nothing of it, and there are no gradients. A compiled
    model remembers nothing: it is to be given all of a text.

    Args:
        model: any module that is built of ours. A part that looks at other tokens in
            another way than by `MultiHeadAttention` is not remembered.

    Yields:
        the cache, empty until the model runs.

    Raises:
        TypeError: model is no torch module.
    """
    cache = Cache(model)
    caches.set((cache, *caches.get()))
    try:
        with torch.no_grad():
            yield cache
    finally:
        caches.set(tuple(other for other in caches.get() if other is not cache))


def _version(x: Tensor) -> int | None:
    """Count the changes of a tensor in place; inference tensors do not count them."""
    return None if x.is_inference() else x._version

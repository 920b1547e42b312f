"""Caching: keys and values kept from pass to pass, so that each token is read once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from operator import attrgetter
from typing import Any, NamedTuple, ParamSpec, cast

import torch
from torch import Tensor, nn
from torch.compiler import is_compiling

from ..checks.validation import brief, check_arguments, require

Pair = tuple[Tensor, Tensor]
count_changes = attrgetter("_version")  # torch counts changes in place
P = ParamSpec("P")
caches: ContextVar[tuple["Cache", ...]] = ContextVar("caches", default=())


class KVCache(NamedTuple):
    """The keys and values of one attention: of all tokens so far, or of a memory.

    k, v: buffers (B, G, room, d_k), which hold them at the first positions.
    length: how many tokens were read.
    memory: in cross-attention, a copy of the memory that they were projected from.
    dropped: how many of the tokens, the first ones, are no longer held.
    """

    k: Tensor
    v: Tensor
    length: int
    memory: Tensor | None = None
    dropped: int = 0

    def filled(self, last: int | None = None) -> Pair:
        """Return all keys and values that are held, or the last: (B, G, S, d_k)."""
        held = self.length - self.dropped
        S = held if last is None else min(held, last)
        return self.k.narrow(2, held - S, S), self.v.narrow(2, held - S, S)

    def append(self, k: Tensor, v: Tensor, window: int | None = None) -> "KVCache":
        """Write the keys and values (B, G, T, d_k) of T more tokens behind the others.

        Buffers that are full, or belong to an inference mode that has ended, are
        replaced by new ones with twice the room. They take over what the new tokens may
        attend to: with a window, the last `window` − 1 of the past.
        """
        B, T, dropped = len(self.k), k.size(2), self.dropped
        past = self.length - dropped
        wanted = f"hold {B} sequences, as the cache"
        require(len(k) == B, "batch", wanted, len(k))
        keys, values = self.k, self.v
        frozen = keys.is_inference() and not torch.is_inference_mode_enabled()
        if past + T > keys.size(2) or frozen:
            old = self.filled(None if window is None else window - 1)
            past = old[0].size(2)
            dropped = self.length - past
            wide = k.new_empty(2, *k.shape[:2], 2 * (past + T), k.size(3))
            wide[:, :, :, :past] = torch.stack(old)
            keys, values = wide
        keys.narrow(2, past, T).copy_(k)
        values.narrow(2, past, T).copy_(v)
        return KVCache(keys, values, self.length + T, self.memory, dropped)

    def select(self, rows: Tensor) -> "KVCache":
        """Let row b hold what row rows[b] holds."""
        k, v = self.k.index_select(0, rows), self.v.index_select(0, rows)
        return self._replace(k=k, v=v)

    def __repr__(self) -> str:
        n, (B, H, _, d_k) = self.length, self.k.shape
        return f"keys and values of {n} positions: a batch of {B}, {H} heads of {d_k}"


class Cache(dict[str, KVCache]):
    """The keys and values of each attention of a model, by the attention's name.

    A part that is marked as `bidirectional`, such as an encoder, keeps nothing: it
    always reads the whole source.
    """

    @check_arguments
    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        named = {part: name for name, part in model.named_modules()}
        whole = [part for part in named if getattr(part, "bidirectional", False)]
        ignored = {part for reader in whole for part in reader.modules()}
        self.names = {part: name for part, name in named.items() if part not in ignored}
        self.weights = [p for p in model.parameters() if not p.is_inference()]
        self.changes = 0  # in place, of all weights, when the latest pass began
        self.complete: dict[str, int] = {}  # our length when a model lacked no past
        self.before: dict[str, KVCache] = {}  # what was held before the latest pass
        self.seen: set[str] | None = None  # self-attentions in the pass that is running
        self.copied: Pair | None = None  # the memory of this pass, and its copy

    @property
    def length(self) -> int:
        """The number of positions that were read."""
        return self.count()

    def count(self, part: str = "") -> int:
        """Count the positions that all self-attentions in a part have kept."""
        return min((past.length for past in self.pasts(part)), default=0)

    def reorder(self, rows: Tensor) -> None:
        """Let row b of the batch continue row rows[b], as beam search does.

        Keys and values of a memory stay: the memory is an argument of every pass. The
        number of rows becomes the new batch size. Raise a TypeError if rows are not
        integers (B,), and an IndexError if a row is not in the batch.
        """
        whole = isinstance(rows, Tensor) and rows.dtype in (torch.int64, torch.int32)
        if not whole or rows.dim() != 1:
            raise TypeError(f"rows must be integers (B,), got {brief(rows)}")
        chosen = rows.tolist()
        for name, kept in self.items():
            if kept.memory is None:
                last = kept.k.size(0) - 1
                inside = all(0 <= row <= last for row in chosen)
                require(inside, "rows", f"lie between 0 and {last}", chosen, IndexError)
                if chosen != [*range(last + 1)]:
                    self[name] = kept.select(rows.to(kept.k.device))

    def pasts(self, part: str = "") -> list[KVCache]:
        """List the caches of the self-attentions in a part of the model."""
        own = [name for name, kept in self.items() if kept.memory is None]
        prefix = f"{part}." if part else ""
        return [self[name] for name in own if f"{name}.".startswith(prefix)]

    def missing(self, model: Any) -> list[str]:
        """Name the blocks without a past, such as one whose attention is not ours."""
        stack = model.decoder
        blocks = getattr(stack, "blocks", None) or [stack]
        names = [self.names.get(block, "a new block") for block in blocks]
        return [name for name in names if not self.pasts(name)]

    def begin(self, model: nn.Module) -> None:
        """Begin a pass; raise a ValueError if weights changed or a past is missing."""
        self.check_weights()
        part = self.names.get(model, "")
        if self.complete.get(part) != len(self):
            missing = self.missing(model) if self.pasts(part) else []
            wanted = "hold a past for every block"
            require(not missing, "cache", wanted, f"none for {missing}")
            self.complete[part] = len(self)
        self.before = dict(self)
        self.seen = set()

    def check_weights(self) -> None:
        """Raise a ValueError if weights have changed since the keys were projected."""
        changes = sum(map(count_changes, self.weights))
        same = changes == self.changes or not self
        require(same, "model", "keep its weights inside caching", "changed ones")
        self.changes = changes
        self.copied = None  # a pass begins: its memory must be compared again

    def undo(self) -> None:
        """Forget what the latest pass has added."""
        self.clear()
        self.update(self.before)

    def extend(
        self, attention: Any, query: Tensor, memory: Tensor, rotation: Pair | None
    ) -> Pair:
        """Return all keys and values (B, G, S, d_k), after adding the new ones.

        With a window, these are only those that one of the T new queries may attend to.
        """
        name = self.names[attention]
        known = self.get(name)
        if self.seen is None:  # no model is running: every call is a pass of its own
            self.check_weights()
        elif memory is query:
            if name in self.seen:
                once = "run once in a pass inside caching"
                raise ValueError(f"{name} must {once}, got a second run")
            self.seen.add(name)
        copy = None if memory is query else self._copy(memory)
        if copy is not None and known is not None and known.memory is copy:
            return known.filled()
        k, v = attention.keys_and_values(memory, rotation)
        if k.requires_grad or v.requires_grad:
            raise ValueError("gradients must be off inside caching, got them on")
        window = attention.window
        if known is None or known.memory is not copy:
            self[name] = KVCache(k, v, k.size(2), copy)
        else:
            self[name] = known.append(k, v, window)
        return self[name].filled(window and window - 1 + k.size(2))

    def _copy(self, memory: Tensor) -> Tensor:
        """Return a copy of a memory: a known one, if no number differs.

        All layers of a pass get the same object, so only the first one compares.
        """
        if self.copied is None or self.copied[0] is not memory:
            known = [kept.memory for kept in self.values() if kept.memory is not None]
            same = (x for x in known if x.dtype == memory.dtype and x.equal(memory))
            copy = next(same, None)
            self.copied = memory, memory.clone() if copy is None else copy
        return self.copied[1]


def cache_of(module: nn.Module) -> Cache | None:
    """Find the innermost open cache around a module, or around its decoder; or None."""
    if is_compiling():
        return None
    for cache in caches.get():
        if module in cache.names or getattr(module, "decoder", None) in cache.names:
            return cache
    return None


def one_pass(function: Callable[P, Tensor]) -> Callable[P, Tensor]:
    """Make a method of a model a pass: if it fails, the cache forgets its additions."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> Tensor:
        model = cast(nn.Module, args[0])
        cache = cache_of(model)
        if cache is None:
            return function(*args, **kwargs)
        cache.begin(model)
        try:
            return function(*args, **kwargs)
        except BaseException:
            cache.undo()
            raise
        finally:
            cache.seen = None

    return call


@contextmanager
def caching(model: nn.Module) -> Iterator[Cache]:
    """Keep the keys and values of the passes that `model` makes inside the `with`.

        with caching(model) as cache:
            model(ids)       # (B, T)
            model(next_ids)  # (B, 1): they attend to the past, and come after it

    Each attention projects a token once, and a memory once for as long as its numbers
    stay the same. Attention is self-attention if the memory is the query itself.
    Positions and the causal mask of our models count the past; a mask that you pass
    must count it too. Weights must not change; torch does not tell us of changes
    through `.data`. Nothing is stored on the model, other threads do not see the cache,
    and there are no gradients. A compiled model keeps nothing: pass it the whole text.

    The model is any module built from ours; a part that mixes tokens by anything other
    than `MultiHeadAttention` is not cached. The cache is empty until the model runs.

    Raises:
        TypeError: model is not a torch module.
    """
    cache = Cache(model)
    caches.set((cache, *caches.get()))
    try:
        with torch.no_grad():
            yield cache
    finally:
        caches.set(tuple(other for other in caches.get() if other is not cache))

"""Caching: keys and values kept from pass to pass, so that a token is read once."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from ..checks.validation import check_type
from .context import Pair, caches


class KVCache:
    """The keys and values of one attention: of all tokens so far, or of a memory.

    Args:
        k: the first keys (B, H, T, d_k).
        v: their values.
        memory: what they were made from, in cross-attention.
    """

    def __init__(self, k: Tensor, v: Tensor, memory: Tensor | None = None) -> None:
        self.room, self.length, self.memory = (k, v), k.size(2), memory

    def filled(self) -> Pair:
        """Give the keys and values so far, each (B, H, length, d_k)."""
        k, v = self.room
        return k.narrow(2, 0, self.length), v.narrow(2, 0, self.length)

    def append(self, k: Tensor, v: Tensor) -> None:
        """Write the keys and values (B, H, T, d_k) of T more tokens behind the last.

        The room doubles when it is full, and moves when inference mode has ended.
        """
        (keys, values), past, new = self.room, self.length, k.size(2)
        B, room = keys.size(0), keys.size(2)
        if k.size(0) != B:
            raise ValueError(f"cache is for a batch of {B}, got {k.size(0)}")
        frozen = keys.is_inference() and not torch.is_inference_mode_enabled()
        if past + new > room or frozen:
            wide = k.new_empty(2, *k.shape[:2], 2 * (past + new), k.size(3))
            wide[:, :, :, :past] = torch.stack(self.filled())
            self.room = keys, values = wide[0], wide[1]
        keys.narrow(2, past, new).copy_(k)
        values.narrow(2, past, new).copy_(v)
        self.length = past + new

    def __repr__(self) -> str:
        B, H, n, d_k = self.filled()[0].shape
        return f"keys and values of {n} positions: a batch of {B}, {H} heads of {d_k}"


class Cache(dict[str, KVCache]):
    """What each attention of a model remembers, by the attention's name.

    What stands under the name `encoder` remembers nothing: an encoder looks both ways,
    so it reads a source as a whole.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        named = model.named_modules()
        self.names = {m: name for name, m in named if "encoder" not in name.split(".")}
        self.known = 0  # pasts of which there is one for every block

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

        What an earlier pass left behind when it failed half-way is forgotten.

        Raises:
            ValueError: there is a past that some block does not remember.
        """
        pasts = self.pasts(self.names.get(model, ""))
        if len(pasts) > self.known and (gaps := self.gaps(model)):
            got = f"none for {gaps}"
            raise ValueError(f"cache must hold a past for every block, got {got}")
        self.known = len(pasts)
        length = min((past.length for past in pasts), default=0)
        for past in pasts:
            past.length = length
        return length

    def count_before(self, part: nn.Module, query: Tensor, memory: Tensor) -> int:
        """Count the keys that stand before a memory's: none, unless it is the query."""
        own = _is_itself(query, memory)
        pasts = self.pasts(self.names.get(part, "")) if own else []
        return min((past.length for past in pasts), default=0)

    def extend(self, attention: Any, query: Tensor, memory: Tensor) -> Pair:
        """Give all keys and values (B, H, S, d_k), having added what is new."""
        name, own = self.names[attention], _is_itself(query, memory)
        known = self.get(name)
        if known is None or own or known.memory is not memory:
            k, v = attention.keys_and_values(memory)
            if k.requires_grad or v.requires_grad:
                raise ValueError("caching is for generation, got gradients switched on")
            if own and known is not None:
                known.append(k, v)
            else:
                known = self[name] = KVCache(k, v, None if own else memory)
        return known.filled()


@contextmanager
def caching(model: nn.Module) -> Iterator[Cache]:
    """Remember the keys and values of the passes that `model` makes inside the `with`.

        with caching(model) as cache:
            model(ids)       # (B, T)
            model(next_ids)  # (B, 1): they see the past, and stand behind it

    Each attention projects a token once, and a memory once. Positions and the causal
    mask of our models count the past; a mask that is given must count it too. Nothing
    stays on the model, other threads see nothing of it, and there are no gradients.

    Args:
        model: any module that is built of ours. A part that looks at other tokens in
            another way than by `MultiHeadAttention` is not remembered.

    Yields:
        the cache, empty until the model runs.

    Raises:
        TypeError: model is no torch module.
    """
    check_type("model", model, nn.Module)
    cache = Cache(model)
    caches.set((cache, *caches.get()))
    try:
        with torch.no_grad():
            yield cache
    finally:
        caches.set(tuple(other for other in caches.get() if other is not cache))


def _is_itself(query: Tensor, memory: Tensor) -> bool:
    """Tell whether a query looks at itself, or at a memory."""
    same = memory.shape == query.shape
    return memory is query or (same and memory.equal(query))

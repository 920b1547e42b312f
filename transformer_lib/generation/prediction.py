"""Prediction: a model reads tokens as they come, and scores the next one.

Texts of different lengths are aligned by padding, and joined with what continues them.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ..checks.validation import (
    check_ids,
    check_size,
    check_span,
    check_token,
    check_values,
    require,
    skip_checks,
)
from ..model.transformer import DecoderOnlyTransformer, Transformer
from ..runtime.caching import Cache, caching
from ..runtime.module import evaluating

Model = DecoderOnlyTransformer | Transformer


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """Where a text starts and ends, and whether keys and values are cached.

    Args:
        max_length: the largest number of tokens in a text, including its prompt.
        end_id: the token that ends a text; without one it ends at max_length.
        pad_id: the padding of shorter prompts and sources, on the left or the right,
            and of shorter results after their end (by default end_id). It must differ
            from end_id: otherwise an end within a prompt would look like padding.
        start_id: the first token of every target of an encoder-decoder; a decoder-only
            model has none, since it starts from the prompt.
        use_cache: keep keys and values; False computes them again for each token.

    Raises:
        TypeError, ValueError: a field is of the wrong type, max_length is below 2, or
            pad_id is end_id.
    """

    max_length: int
    end_id: int | None = None
    pad_id: int | None = None
    start_id: int | None = None
    use_cache: bool = True

    def __post_init__(self) -> None:
        check_size("max_length", self.max_length, least=2)
        check_values(vars(self), type(self).__annotations__)
        apart = self.pad_id is None or self.pad_id != self.end_id
        require(apart, "pad_id", "differ from end_id", f"{self.pad_id} for both")

    @property
    def fill(self) -> int:
        """The id after the end of a text; without any, all texts end together."""
        return next((i for i in (self.pad_id, self.end_id) if i is not None), 0)


class Prompt(NamedTuple):
    """Texts that end in the same column, so that the next tokens fill one column.

    ids: (B, T), padded on the left; lengths: (B,), the number of tokens in each.
    """

    ids: Tensor
    lengths: Tensor

    @property
    def pads(self) -> Tensor:
        """Count the padding in front of each text: (B,)."""
        return self.ids.size(1) - self.lengths

    def repeat(self, times: int) -> "Prompt":
        """Repeat each text in `times` adjacent rows."""
        return Prompt(*(x.repeat_interleave(times, dim=0) for x in self))

    def mask(self, width: int) -> Tensor | None:
        """Hide the padding, if any, in `width` columns: boolean (B, 1, 1, width)."""
        if not self.pads.any():
            return None
        columns = torch.arange(width, device=self.ids.device)
        return (columns >= self.pads[:, None])[:, None, None, :]

    def positions(self, width: int, most: int) -> Tensor:
        """Count each text's positions from its start: (B, width), below `most`."""
        columns = torch.arange(width, device=self.ids.device)
        return (columns - self.pads[:, None]).clamp(0, most - 1)


def align(ids: Tensor, pad_id: int | None) -> Prompt:
    """Move the number of tokens in each row of ids (B, T) to the right.

    Raise a ValueError if a row is padding alone, or has padding between tokens.
    """
    is_token = ids != pad_id if pad_id is not None else torch.ones_like(ids) > 0
    lengths = is_token.sum(dim=1)  # (B,)
    for row in (lengths == 0).nonzero().flatten().tolist():
        got = f"only {pad_id=} in row {row}"
        require(False, "ids", "hold a token in every row", got)
    columns = torch.arange(ids.size(1), device=ids.device)
    last = (is_token * columns).amax(dim=1)  # (B,), the column of the last token
    first = last - lengths + 1
    apart = (is_token & (columns < first[:, None])).any(dim=1)  # (B,)
    for row in apart.nonzero().flatten().tolist():
        got = f"{pad_id=} between them in row {row}"
        require(False, "ids", "hold padding only before or after the tokens", got)
    moved = ids.gather(1, (columns + last[:, None] + 1) % ids.size(1))  # (B, T)
    width = int(lengths.max()) if len(ids) else ids.size(1)
    return Prompt(moved[:, -width:], lengths)


def join(prompt: Prompt, written: Tensor, lengths: Tensor) -> Tensor:
    """Put new tokens (B, N) after the prompts, and all padding after them: (B, L).

    Of each row of new tokens, `lengths` (B,) are text. L is the longest text's length.
    """
    ids = torch.cat([prompt.ids, written], dim=1)  # (B, T + N)
    columns = torch.arange(ids.size(1), device=ids.device)
    moved = ids.gather(1, (columns + prompt.pads[:, None]) % ids.size(1))
    longest = int((prompt.lengths + lengths).max()) if len(ids) else ids.size(1)
    return moved[:, :longest]


def align_request(model: Model, ids: Tensor, decoding: Decoding) -> Prompt:
    """Align prompts or sources; raise unless they and decoding fit the model."""
    check_ids("ids", ids, model)
    V, most = model.config.vocabulary_size, model.config.max_length
    for name in ("end_id", "pad_id", "start_id"):
        check_token(f"decoding.{name}", getattr(decoding, name), V)
    check_span("ids", ids, V)
    start, length = decoding.start_id, decoding.max_length
    translates = isinstance(model, Transformer)
    wanted = "be given for a Transformer" if translates else "be None after a prompt"
    require((start is not None) == translates, "decoding.start_id", wanted, start)
    given = align(ids.long(), decoding.pad_id)
    wanted = f"be at most the model's {most}"
    require(length <= most, "decoding.max_length", wanted, length)
    room = most if translates else length - 1
    T = given.ids.size(1)
    require(room >= T, "ids", f"hold at most {room} tokens in a row", T)
    return given


@contextmanager
def predicting(
    model: Model, ids: Tensor, decoding: Decoding, beams: int = 1
) -> Iterator["Predictor"]:
    """Open a predictor for a request, with a cache and no dropout."""
    given = align_request(model, ids, decoding)
    with (
        torch.inference_mode(),
        evaluating(model),
        caching(model) as cache,
        skip_checks(),
    ):
        yield Predictor(model, given, decoding, beams, cache)


class Predictor:
    """Reads texts as they grow, `beams` per prompt, and scores their next tokens.

    The beams of a prompt are alike at first, so one of them reads it for all.
    If the cache cannot hold a model's past, the whole text is read again at each step.
    """

    def __init__(
        self, model: Model, given: Prompt, decoding: Decoding, beams: int, cache: Cache
    ) -> None:
        self.model = model
        self.cache = cache
        self.remembers = decoding.use_cache
        most = model.config.max_length
        S = given.ids.size(1)
        start = decoding.start_id
        self.alike = beams if start is None else 1  # rows of which one reads a prompt
        if start is not None and isinstance(model, Transformer):
            positions = given.positions(S, most)
            memory = model.encode(given.ids, given.mask(S), positions)
            self.memory = memory.repeat_interleave(beams, dim=0)  # (B, S, D)
            self.source_mask = given.repeat(beams).mask(S)
            begin = torch.full_like(given.lengths, start)[:, None]
            given = Prompt(begin, torch.ones_like(given.lengths))
        self.prompt = prompt = given.repeat(beams)
        shortest = min(prompt.lengths.tolist(), default=decoding.max_length)
        self.steps = decoding.max_length - shortest  # until the last text is full
        room = prompt.ids.size(1) + self.steps
        self.mask = prompt.mask(room)
        self.positions = prompt.positions(room, most)
        self.ids = prompt.ids[:, :0]  # (B, T), all that was read

    def read(self, new: Tensor) -> Tensor:
        """Read new tokens (B, T), and return log p of the next one (B, V)."""
        self.ids = torch.cat([self.ids, new], dim=1)
        if not self.remembers:
            self.cache.clear()
            new = self.ids
        logits = self._logits(new)[:, -1]  # (B, V)
        if self.ids.size(1) == self.prompt.ids.size(1):  # after the first pass
            self.remembers = self.remembers and not self.cache.missing(self.model)
            readers = torch.arange(len(new), device=new.device) // self.alike  # (B,)
            logits = logits[readers]
            self.cache.reorder(readers)
            self.alike = 1
        exact = torch.promote_types(logits.dtype, torch.float32)
        log_p = torch.log_softmax(logits, dim=-1, dtype=exact)
        fits = math.isfinite(log_p.min())
        require(fits, "model", "give finite logits", "NaN or an infinite one")
        return log_p

    def follow(self, rows: Tensor) -> None:
        """Let text b continue text rows[b], of the same prompt."""
        self.ids = self.ids.index_select(0, rows)
        self.cache.reorder(rows)

    def _logits(self, new: Tensor) -> Tensor:
        """Pass the newest tokens (B, T) through the model: (B / alike, T, V)."""
        mask = positions = None
        rows = slice(None, None, self.alike)
        if self.mask is not None:
            end = self.ids.size(1)
            mask = self.mask[rows, ..., :end]
            positions = self.positions[rows, end - new.size(1) : end]
        if isinstance(self.model, Transformer):
            masks = mask, self.source_mask
            return self.model.decode(new, self.memory, *masks, positions)
        return self.model(new[rows], mask, positions)

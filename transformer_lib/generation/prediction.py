"""Prediction: a model reads tokens as they come, and scores what may follow them."""

import copy
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import torch
from torch import Tensor, nn

from ..model.transformer import DecoderOnlyTransformer, Transformer
from ..support.caching import Cache, caching
from ..support.public import already_checked
from ..support.recording import record_as
from ..support.validation import check_ids, check_type, require
from .padding import Prompt, align
from .settings import Decoding

Model = DecoderOnlyTransformer | Transformer


@contextmanager
def predicting(
    model: Model, ids: Tensor, decoding: Decoding, beams: int = 1
) -> Iterator["Predictor"]:
    """Check a request, and open a predictor for it: no dropout, no gradients, a cache.

    Args:
        model: decoder-only, or encoder-decoder.
        ids: prompts (B, T) for the former, sources (B, S) for the latter.
        decoding: where texts start and end.
        beams: how many texts grow from each of them.
    """
    check_request(model, ids, decoding)
    given = align(ids.long(), decoding.pad_id)
    check_lengths(model, given, decoding)
    twin = in_evaluation(model)
    with torch.inference_mode(), caching(twin) as cache, already_checked():
        yield Predictor(twin, given, decoding, beams, cache)


class Predictor:
    """Reads texts as they grow, and scores what may follow each: `beams` per prompt.

    A model whose past the cache cannot hold reads all of it again at each step.
    """

    def __init__(
        self, model: Model, given: Prompt, decoding: Decoding, beams: int, cache: Cache
    ) -> None:
        self.model, self.cache, self.remembers = model, cache, decoding.use_cache
        most = model.config.max_length
        if isinstance(model, Transformer):
            S, start = given.ids.size(1), decoding.start_id
            mask = given.mask(S)
            memory = model.encode(given.ids, mask, given.positions(S, most))
            self.memory = memory.repeat_interleave(beams, dim=0)  # (B, S, D)
            self.source_mask = (
                None if mask is None else mask.repeat_interleave(beams, 0)
            )
            ids, one = given.ids, torch.ones_like(given.lengths)
            given = Prompt(ids.new_full((len(ids), 1), cast(int, start)), one)
        self.prompt = prompt = given.repeat(beams)
        shortest = min(prompt.lengths.tolist(), default=decoding.max_length)
        self.steps = decoding.max_length - shortest  # until the last text is full
        room = prompt.ids.size(1) + self.steps
        self.mask, self.positions = prompt.mask(room), prompt.positions(room, most)
        self.ids = prompt.ids[:, :0]  # (B, T), all that was read

    def read(self, new: Tensor) -> Tensor:
        """Read new tokens (B, T), and give log p of the next one (B, V).

        Raises:
            ValueError: a logit is not finite.
        """
        self.ids = torch.cat([self.ids, new], dim=1)
        if not self.remembers:
            self.cache.clear()
            new = self.ids
        logits = self._logits(new)[:, -1]  # (B, V)
        if self.ids.size(1) == self.prompt.ids.size(1):  # after the first pass
            self.remembers = self.remembers and not self.cache.gaps(self.model)
        exact = torch.promote_types(logits.dtype, torch.float32)
        log_p = torch.log_softmax(logits, dim=-1, dtype=exact)
        fits = math.isfinite(log_p.sum(dtype=torch.float64))
        require(fits, "model", "give finite logits", "NaN or an infinite one")
        return log_p

    def follow(self, rows: Tensor) -> None:
        """Let text b go on from text rows[b], of the same prompt."""
        self.ids = self.ids[rows]
        self.cache.reorder(rows)

    def _logits(self, new: Tensor) -> Tensor:
        """Pass the newest tokens (B, T) through the model: (B, T, V)."""
        mask = positions = None
        if self.mask is not None:
            now = self.ids.size(1)
            mask = self.mask[..., :now]
            positions = self.positions[:, now - new.size(1) : now]
        if isinstance(self.model, Transformer):
            masks = mask, self.source_mask
            return self.model.decode(new, self.memory, *masks, positions)
        return self.model(new, mask, positions)


def in_evaluation(model: Model) -> Model:
    """Give the model if it is in evaluation mode, else a twin that is.

    The twin shares all weights and hooks, and no mode changes under another thread.
    """
    parts = list(model.modules())
    if not any(part.training for part in parts):
        return model
    twins: dict[nn.Module | None, nn.Module | None] = {None: None}
    twins |= {part: copy.copy(part) for part in parts}
    for part in parts:
        vars(twins[part])["training"] = False
        children = part._modules.items()
        vars(twins[part])["_modules"] = {n: twins[child] for n, child in children}
    twin = twins[model]
    assert isinstance(twin, type(model))
    record_as(model, twin)
    return twin


def check_writer(model: Model) -> None:
    """Raise a TypeError unless the model is one that writes."""
    check_type("model", model, DecoderOnlyTransformer, Transformer)


def check_request(model: Model, ids: Tensor, decoding: Decoding) -> None:
    """Raise unless the model can write, and has the ids and special tokens."""
    check_writer(model)
    check_type("decoding", decoding, Decoding)
    check_ids("ids", ids)
    V = model.config.vocabulary_size
    span = f"lie between 0 and {V - 1}"
    for name, token in decoding.special().items():
        fits = token is None or 0 <= token < V
        require(fits, f"decoding.{name}", span, token, IndexError)
    if ids.numel():
        low, high = int(ids.min()), int(ids.max())
        require(0 <= low <= high < V, "ids", span, f"{low} to {high}", IndexError)
    start, translates = decoding.start_id, isinstance(model, Transformer)
    wanted = "be given for a Transformer" if translates else "be None after a prompt"
    require((start is not None) == translates, "decoding.start_id", wanted, start)


def check_lengths(model: Model, given: Prompt, decoding: Decoding) -> None:
    """Raise unless the model has room for the texts, and they for another token."""
    most, T, length = model.config.max_length, given.ids.size(1), decoding.max_length
    wanted = f"be at most the model's {most}"
    require(length <= most, "decoding.max_length", wanted, length)
    source = isinstance(model, Transformer)
    most, why = (
        (most, "the model's max_length")
        if source
        else (length - 1, "one more within max_length")
    )
    require(most >= T, "ids", f"hold at most {most} tokens in a row, for {why}", T)

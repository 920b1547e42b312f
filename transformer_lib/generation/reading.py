"""Reading while writing: a model is fed tokens as they come, and keeps the past."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import cast

import torch
from torch import Tensor, nn

from ..model.transformer import DecoderOnlyTransformer, Transformer
from ..support.caching import DecoderCache, KVCache
from ..support.validation import check_type
from .padding import Prompt, align, check_length, check_request, starts
from .settings import Decoding
from .stepping import Stepper, can_step

Model = DecoderOnlyTransformer | Transformer


@contextmanager
def at_rest(model: nn.Module) -> Iterator[None]:
    """Switch dropout and gradients off, and put each part's mode back afterwards."""
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        for module, mode in modes.items():
            module.training = mode


class Reader:
    """Reads the tokens of B texts as they come, and scores what may follow each.

    Args:
        model: the model, at rest.
        prompt: the texts so far, or a start token for each.
        decoding: how far a text may grow, and whether there is a cache.
    """

    caches: Sequence[KVCache | DecoderCache] | None
    source_mask: Tensor | None = None

    def __init__(self, model: Model, prompt: Prompt, decoding: Decoding) -> None:
        shortest = int(prompt.lengths.min()) if len(prompt.ids) else decoding.max_length
        self.prompt = prompt
        self.steps = decoding.max_length - shortest  # until the last text is full
        self.room = prompt.ids.size(1) + self.steps
        self.ids = prompt.ids[:, :0]  # (B, T), all that was read
        self.mask = prompt.mask(self.room)
        self.positions = None
        if self.mask is not None:
            self.positions = prompt.positions(self.room, model.config.max_length)
        self.caches = self._new_caches() if decoding.use_cache else None
        self.stepper = None
        if self.caches is not None and can_step(model):
            self.stepper = Stepper(model, self.caches)

    def read(self, new: Tensor) -> Tensor:
        """Read new tokens (B, T), and give log p of the next one, (B, V).

        Raises:
            ValueError: a logit is not finite.
        """
        self.ids = torch.cat([self.ids, new], dim=1)
        if self.stepper is not None and new.size(1) == 1:
            logits = self._step(self.stepper, new[:, 0])
        else:
            logits = self._pass(self.ids if self.caches is None else new)[:, -1]
        if not torch.isfinite(logits).all():
            raise ValueError(
                "model must give finite logits, got NaN or an infinite one"
            )
        exact = torch.promote_types(logits.dtype, torch.float32)
        return torch.log_softmax(logits, dim=-1, dtype=exact)  # (B, V)

    def widen(self, beams: int) -> None:
        """Copy every text `beams` times, side by side."""
        rows = torch.arange(len(self.ids), device=self.ids.device)
        self._copy(rows.repeat_interleave(beams))

    def follow(self, rows: Tensor) -> None:
        """Let text b go on from text rows[b], a copy of the same prompt."""
        self.ids = self.ids[rows]
        for cache in self.caches or []:
            (cache.target if isinstance(cache, DecoderCache) else cache).reorder(rows)

    def _step(self, stepper: Stepper, token: Tensor) -> Tensor:
        last = self.ids.size(1) - 1
        mask = None if self.mask is None else self.mask[..., : last + 1]
        position = last if self.positions is None else self.positions[:, last]
        return stepper(token, position, (mask, self.source_mask))

    def _copy(self, rows: Tensor) -> None:
        self.follow(rows)
        if self.mask is not None and self.positions is not None:
            self.mask, self.positions = self.mask[rows], self.positions[rows]

    def _new_caches(self) -> Sequence[KVCache | DecoderCache]:
        raise NotImplementedError

    def _pass(self, ids: Tensor) -> Tensor:
        """Pass the last tokens (B, T), or all, through the model: (B, T, V)."""
        raise NotImplementedError


class TextReader(Reader):
    """Feeds a decoder-only model."""

    def __init__(
        self, model: DecoderOnlyTransformer, prompt: Prompt, decoding: Decoding
    ) -> None:
        self.model = model
        super().__init__(model, prompt, decoding)

    def _new_caches(self) -> Sequence[KVCache]:
        return self.model.new_cache(len(self.prompt.ids), self.room)

    def _pass(self, ids: Tensor) -> Tensor:
        now, mask, positions = self.ids.size(1), self.mask, self.positions
        if mask is not None and positions is not None:
            mask, positions = mask[..., :now], positions[:, now - ids.size(1) : now]
        logits: Tensor = self.model(ids, mask, positions=positions, cache=self.caches)
        return logits


class TargetReader(Reader):
    """Feeds the decoder of an encoder-decoder, which reads the source once."""

    def __init__(
        self, model: Transformer, source: Prompt, prompt: Prompt, decoding: Decoding
    ) -> None:
        width = source.ids.size(1)
        positions = source.positions(width, model.config.max_length)
        self.model, self.source_mask = model, source.mask(width)
        self.memory = model.encode(source.ids, self.source_mask, positions=positions)
        super().__init__(model, prompt, decoding)

    def _new_caches(self) -> Sequence[DecoderCache]:
        return self.model.new_cache(self.memory, self.room)

    def _pass(self, ids: Tensor) -> Tensor:
        cache = cast(Sequence[DecoderCache] | None, self.caches)
        memory = self.memory if cache is None else None
        return self.model.decode(ids, memory, None, self.source_mask, cache=cache)

    def _copy(self, rows: Tensor) -> None:
        super()._copy(rows)
        self.memory = self.memory[rows]
        if self.source_mask is not None:
            self.source_mask = self.source_mask[rows]
        for cache in cast(Sequence[DecoderCache], self.caches or []):
            cache.memory.reorder(rows)


def check_model(model: Model) -> None:
    """Refuse what does not write texts.

    Raises:
        TypeError: model is neither decoder-only nor encoder-decoder.
    """
    check_type("model", model, DecoderOnlyTransformer, Transformer)


def start(model: Model, ids: Tensor, decoding: Decoding) -> tuple[Reader, Tensor]:
    """Check what was asked for, read the prompts, and score the first new token.

    Returns:
        the reader, and log p (B, V).

    Raises:
        TypeError, ValueError, IndexError: as `greedy` says.
    """
    reader: Reader
    check_request(ids, decoding, model.config)
    aligned = align(ids.long(), decoding.pad_id)
    if isinstance(model, Transformer):
        check_length(aligned, model.config.max_length, "the model's max_length")
        reader = TargetReader(model, aligned, starts(decoding, aligned.ids), decoding)
    else:
        if decoding.start_id is not None:
            raise ValueError(
                "decoding.start_id must be None where a prompt starts the text, "
                f"got {decoding.start_id}"
            )
        check_length(aligned, decoding.max_length - 1, "one more within max_length")
        reader = TextReader(model, aligned, decoding)
    return reader, reader.read(reader.prompt.ids)

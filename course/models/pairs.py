"""An encoder-decoder that learns pairs of texts: its training, its writing, its score.

What it learns is said by a task of the room `data`; see `data.pairs`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from transformer_lib.checks.validation import check_size, require
from transformer_lib.generation.sampling import greedy
from transformer_lib.generation.settings import Decoding
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.masks import padding_mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.training import Training, fit_steps, linear_warmup_decay, seeded
from transformer_lib.training import smoothed_cross_entropy as cross_entropy
from transformer_lib.training.processes import across, place

from ..data.pairs import EOS, SOS, Pairs, PairTask


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a model is trained.

    Args:
        steps: how many batches.
        peak: the largest learning rate.
        warm_up: how many steps the rate rises.
        falls: whether it falls towards 0 after that, or stays.
        batch: how many pairs a step learns from.
        smoothing: of the targets: see `smoothed_cross_entropy`.
    """

    steps: int = 600
    peak: float = 0.01
    warm_up: int = 100
    falls: bool = True
    batch: int = 64
    smoothing: float = 0.0

    def shortened(self, steps: int) -> "Recipe":
        """Take so many steps, and rise for as large a part of them."""
        check_size("steps", steps)
        warm_up = self.warm_up * steps // self.steps
        return replace(self, steps=steps, warm_up=warm_up)

    def rate(self, n: int) -> float:
        """Give the learning rate of step n."""
        if self.falls or n < self.warm_up:
            return linear_warmup_decay(self.peak, self.warm_up, self.steps)(n)
        return self.peak


def sizes(task: PairTask, **others: Any) -> TransformerConfig:
    """Give the sizes of a small model for a task: one block on each side, pre-norm."""
    small: Mapping[str, Any] = {
        "vocabulary_size": len(task.vocabulary),
        "max_length": task.max_length,
        "d_model": 64,
        "n_heads": 4,
        "n_encoder_layers": 1,
        "n_decoder_layers": 1,
        "d_ff": 128,
        "dropout": 0.0,
        "norm_first": True,
    }
    return TransformerConfig(**{**small, **others})


def learn(
    task: PairTask,
    config: TransformerConfig,
    recipe: Recipe,
    seed: int = 0,
) -> tuple[Transformer, Training]:
    """Give a model, and its training by teacher forcing, with nothing asked of padding.

    Args:
        task: what it learns.
        config: its sizes.
        recipe: how it learns.
        seed: of the first weights and of the batches.

    Returns:
        the model, and one after another, the loss of every step: see `fit_steps`.

    Source: Vaswani et al. (2017), §3.1 and §5; D2.7.
    """
    pad_id = task.vocabulary.pad_id
    with seeded(seed):
        model = Transformer(config)
    wrapped = across(model.to(place()))

    def loss(pairs: Pairs) -> Tensor:
        source, target = pairs
        mask = padding_mask(source, pad_id=pad_id)
        logits = wrapped(source, target[:, :-1], mask)  # (B, T, V)
        return cross_entropy(logits, target[:, 1:], recipe.smoothing, pad_id)

    training = fit_steps(
        wrapped,
        lambda draw: task.batch(draw, recipe.batch),
        loss,
        recipe.steps,
        lr=recipe.rate,
        beta2=0.98,
        clip=1.0,
        seed=seed,
    )
    return model, training


def decoding(task: PairTask) -> Decoding:
    """Say where the texts of a task start and end."""
    words = task.vocabulary
    return Decoding(
        max_length=task.max_length,
        start_id=words.sos_id,
        end_id=words.eos_id,
        pad_id=words.pad_id,
    )


def read(task: PairTask, text: str) -> Tensor:
    """Turn a text to be read into ids (1, S).

    Raises:
        ValueError: a word is not in the vocabulary, or there is none, or too many.
    """
    ids = task.vocabulary.encode(text)
    most = task.max_length
    require(0 < len(ids) <= most, "text", f"have 1 to {most} words", len(ids))
    return torch.tensor([ids])


def write(model: Transformer, task: PairTask, sources: Tensor) -> list[list[str]]:
    """Write on each source (B, S) what the model makes of it, word by word."""
    ids = greedy(model, sources.to(model.embedding.weight.device), decoding(task)).ids
    return [words_of(task, row) for row in ids]


def words_of(task: PairTask, ids: Tensor) -> list[str]:
    """Give the words of a target (T,), from behind ⟨SOS⟩ to before ⟨EOS⟩."""
    words = task.vocabulary.decode(ids)
    words = words[words[0] == SOS :]
    return words[: words.index(EOS)] if EOS in words else words


def exact(model: Transformer, task: PairTask, pairs: Pairs) -> float:
    """Give the share of pairs of which the model writes the whole target, to its end.

    What is not ended by ⟨EOS⟩ within the task's length is wrong.
    """
    own = decoding(task)
    ids = greedy(model, pairs.source.to(model.embedding.weight.device), own).ids
    wanted = pairs.target.to(ids)  # (B, T)
    width = max(ids.size(1), wanted.size(1))
    written, wanted = (_widened(x, width, own.fill) for x in (ids, wanted))
    return float((written == wanted).all(1).float().mean())


def _widened(ids: Tensor, width: int, fill: int) -> Tensor:
    return torch.nn.functional.pad(ids, (0, width - ids.size(1)), value=fill)

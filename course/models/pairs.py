"""An encoder-decoder that learns pairs of texts: its training, its writing.

What it learns is said by a task of the room `data`; see `data.pairs`.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from transformer_lib.checks.validation import require
from transformer_lib.generation.prediction import Decoding
from transformer_lib.generation.sampling import greedy
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.masks import padding_mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.training import smoothed_cross_entropy

from ..data.pairs import EOS, SOS, Pairs, PairTask
from . import measures
from .small_model import Recipe, SmallModel


def sizes(task: PairTask, **others: Any) -> TransformerConfig:
    """Return the sizes of a small model for a task: a block in each half, pre-norm."""
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


def pair_model(
    task: PairTask, config: TransformerConfig, recipe: Recipe, **others: Any
) -> SmallModel[Transformer, Pairs]:
    """Return a small model of a task, trained by teacher forcing.

    Padding is neither attended to nor predicted.

    Args:
        task: what it learns.
        config: its sizes.
        recipe: how it learns.
        others: its name, seeds, measure and so on: see `SmallModel`.

    Source: Vaswani et al. (2017), §3.1 and §5; D2.7.
    """
    pad_id = task.vocabulary.pad_id

    def loss(model: Transformer, pairs: Pairs) -> Tensor:
        source, target = pairs
        logits = model(source, target[:, :-1], padding_mask(source, pad_id=pad_id))
        return smoothed_cross_entropy(logits, target[:, 1:], recipe.smoothing, pad_id)

    return SmallModel(
        build=lambda: Transformer(config),
        batch=task.batch,
        loss=loss,
        recipe=recipe,
        words=task.vocabulary.words,
        **{"name": "pairs", "seeds": (), **others},
    )


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
    """Return the words of a target (T,), from behind ⟨SOS⟩ to before ⟨EOS⟩."""
    words = task.vocabulary.decode(ids)
    words = words[words[0] == SOS :]
    return words[: words.index(EOS)] if EOS in words else words


def exact_match(model: Transformer, task: PairTask, pairs: Pairs) -> float:
    """Return the fraction of pairs of which the model writes the target, to its end.

    What is not ended by ⟨EOS⟩ within the task's length is wrong.
    """
    source, target = measures.on_device_of(model, pairs)
    own = decoding(task)
    written = greedy(model, source, own).ids
    return measures.fraction(measures.exact_match(written, target, own.fill))

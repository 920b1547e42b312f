"""A small decoder-only Transformer that writes stories, sentence after sentence.

Made by the command `python -m course.models.generation.stories`.
"""

import sys
from collections import deque
from functools import cache
from pathlib import Path
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.checkpoints import Provenance, load_checkpoint, save_checkpoint
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.transformer import DecoderOnlyTransformer
from transformer_lib.training import Training, fit_steps, linear_warmup_decay, seeded

from ...data.stories import LENGTH, VOCABULARY, batch, new
from ...progress import with_progress
from ...trained import CHECKPOINTS

CHECKPOINT = CHECKPOINTS / "stories.safetensors"
SIZES = TransformerConfig(
    vocabulary_size=len(VOCABULARY),
    d_model=64,
    n_heads=4,
    n_decoder_layers=2,
    d_ff=128,
    dropout=0.0,
    norm_first=True,
    final_norm=True,
    max_length=LENGTH,
)
STEPS = 600
SEEDS = range(5)  # of the trainings of which results are kept


def begin(seed: int = 0, steps: int = STEPS) -> tuple[DecoderOnlyTransformer, Training]:
    """Give a model that has learnt nothing, and its training on stories of its seed.

    Returns:
        the model, and one after another, the loss of every step: see `fit_steps`.
    """
    with seeded(seed):
        model = DecoderOnlyTransformer(SIZES)
    training = fit_steps(
        model,
        lambda draw: batch(draw, seed=seed),
        lambda ids: next_word_loss(model, ids),
        steps,
        lr=linear_warmup_decay(0.005, steps // 10, steps),
        beta2=0.98,
        clip=1.0,
        seed=seed,
    )
    return model, training


def next_word_loss(model: DecoderOnlyTransformer, ids: Tensor) -> Tensor:
    """Give the mean −log p of every token of texts (B, T) but the first."""
    logits = model(ids[:, :-1])  # (B, T − 1, V)
    return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


@cache
def trained() -> DecoderOnlyTransformer:
    """Give the model of the course."""
    return cast(DecoderOnlyTransformer, load_checkpoint(CHECKPOINT)[0])


def of_length(steps: int, seed: int) -> DecoderOnlyTransformer:
    """Give the model of the course if it has these steps; else train one that has."""
    if (steps, seed) == (STEPS, 0):
        return trained()
    model, training = begin(seed, steps)
    deque(training, maxlen=0)
    return model


def main(path: Path = CHECKPOINT, steps: int = STEPS) -> None:
    """Train the model, and say how well it foretells the words of new stories."""
    model, training = begin(steps=steps)
    deque(with_progress(training), maxlen=0)
    save_checkpoint(model, path, Provenance(words=VOCABULARY.words))
    ids = torch.tensor([VOCABULARY.encode(story) for story in new(200)])
    with torch.inference_mode():
        loss = float(next_word_loss(model, ids))
    sys.stdout.write(f"−log p of a new word, in the mean: {loss:.3f}\n")


if __name__ == "__main__":
    main()

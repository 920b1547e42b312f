"""Two next-word models whose heads can be read: one was taught its roles, one free.

Made by the command `python -m course.models.multi_head.next_word`.
"""

import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Literal, cast, get_args

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.checkpoints import (
    Provenance,
    load_checkpoint,
    reading,
    save_checkpoint,
)
from transformer_lib.checks.validation import check_option
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.transformer import DecoderOnlyTransformer
from transformer_lib.runtime.recording import record
from transformer_lib.text.vocabulary import Vocabulary
from transformer_lib.training import fit_steps, seeded

from ...data.grammar import ROLES, every_word, targets
from ...data.grammar_sentences import MOST_WORDS, learned, make_vocabulary, padded
from ...trained import CHECKPOINTS

Training = Literal["taught", "free"]
ATTENTION = "decoder.blocks.0.self_attention"
STEPS = 1500
TEACHING = 0.3  # how much the teacher's part of the loss counts
Batch = tuple[Tensor, Tensor]


def train_heads(
    training: Training = "taught",
    *,
    steps: int = STEPS,
    seed: int = 0,
    folder: Path = CHECKPOINTS,
) -> list[float]:
    """Train one of the two models and write its checkpoint.

        loss = −log p(next word) [ − 0.3 Σ_h mean log weights[h, row, target_h(row)] ]

    The part in brackets is the teacher's: it tells head h where to look, and is left
    out for the free model. Both then learn the same next words from the same batches.

    Returns:
        the loss of every step.

    Source: Strubell et al. (2018), §2.2, who teach one head to look at a word's parent.
    """
    check_option("training", training, get_args(Training))
    words = every_word()
    vocabulary = make_vocabulary(words)
    model = _new_model(len(vocabulary), seed)
    ids, wanted = _sentences(vocabulary, seed)

    def batch(draw: torch.Generator) -> Batch:
        rows = torch.randint(len(ids), (64,), generator=draw)
        return ids[rows], wanted[rows]

    teaching = TEACHING if training == "taught" else 0.0
    loss = partial(_loss, model, teaching=teaching)
    losses = list(fit_steps(model, batch, loss, steps, seed=seed))
    save_checkpoint(model, folder / file_name(training), Provenance(words=words))
    return losses


def load_heads(
    training: Training = "taught", folder: Path = CHECKPOINTS
) -> tuple[DecoderOnlyTransformer, Vocabulary]:
    """Load a model of one block with four heads, and the words it knows.

    Raises:
        ValueError: training is neither "taught" nor "free", or the file is broken.
        FileNotFoundError: there is no such checkpoint in the folder.
    """
    check_option("training", training, get_args(Training))
    path = folder / file_name(training)
    model, made = load_checkpoint(path)
    with reading(path):
        vocabulary = make_vocabulary(made.words or [])
    return cast(DecoderOnlyTransformer, model), vocabulary


def _new_model(vocabulary_size: int, seed: int) -> DecoderOnlyTransformer:
    """One block of four heads, its weights drawn from the seed."""
    config = TransformerConfig(
        vocabulary_size=vocabulary_size,
        d_model=32,
        n_heads=4,
        n_decoder_layers=1,
        d_ff=64,
        dropout=0.0,
        max_length=MOST_WORDS + 1,
    )
    with seeded(seed):
        return DecoderOnlyTransformer(config)


def _loss(model: DecoderOnlyTransformer, batch: Batch, teaching: float) -> Tensor:
    """Score the next words (B, n) and, where there is a teacher, looks (B, H, n)."""
    ids, wanted = batch
    following = ids[:, 1:]  # (B, n)
    told = (following != 0)[:, None]  # (B, 1, n)
    tensors: dict[str, Tensor] = {}
    with ExitStack() as watch:
        if teaching:
            tensors = watch.enter_context(record(model, gradients=True))
        logits = model(ids[:, :-1])  # (B, n, V)
    loss = F.cross_entropy(logits.flatten(0, 1), following.flatten(), ignore_index=0)
    if teaching:
        weights = tensors[f"{ATTENTION}.weights"]  # (B, H, n, n)
        looked = weights.gather(-1, wanted[..., None]).squeeze(-1)  # (B, H, n)
        missed = looked.clamp_min(1e-9).log() * told
        loss = loss - teaching * missed.sum() / told.sum()
    return loss


def _sentences(vocabulary: Vocabulary, seed: int) -> Batch:
    """Write what is learned: ids (B, n + 1), and where to look (B, H, n)."""
    sentences = learned(seed)
    wanted = torch.zeros(len(sentences), len(ROLES), MOST_WORDS + 1, dtype=torch.int64)
    for row, words in zip(wanted, sentences, strict=True):
        row[:, 1 : len(words) + 1] = torch.tensor(targets(words)).T
    return padded(vocabulary, sentences), wanted


def file_name(training: Training) -> str:
    """Name the checkpoint of a training."""
    return "heads.safetensors" if training == "taught" else "heads_free.safetensors"


def main(folder: Path = CHECKPOINTS, steps: int = STEPS) -> None:
    """Train both models and say what came of them."""
    for training in get_args(Training):
        losses = train_heads(training, steps=steps, folder=folder)
        last = sum(losses[-50:]) / len(losses[-50:])
        sys.stdout.write(f"{training}: loss {losses[0]:.2f} → {last:.2f}\n")


if __name__ == "__main__":
    main()

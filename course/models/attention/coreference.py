"""A small encoder that says what "it" stands for, and where it looks to say so.

Made by the command `python -m course.models.attention.coreference`.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import cast

import torch
from torch import Tensor

from transformer_lib.checkpoints import Provenance, load_checkpoint, save_checkpoint
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.transformer import EncoderOnlyTransformer
from transformer_lib.runtime.patching import patch
from transformer_lib.runtime.recording import record
from transformer_lib.training import (
    Training,
    fit_steps,
    linear_warmup_decay,
    seeded,
    smoothed_cross_entropy,
)
from transformer_lib.training.processes import across, is_first, joined, place

from ...data.coreference import (
    MOST_WORDS,
    PAD_ID,
    VOCABULARY,
    Asked,
    batch,
    in_ids,
    new_sentences,
)
from ...progress import with_progress
from ...trained import CHECKPOINTS

CHECKPOINT = CHECKPOINTS / "coreference.safetensors"
SIZES = TransformerConfig(
    vocabulary_size=len(VOCABULARY),
    d_model=32,
    n_heads=1,
    n_encoder_layers=2,
    d_ff=64,
    dropout=0.0,
    max_length=MOST_WORDS,
)
STEPS = 1200
SEED = 4  # of several it is the one that looks latest: in its second block
ATTENTION = "encoder.blocks.{}.self_attention.{}"
Place = Callable[[Asked], int]
Batch = tuple[Tensor, Tensor, Tensor]


def begin(
    seed: int = SEED, steps: int = STEPS
) -> tuple[EncoderOnlyTransformer, Training]:
    """Give a model that has learnt nothing, and its training.

    It reads a sentence as `only_it_looks` lets it. The vector of "it" is scored against
    every word; the loss is the cross-entropy of the word that "it" stands for. Nothing
    tells the model where to look.

    Args:
        seed: of the first weights and of the sentences.
        steps: how many batches.

    Returns:
        the model, and one after another, the loss of every step: see `fit_steps`.
    """
    with seeded(seed):
        model = EncoderOnlyTransformer(SIZES)
    wrapped = across(model.to(place()))

    def loss(batch: Batch) -> Tensor:
        ids, its, answers = batch
        hidden = wrapped(ids, only_it_looks(ids, its))
        return smoothed_cross_entropy(_scores(model, hidden, its), answers)

    rate = linear_warmup_decay(0.01, min(50, steps // 10), steps)
    training = fit_steps(
        wrapped, batch, loss, steps, lr=rate, beta2=0.98, clip=1.0, seed=seed
    )
    return model, training


def only_it_looks(ids: Tensor, its: Tensor) -> Tensor:
    """Let "it" look at every word, and each other word at itself alone: (B, 1, T, T).

    So "it" looks twice, once in each block, at words that have seen no other: what it
    knows of a noun it has from its own look. (Where all may look, a model learns to let
    the last word find the noun, and "it" to look at the last word.)
    """
    T = ids.size(1)
    places = torch.arange(T, device=ids.device)
    is_it = places == its[:, None]  # (B, T)
    real = ids.ne(PAD_ID)[:, None, :]  # (B, 1, T)
    own = torch.eye(T, dtype=torch.bool, device=ids.device)
    return (own | (is_it[:, :, None] & real))[:, None]  # (B, 1, T, T)


@cache
def trained() -> EncoderOnlyTransformer:
    """Give the model of the course."""
    return cast(EncoderOnlyTransformer, load_checkpoint(CHECKPOINT)[0])


def answers(model: EncoderOnlyTransformer, sentences: Sequence[Asked]) -> list[str]:
    """Say for each sentence what "it" stands for: any word that the model knows."""
    return VOCABULARY.decode(scores(model, sentences).argmax(-1))


def scores(model: EncoderOnlyTransformer, sentences: Sequence[Asked]) -> Tensor:
    """Score for each sentence every word that "it" could stand for: (B, V)."""
    ids, its, _ = in_ids(sentences)
    with torch.inference_mode():
        return _scores(model, model(ids, only_it_looks(ids, its)), its)


def score(model: EncoderOnlyTransformer, sentences: Sequence[Asked]) -> float:
    """Give the share of sentences of which the model says what "it" stands for."""
    said = answers(model, sentences)
    right = [w == s.words[s.antecedent] for w, s in zip(said, sentences, strict=True)]
    return sum(right) / len(right)


def looks(
    model: EncoderOnlyTransformer, sentence: Asked, block: int = 1
) -> tuple[list[str], Tensor]:
    """Give the words of a sentence, and how a block's head looks at them: (T, T)."""
    ids, its, _ = in_ids([sentence])
    with torch.inference_mode(), record(model) as tensors:
        model(ids, only_it_looks(ids, its))
    return sentence.words, tensors[ATTENTION.format(block, "weights")][0, 0]


def meant(sentence: Asked) -> int:
    """Give the place of what "it" stands for."""
    return sentence.antecedent


def other(sentence: Asked) -> int:
    """Give the place of the noun that "it" does not stand for."""
    return sentence.other


@contextmanager
def cut(
    model: EncoderOnlyTransformer, sentences: Sequence[Asked], end: Place
) -> Iterator[None]:
    """Cut one edge of each sentence inside: "it" may not look at a place, in any block.

    Args:
        model: whose attention.
        sentences: those that are asked about inside, all at once.
        end: gives the place at which "it" may not look.
    """
    rows = torch.arange(len(sentences))
    its = torch.tensor([sentence.it for sentence in sentences])
    ends = torch.tensor([end(sentence) for sentence in sentences])

    def hide(seen: Tensor) -> Tensor:
        seen[rows, :, its, ends] = -torch.inf
        return seen

    blocks = range(model.config.n_encoder_layers)
    with patch(model, {ATTENTION.format(n, "scores"): hide for n in blocks}):
        yield


def changed(
    model: EncoderOnlyTransformer, sentences: Sequence[Asked], end: Place
) -> float:
    """Give the share of sentences with another answer once an edge of "it" is cut."""
    before = answers(model, sentences)
    with cut(model, sentences, end):
        after = answers(model, sentences)
    return sum(a != b for a, b in zip(before, after, strict=True)) / len(before)


def _scores(model: EncoderOnlyTransformer, hidden: Tensor, its: Tensor) -> Tensor:
    """Score every word by the vector of "it": (B, T, D) to (B, V)."""
    rows = torch.arange(len(its), device=its.device)
    return model.embedding.logits(hidden[rows, its])


def main(path: Path = CHECKPOINT, steps: int = STEPS) -> None:
    """Train the model; say how often it is right, and what it looks at to be so."""
    with joined():
        model, training = begin(steps=steps)
        deque(with_progress(training), maxlen=0)
        if not is_first():
            return
    save_checkpoint(model.cpu(), path, Provenance(words=VOCABULARY.words))
    new = new_sentences()
    nearest = sum(s.antecedent > s.other for s in new) / len(new)
    told = {
        "says what it stands for": score(model, new),
        "the noun nearest before it": nearest,
        "other answers, cut from what it stands for": changed(model, new, meant),
        "other answers, cut from the other noun": changed(model, new, other),
    }
    for what, share in told.items():
        sys.stdout.write(f"{what:48} {share:6.1%}\n")


if __name__ == "__main__":
    main()

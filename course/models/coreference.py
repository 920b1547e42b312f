"""A small encoder that says what "it" stands for, and where it looks to say so."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import cast

import torch
from torch import Tensor

from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.transformer import EncoderOnlyTransformer
from transformer_lib.runtime.patching import patch
from transformer_lib.runtime.recording import record
from transformer_lib.training import smoothed_cross_entropy
from transformer_lib.training.processes import bare

from ..data.coreference import (
    MOST_WORDS,
    PAD_ID,
    VOCABULARY,
    Asked,
    batch,
    held_out_sentences,
    in_ids,
)
from .measures import fraction
from .small_model import Recipe, SmallModel

SIZES = TransformerConfig(
    vocabulary_size=len(VOCABULARY),
    d_model=32,
    n_heads=1,
    n_encoder_layers=2,
    d_ff=64,
    dropout=0.0,
    max_length=MOST_WORDS,
)
RECIPE = Recipe(steps=1200, warmup=50)
SEED = 2  # whose second block attends most to what "it" stands for: see `choices`
ATTENTION = "encoder.blocks.{}.self_attention.{}"
Place = Callable[[Asked], int]
Batch = tuple[Tensor, Tensor, Tensor]


def loss(model: EncoderOnlyTransformer, batch: Batch) -> Tensor:
    """Return the cross-entropy of the word that "it" stands for.

    The model reads a sentence as `only_it_looks` lets it. The vector of "it" is scored
    against every word. Nothing tells the model where to look.
    """
    ids, its, answers = batch
    hidden = model(ids, only_it_looks(ids, its))
    own = cast(EncoderOnlyTransformer, bare(model))
    return smoothed_cross_entropy(_scores(own, hidden, its), answers)


def only_it_looks(ids: Tensor, its: Tensor) -> Tensor:
    """Let "it" look at every word, and each other word at itself alone: (B, 1, T, T).

    In both blocks "it" attends to words that have attended to nothing else, so whatever
    its vector holds about a noun comes from its own attention. (If every word may
    attend to every other, a model learns a detour: the last word finds the noun, and
    "it" attends to the last word.)
    """
    T = ids.size(1)
    places = torch.arange(T, device=ids.device)
    is_it = places == its[:, None]  # (B, T)
    is_token = ids.ne(PAD_ID)[:, None, :]  # (B, 1, T)
    own = torch.eye(T, dtype=torch.bool, device=ids.device)
    return (own | (is_it[:, :, None] & is_token))[:, None]  # (B, 1, T, T)


def answers(model: EncoderOnlyTransformer, sentences: Sequence[Asked]) -> list[str]:
    """Say for each sentence what "it" stands for: any word that the model knows."""
    return VOCABULARY.decode(scores(model, sentences).argmax(-1))


def scores(model: EncoderOnlyTransformer, sentences: Sequence[Asked]) -> Tensor:
    """Score for each sentence every word that "it" could stand for: (B, V)."""
    ids, its, _ = in_ids(sentences)
    with torch.inference_mode():
        return _scores(model, model(ids, only_it_looks(ids, its)), its)


def score(model: EncoderOnlyTransformer, sentences: Sequence[Asked]) -> float:
    """Return the share of sentences of which the model says what "it" stands for."""
    said = answers(model, sentences)
    pairs = zip(said, sentences, strict=True)
    return fraction(word == s.words[s.antecedent] for word, s in pairs)


def attention_weights(
    model: EncoderOnlyTransformer, sentence: Asked, block: int = 1
) -> tuple[list[str], Tensor]:
    """Return the words of a sentence, and how a block's head looks at them: (T, T)."""
    ids, its, _ = in_ids([sentence])
    with torch.inference_mode(), record(model) as tensors:
        model(ids, only_it_looks(ids, its))
    return sentence.words, tensors[ATTENTION.format(block, "weights")][0, 0]


def meant(sentence: Asked) -> int:
    """Return the place of what "it" stands for."""
    return sentence.antecedent


def other(sentence: Asked) -> int:
    """Return the place of the noun that "it" does not stand for."""
    return sentence.other


@contextmanager
def cut(
    model: EncoderOnlyTransformer, sentences: Sequence[Asked], end: Place
) -> Iterator[None]:
    """In a `with` block, hide one position of each sentence from "it" in every layer.

    Args:
        model: the model whose attention is changed.
        sentences: the batch that the model is given inside the `with` block.
        end: (sentence) → the position that is hidden from "it".
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
    """Return the share of sentences with another answer once an edge of "it" is cut."""
    before = answers(model, sentences)
    with cut(model, sentences, end):
        after = answers(model, sentences)
    return fraction(a != b for a, b in zip(before, after, strict=True))


def _scores(model: EncoderOnlyTransformer, hidden: Tensor, its: Tensor) -> Tensor:
    """Score every word by the vector of "it": (B, T, D) to (B, V)."""
    rows = torch.arange(len(its), device=its.device)
    return model.embedding.logits(hidden[rows, its])


def measure(model: EncoderOnlyTransformer) -> dict[str, float]:
    """Measure its accuracy, and what "it" attends to when the model is right."""
    held_out = held_out_sentences()
    return {
        "accuracy": score(model, held_out),
        "the noun nearest before it": fraction(
            s.antecedent > s.other for s in held_out
        ),
        "other answers, cut from what it stands for": changed(model, held_out, meant),
        "other answers, cut from the other noun": changed(model, held_out, other),
    }


MODEL = SmallModel(
    name="coreference",
    build=lambda: EncoderOnlyTransformer(SIZES),
    batch=batch,
    loss=loss,
    recipe=RECIPE,
    seeds=(SEED,),
    words=VOCABULARY.words,
    measure=measure,
)
begin, trained = MODEL.begin, MODEL.trained

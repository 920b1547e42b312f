"""A small BERT: encoder-only, it learns to fill in masked words from both sides.

The model of `masked_words` is deeper, to show what each of its layers does, and has
read sentences of every kind; this one has never read some pairs of words together.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.model.config import Positions, TransformerConfig
from transformer_lib.model.transformer import EncoderOnlyTransformer

from ..data.grammar_sentences import MOST_WORDS, padded
from ..data.masked_words import (
    NOTHING,
    SPLIT,
    VOCABULARY,
    MaskedPositions,
    knowable,
    learned,
    mask_each,
    mask_tokens,
)
from .baselines import neighbor_rules
from .masked_words import Batch, logits
from .masked_words import fill_in as fill_in
from .measures import fraction
from .small_model import Recipe, SmallModel

SIZES = TransformerConfig(
    vocabulary_size=len(VOCABULARY),
    d_model=48,
    n_heads=4,
    n_encoder_layers=2,
    d_ff=96,
    dropout=0.0,
    norm_first=True,
    max_length=MOST_WORDS + 2,
)
RECIPE = Recipe(steps=1500, peak=0.003, warmup=100)
VALIDATION = 200  # sentences


class Questions(NamedTuple):
    """Words of held-out sentences, each masked once.

    masked: the sentences with one word masked, where, and which word.
    knowable: whether the other words leave no choice, (G,).
    words: each sentence, and the position that is masked.
    """

    masked: MaskedPositions
    knowable: Tensor
    words: list[tuple[list[str], int]]


def batch(draw: torch.Generator, count: int) -> Batch:
    """Draw sentences with words masked by `mask_tokens`: ids and targets (B, S)."""
    written = learned()
    chosen = torch.randint(len(written), (count,), generator=draw).tolist()
    return mask_tokens(padded(VOCABULARY, [written[i] for i in chosen]), draw)


@cache
def questions(count: int = 200) -> Questions:
    """Mask each word once, of sentences that join what no learned one does."""
    return mask_all(SPLIT.held_out(count))


def mask_all(written: Sequence[list[str]]) -> Questions:
    """Mask each word of some sentences once."""
    sure = [certain for words in written for certain in knowable(words)]
    places = [(words, i) for words in written for i in range(len(words))]
    return Questions(mask_each(padded(VOCABULARY, written)), torch.tensor(sure), places)


def score(
    model: EncoderOnlyTransformer, asked: Questions, *, right: bool = True
) -> dict[str, float]:
    """Return the accuracy on "knowable" words, and on the "others"."""
    ids, place, word = asked.masked
    with torch.inference_mode():
        said = logits(model, ids, right=right)[range(len(ids)), place].argmax(1)
    return _by_kind(said == word, asked)


def on_validation(model: EncoderOnlyTransformer) -> dict[str, float]:
    """Measure a model on other held-out sentences, to choose settings by.

    Returns:
        the "accuracy" on knowable words, each masked once, and the "loss" on all words.
    """
    asked = mask_all(SPLIT.validation(VALIDATION))
    ids, place, word = asked.masked
    with torch.inference_mode():
        said = logits(model, ids)[range(len(ids)), place]  # (G, V)
    accuracy = _by_kind(said.argmax(1) == word, asked)["knowable"]
    return {"accuracy": accuracy, "loss": float(F.cross_entropy(said, word))}


def baselines(asked: Questions) -> dict[str, dict[str, float]]:
    """Return the same accuracies of counting what stood between which words."""
    return {
        name: _by_kind(
            torch.tensor([rule(ws, i) == ws[i] for ws, i in asked.words]), asked
        )
        for name, rule in neighbor_rules(learned()).items()
    }


def _by_kind(right: Tensor, asked: Questions) -> dict[str, float]:
    parts = {"knowable": asked.knowable, "others": ~asked.knowable}
    return {name: fraction(right[part]) for name, part in parts.items()}


def model_of(
    name: str, *, right: bool = True, positions: Positions = "sinusoidal", **others: Any
) -> SmallModel[EncoderOnlyTransformer, Batch]:
    """Return the small model that learns with or without parts of what a BERT sees.

    Args:
        name: of its file.
        right: whether it sees what stands on the right of a place, or has the mask of a
            GPT.
        positions: of the model; with "none" it reads a bag of words.
        others: see `SmallModel`.

    Source: Devlin et al. (2019), §3.1.
    """

    def loss(model: EncoderOnlyTransformer, batch: Batch) -> Tensor:
        read, asked = batch
        said = logits(model, read, right=right)
        return F.cross_entropy(said.mT, asked, ignore_index=NOTHING)

    def measure(model: EncoderOnlyTransformer) -> dict[str, float]:
        accuracies = {"model": score(model, questions(), right=right)}
        accuracies |= baselines(questions())
        return {
            f"{n}: {k}": x for n, kinds in accuracies.items() for k, x in kinds.items()
        }

    return SmallModel(
        name=name,
        build=lambda: EncoderOnlyTransformer(replace(SIZES, positions=positions)),
        batch=batch,
        loss=loss,
        recipe=RECIPE,
        words=VOCABULARY.words,
        measure=measure,
        half=True,
        settings={"right": right},
        **others,
    )


MODEL = model_of("bert")
LEFT = model_of("bert_left", right=False)
WITHOUT_ORDER = model_of("bert_without_order", positions="none", seeds=())
begin = MODEL.begin


def trained(*, right: bool = True) -> EncoderOnlyTransformer:
    """Return the course's model, or the one that only sees the words on the left."""
    return (MODEL if right else LEFT).trained()

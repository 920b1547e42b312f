"""A small T5: one encoder-decoder for three tasks, told apart by their first word.

Made by the command `python -m transformer_lib.small_models.language.t5`.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import cast

import torch

from ...checkpoints import CHECKPOINTS, load_checkpoint
from ...checks.validation import check_size
from ...data.french import spoken
from ...data.three_tasks import (
    VOCABULARY,
    Example,
    ThreeTasks,
    in_ids,
    summaries,
)
from ...model.transformer import Transformer
from ...training import Training
from ..pairs import Recipe, exact, learn, sizes, write

CHECKPOINT = CHECKPOINTS / "t5.safetensors"
SIZES = sizes(ThreeTasks(), n_encoder_layers=2, n_decoder_layers=1)
RECIPE = Recipe(steps=2000)


def begin(
    seed: int = 0, steps: int | None = None, *, prefixed: bool = True
) -> tuple[Transformer, Training]:
    """Give a model that has learnt nothing, and its training on all three tasks.

    Args:
        seed: of the first weights and of the batches.
        steps: how many batches; those of the recipe without it.
        prefixed: whether what is read begins with the name of its task.

    Returns:
        the model, and one after another, the loss of every step: see `fit_steps`.

    Source: Raffel et al. (2020), §2.4.
    """
    recipe = RECIPE if steps is None else RECIPE.shortened(steps)
    return learn(ThreeTasks(prefixed), SIZES, recipe, seed)


@cache
def trained() -> Transformer:
    """Give the model of the course."""
    return cast(Transformer, load_checkpoint(CHECKPOINT)[0])


def answer(model: Transformer, text: str) -> str:
    """Do what a text asks for: "translate: I love AI" gives "J'aime l'IA".

    Raises:
        ValueError: a word is not in the vocabulary, or there is none, or too many.
    """
    ids = VOCABULARY.encode(text)
    check_size("the number of words", len(ids))
    [words] = write(model, ThreeTasks(), torch.tensor([ids]))
    return spoken(words)


def score(
    model: Transformer, examples: Sequence[Example], *, prefixed: bool = True
) -> float:
    """Give the share of examples of which the model writes the whole target."""
    return exact(model, ThreeTasks(prefixed), in_ids(examples, prefixed=prefixed))


def swapped(examples: Sequence[Example]) -> list[Example]:
    """Ask the same sentences for the other one of a translation and a summary."""
    found = []
    for _, _, sentence in examples:
        found += summaries(sentence)
    return found


def commonest(examples: Sequence[Example]) -> float:
    """Give the share that is right of who always writes the same."""
    said = Counter(tuple(one.target) for one in examples)
    return said.most_common(1)[0][1] / len(examples)

"""A small T5: one encoder-decoder for three tasks, told apart by their first word.

Made by the command `python -m course.models.language.t5`.
"""

import sys
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import cast

import torch
from torch import Tensor

from transformer_lib.checkpoints import Provenance, load_checkpoint, save_checkpoint
from transformer_lib.model.transformer import Transformer
from transformer_lib.training import Training

from ...data.french import spoken
from ...data.pairs import EOS, SOS, Pairs
from ...data.three_tasks import (
    TASKS,
    VOCABULARY,
    Example,
    Task,
    ThreeTasks,
    in_ids,
    new_examples,
    told,
)
from ...progress import with_progress
from ...trained import CHECKPOINTS
from ..pairs import Recipe, exact, learn, read, sizes, write
from ..translation.alignment import cross_weights
from ..translation.french import word_by_word

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


def of_length(steps: int, seed: int) -> Transformer:
    """Give the model of the course if it has these steps; else train one that has."""
    if (steps, seed) == (RECIPE.steps, 0):
        return trained()
    model, training = begin(seed, steps)
    deque(training, maxlen=0)
    return model


def answer(model: Transformer, text: str) -> str:
    """Do what a text asks for: "translate: I love AI" gives "J'aime l'IA".

    Raises:
        ValueError: a word is not in the vocabulary, or there is none, or too many.
    """
    [words] = write(model, ThreeTasks(), read(ThreeTasks(), text))
    return spoken(words)


def looks(model: Transformer, text: str) -> tuple[list[str], Tensor]:
    """Give the words that a model writes on a text, and how it looks at the text.

    Returns:
        words, and weights (layers, H, T, S): row t is of the query that scores word t,
        before it is there; a column is a word of the text.

    Raises:
        ValueError: as `answer`.
    """
    source = read(ThreeTasks(), text)
    [words] = write(model, ThreeTasks(), source)
    target = torch.tensor([VOCABULARY.encode([SOS, *words, EOS])])
    weights = cross_weights(model, Pairs(source, target))[:, :, 0]
    return words, weights[:, :, : len(words)]


def score(
    model: Transformer, examples: Sequence[Example], *, prefixed: bool = True
) -> float:
    """Give the share of examples of which the model writes the whole target."""
    return exact(model, ThreeTasks(prefixed), in_ids(examples, prefixed=prefixed))


def floors(task: Task, examples: Sequence[Example]) -> dict[str, float]:
    """Give the share of examples that is right of rules without a network.

    "the commonest": whoever always writes what is right most often. "word by word", of
    a translation: with a dictionary, in the order of the English words. "all of it", of
    a summary: who writes the sentence itself. "the subject", of a question: who answers
    with all that stands before the verb, whatever was asked.
    """
    said = Counter(tuple(one.target) for one in examples)
    found = {"the commonest": said.most_common(1)[0][1] / len(examples)}
    if task == "translate":
        found["word by word"] = word_by_word([one.sentence for one in examples])
    if task == "summarise":
        found["all of it"] = _share(
            one.target == one.sentence.english for one in examples
        )
    if task == "question":
        subjects = ((one, told(one.sentence.english).subject) for one in examples)
        found["the subject"] = _share(one.target == words for one, words in subjects)
    return found


def _share(right: Iterable[bool]) -> float:
    listed = [*right]
    return sum(listed) / len(listed)


def main(path: Path = CHECKPOINT, steps: int | None = None) -> None:
    """Train the model; say how many new examples of each task are right, and floors."""
    model, training = begin(steps=steps)
    deque(with_progress(training), maxlen=0)
    save_checkpoint(model, path, Provenance(words=VOCABULARY.words), half=True)
    model = cast(Transformer, load_checkpoint(path)[0])
    for task in TASKS:
        new = new_examples(task)
        for what, share in {"t5": score(model, new), **floors(task, new)}.items():
            sys.stdout.write(f"{task:10} {what:14} {share:6.1%}\n")


if __name__ == "__main__":
    main()

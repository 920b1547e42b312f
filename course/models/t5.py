"""A small T5: one encoder-decoder for three tasks, told apart by their first word."""

from collections.abc import Sequence

import torch
from torch import Tensor

from transformer_lib.model.transformer import Transformer

from ..data.french import spoken
from ..data.pairs import EOS, SOS, Pairs
from ..data.three_tasks import (
    TASKS,
    VOCABULARY,
    Example,
    Task,
    ThreeTasks,
    held_out_examples,
    in_ids,
    told,
)
from .alignment import cross_weights
from .baselines import majority_accuracy
from .french import word_by_word
from .measures import fraction
from .pairs import exact_match, pair_model, read, sizes, write
from .small_model import Recipe

SIZES = sizes(ThreeTasks(), n_encoder_layers=2, n_decoder_layers=1)
RECIPE = Recipe(steps=2000, warmup=100)


def answer(model: Transformer, text: str) -> str:
    """Do what a text asks for: "translate: I love AI" gives "J'aime l'IA".

    Raises:
        ValueError: a word is not in the vocabulary, or there is none, or too many.
    """
    [words] = write(model, ThreeTasks(), read(ThreeTasks(), text))
    return spoken(words)


def attention_weights(model: Transformer, text: str) -> tuple[list[str], Tensor]:
    """Return the words that a model writes on a text, and its cross-attention.

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
    """Return the fraction of examples of which the model writes the whole target."""
    return exact_match(model, ThreeTasks(prefixed), in_ids(examples, prefixed=prefixed))


def baselines(task: Task, examples: Sequence[Example]) -> dict[str, float]:
    """Return the exact match of rules without a network.

    "the commonest": the most frequent target. "word by word", of a translation: a
    dictionary, in the order of the English words. "all of it", of a summary: the
    sentence itself. "the subject", of a question: all that stands before the verb,
    whatever was asked.
    """
    found = {"the commonest": majority_accuracy(tuple(x.target) for x in examples)}
    if task == "translate":
        found["word by word"] = word_by_word([one.sentence for one in examples])
    if task == "summarise":
        found["all of it"] = fraction(x.target == x.sentence.english for x in examples)
    if task == "question":
        subjects = ((one, told(one.sentence.english).subject) for one in examples)
        found["the subject"] = fraction(one.target == words for one, words in subjects)
    return found


def measure(model: Transformer) -> dict[str, float]:
    """Measure how many held-out examples of each task are right, beside baselines."""
    found: dict[str, float] = {}
    for task in TASKS:
        held_out = held_out_examples(task)
        shares = {"exact match": score(model, held_out), **baselines(task, held_out)}
        found |= {f"{task}: {name}": share for name, share in shares.items()}
    return found


MODEL = pair_model(
    ThreeTasks(), SIZES, RECIPE, name="t5", seeds=(0,), measure=measure, half=True
)
#: The same, but what it reads does not begin with the name of its task.
WITHOUT_PREFIX = pair_model(ThreeTasks(prefixed=False), SIZES, RECIPE)
begin, trained = MODEL.begin, MODEL.trained

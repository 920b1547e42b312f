"""A small Transformer that translates English into French."""

from collections.abc import Sequence
from functools import cache

from transformer_lib.model.transformer import Transformer

from ..data.french import SPLIT, Sentence, spoken
from ..data.french_sentences import (
    French,
    held_out_sentences,
    in_ids,
    learned_sentences,
    with_origins,
)
from .alignment import aligned, best_head, diagonal
from .baselines import most_frequent
from .measures import fraction
from .pairs import exact_match, pair_model, read, sizes, write
from .small_model import Recipe

TASK = French()
SIZES = sizes(TASK, n_heads=1, n_encoder_layers=2)
RECIPE = Recipe(steps=1000, warmup=100)


def translate(model: Transformer, english: str) -> str:
    """Write an English sentence in French: "I love AI" as "J'aime l'IA".

    Raises:
        ValueError: a word is not in the vocabulary, or there is none, or too many.
    """
    [french] = write(model, TASK, read(TASK, english))
    return spoken(french)


@cache
def dictionary() -> dict[str, str]:
    """Return for each English word the French one that comes from it most often."""
    return most_frequent(
        (sentence.english[place], word)
        for sentence in learned_sentences()
        for word, places in zip(sentence.french, sentence.comes_from, strict=True)
        for place in places
    )


def word_by_word(sentences: Sequence[Sentence]) -> float:
    """Return the exact match of looking up each word, and keeping their order."""
    known = dictionary()
    return fraction([known[w] for w in s.english] == s.french for s in sentences)


def measure(model: Transformer) -> dict[str, float]:
    """Measure how many held-out sentences are translated, beside baselines.

    The head is chosen on validation sentences.
    """
    held_out = held_out_sentences()
    block, head = best_head(model, *with_origins(SPLIT.validation()))
    return {
        "exact match": exact_match(model, TASK, in_ids(held_out)),
        "word by word": word_by_word(held_out),
        f"aligned: block {block}, head {head}": float(
            aligned(model, *with_origins(held_out))[block, head]
        ),
        "aligned: its own position": diagonal(held_out),
    }


MODEL = pair_model(TASK, SIZES, RECIPE, name="french", seeds=(0,), measure=measure)
begin, trained = MODEL.begin, MODEL.trained

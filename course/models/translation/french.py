"""A small Transformer that translates English into French.

Made by the command `python -m course.models.translation.french`.
"""

import sys
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import cast

from transformer_lib.checkpoints import Provenance, load_checkpoint, save_checkpoint
from transformer_lib.model.transformer import Transformer
from transformer_lib.training import Training
from transformer_lib.training.processes import is_first, joined

from ...data.french import Sentence, spoken
from ...data.french_sentences import (
    VOCABULARY,
    French,
    in_ids,
    learned_sentences,
    new_sentences,
    with_origins,
)
from ...progress import with_progress
from ...trained import CHECKPOINTS
from ..pairs import Recipe, exact, learn, read, sizes, write
from .alignment import aligned, best_head, diagonal

CHECKPOINT = CHECKPOINTS / "french.safetensors"
TASK = French()
SIZES = sizes(TASK, n_heads=1, n_encoder_layers=2)
RECIPE = Recipe(steps=1000)
Dictionary = dict[str, str]


def begin(seed: int = 0, steps: int | None = None) -> tuple[Transformer, Training]:
    """Give a model that has learnt nothing, and its training.

    Args:
        seed: of the first weights and of the batches.
        steps: how many batches; those of the recipe without it.

    Returns:
        the model, and one after another, the loss of every step: see `fit_steps`.
    """
    recipe = RECIPE if steps is None else RECIPE.shortened(steps)
    return learn(TASK, SIZES, recipe, seed)


@cache
def trained() -> Transformer:
    """Give the model of the course."""
    return cast(Transformer, load_checkpoint(CHECKPOINT)[0])


def translate(model: Transformer, english: str) -> str:
    """Write an English sentence in French: "I love AI" as "J'aime l'IA".

    Raises:
        ValueError: a word is not in the vocabulary, or there is none, or too many.
    """
    [french] = write(model, TASK, read(TASK, english))
    return spoken(french)


@cache
def dictionary() -> Dictionary:
    """Give for each English word the French one that comes from it most often."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in learned_sentences():
        for word, places in zip(sentence.french, sentence.comes_from, strict=True):
            for place in places:
                found[sentence.english[place]][word] += 1
    return {word: counts.most_common(1)[0][0] for word, counts in found.items()}


def word_by_word(sentences: Sequence[Sentence]) -> float:
    """Give the share that is right of who looks up each word, and keeps their order."""
    known = dictionary()
    right = [[known[w] for w in s.english] == s.french for s in sentences]
    return sum(right) / len(right)


def main(path: Path = CHECKPOINT, steps: int | None = None) -> None:
    """Train the model; say how many new sentences are right, beside its floors."""
    with joined():
        model, training = begin(steps=steps)
        deque(with_progress(training), maxlen=0)
        if not is_first():
            return
    save_checkpoint(model.cpu(), path, Provenance(words=VOCABULARY.words))
    new, others = new_sentences(), new_sentences(seed=2)
    block, head = best_head(model, *with_origins(others))
    looks = float(aligned(model, *with_origins(new))[block, head])
    told = {
        "translated without a fault": exact(model, TASK, in_ids(new)),
        "word by word": word_by_word(new),
        f"looks where the word comes from: block {block}, head {head}": looks,
        "looks at its own place": diagonal(new),
    }
    for what, share in told.items():
        sys.stdout.write(f"{what:60} {share:6.1%}\n")


if __name__ == "__main__":
    main()

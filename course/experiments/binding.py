"""Whether an encoder-decoder binds a name to a place, or says any place that it read.

The kept results are made by `python -m course.experiments.binding`.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from transformer_lib.checkpoints import keep_each, read_results
from transformer_lib.model.transformer import Transformer

from ..data.pairs import Pairs
from ..data.whereabouts import NEW, PLACES, VOCABULARY, Whereabouts
from ..models.pairs import Recipe, learn, sizes, write
from ..trained import CHECKPOINTS

FACTS = 2  # in a text
ASKED = 300  # texts
RECIPE = Recipe(steps=3000, peak=0.003)
SEEDS = range(3)


def measure(model: Transformer, task: Whereabouts, asked: Pairs) -> dict[str, float]:
    """Give the shares of answers that are "right", and of those that were "read".

    Who picks any of the places at random is right once in as many times as there are.
    """
    said = write(model, task, asked.source)
    wanted = [VOCABULARY.decode(row)[1:2] for row in asked.target]
    texts = [VOCABULARY.decode(row) for row in asked.source]
    right = [a == b for a, b in zip(said, wanted, strict=True)]
    read = [
        len(words) == 1 and words[0] in PLACES and words[0] in text
        for words, text in zip(said, texts, strict=True)
    ]
    return {"right": sum(right) / len(right), "read": sum(read) / len(read)}


def learned(task: Whereabouts) -> Pairs:
    """Give texts with pairs that were learned, to ask as many as of the new ones."""
    return task.batch(torch.Generator().manual_seed(0), ASKED)


def by_rule(asked: Pairs) -> float:
    """Give the share of right answers of who binds nothing.

    It says one of the places of the text, drawn at random: but none that no learned
    text says of the name that is asked for, if there is another.
    """
    shares = []
    for source, target in zip(asked.source, asked.target, strict=True):
        words = VOCABULARY.decode(source)
        read = [word for word in words if word in PLACES]
        usual = [place for place in read if (words[3], place) not in NEW] or read
        shares.append((VOCABULARY.decode(target)[1] in usual) / len(usual))
    return sum(shares) / len(shares)


def load_results(folder: Path = CHECKPOINTS) -> list[dict[str, float]]:
    """The kept results: of each training its facts and seed, and what `measure` gave.

    "learned" is the share of right answers where the pairs are those that were learned.

    Raises:
        FileNotFoundError: the folder does not hold them.
        ValueError: their file is broken.
    """
    return read_results(folder / "binding.json")


def main(
    folder: Path = CHECKPOINTS,
    steps: int = RECIPE.steps,
    seeds: Sequence[int] = SEEDS,
) -> None:
    """Train models; keep what came so far after each."""

    def came() -> Iterator[dict[str, float]]:
        task = Whereabouts(FACTS)
        for seed in seeds:
            config = sizes(task, n_encoder_layers=2)
            model, training = learn(task, config, RECIPE.shortened(steps), seed)
            deque(training, maxlen=0)
            shares = measure(model, task, task.new(ASKED, 2))
            known = measure(model, task, learned(task))["right"]
            kept = {"facts": FACTS, "seed": seed, "steps": steps}
            yield {**kept, **shares, "learned": known}

    keep_each(came(), folder / "binding.json")


if __name__ == "__main__":
    main()

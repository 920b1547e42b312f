"""What a BERT knows of a hidden word with all around it, with half, and out of order.

The kept results are made by `python -m course.experiments.hidden_words`.
"""

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transformer_lib.checkpoints import keep_each, read_results

from ..models.bert import STEPS, begin, new_gaps, of_length, score
from ..trained import CHECKPOINTS

SEEDS = range(3)


def measure(seed: int, steps: int = STEPS) -> dict[str, dict[str, float]]:
    """Give the shares of new words that models of a seed get right: see `score`.

    Returns:
        by what a model learns with: "both sides" of a word; "the left alone"; "out of
        order", both sides without positions. "left when asked" is the first of them,
        with the right side hidden only when it is asked.
    """
    asked = new_gaps()
    both, left = (of_length(steps, seed, right=right) for right in (True, False))
    unordered, training = begin(seed, steps, positions="none")
    deque(training, maxlen=0)
    found = {
        "both sides": score(both, asked),
        "the left alone": score(left, asked, right=False),
        "out of order": score(unordered, asked),
        "left when asked": score(both, asked, right=False),
    }
    return {
        way: {part: round(share, 4) for part, share in shares.items()}
        for way, shares in found.items()
    }


def load_results(folder: Path = CHECKPOINTS) -> list[dict[str, Any]]:
    """The kept results: of each training its seed, and what `measure` gave.

    Raises:
        FileNotFoundError: the folder does not hold them.
        ValueError: their file is broken.
    """
    return read_results(folder / "hidden_words.json")


def main(
    folder: Path = CHECKPOINTS, steps: int = STEPS, seeds: Sequence[int] = SEEDS
) -> None:
    """Measure models of each seed; keep what came so far after each."""
    came = ({"seed": seed, **measure(seed, steps)} for seed in seeds)
    keep_each(came, folder / "hidden_words.json")


if __name__ == "__main__":
    main()

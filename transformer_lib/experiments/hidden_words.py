"""What a BERT knows of a hidden word with all around it, with half, and out of order.

The kept results are made by `python -m transformer_lib.experiments.hidden_words`.
"""

import sys
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..checkpoints import CHECKPOINTS, read_results, write_results
from ..small_models.language.bert import STEPS, begin, new_gaps, score

#: What one training has that another has not: what a place sees, and its number.
WAYS: Mapping[str, dict[str, Any]] = {
    "both sides": {},
    "the left alone": {"right": False},
    "out of order": {"positions": "none"},
}
SEEDS = range(3)


def measure(seed: int, steps: int = STEPS) -> dict[str, dict[str, float]]:
    """Train a model in each way, and give its shares of right words: see `score`.

    "left when asked" is the model that learned with both sides, the right one hidden
    only when it is asked.
    """
    asked = new_gaps()
    found = {}
    for way, how in WAYS.items():
        model, training = begin(seed, steps, **how)
        deque(training, maxlen=0)
        found[way] = score(model, asked, right=how.get("right", True))
        if not how:
            found["left when asked"] = score(model, asked, right=False)
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
    """Measure models of each seed; keep what came of them."""
    found = []
    for seed in seeds:
        found.append({"seed": seed, **measure(seed, steps)})
        sys.stdout.write(f"{found[-1]}\n")
        sys.stdout.flush()
    write_results(found, folder / "hidden_words.json")


if __name__ == "__main__":
    main()

"""Whether one stack finishes sentences as well as an encoder and a decoder.

The kept results are made by `python -m course.experiments.one_stack`.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import mean

from transformer_lib.checkpoints import keep_each, read_results
from transformer_lib.model.transformer import DecoderOnlyTransformer

from ..data.jobs import KEPT_BACK, probabilities
from ..models.jobs import SEEDS
from ..models.one_stack import learn, next_word
from ..trained import CHECKPOINTS
from .finishing import LENGTHS, distance


def measure(model: DecoderOnlyTransformer) -> float:
    """Give the mean distance from the true probabilities, over the starts kept back.

    `finishing.compare` gives the same of an encoder-decoder, and of the rules.
    """
    return mean(
        distance(next_word(model, start), probabilities(start)) for start in KEPT_BACK
    )


def load_results(folder: Path = CHECKPOINTS) -> list[dict[str, float]]:
    """The kept results: of each training its steps, its seed and the distance.

    Raises:
        FileNotFoundError: the folder does not hold them.
        ValueError: their file is broken.
    """
    return read_results(folder / "one_stack.json")


def main(
    folder: Path = CHECKPOINTS,
    lengths: Sequence[int] = LENGTHS,
    seeds: Sequence[int] = SEEDS,
) -> None:
    """Train a model of each length from each seed; keep what came of them."""

    def came() -> Iterator[dict[str, float]]:
        for seed, steps in product(seeds, lengths):
            model, training = learn(steps, seed)
            deque(training, maxlen=0)
            yield {"steps": steps, "seed": seed, "model": round(measure(model), 3)}

    keep_each(came(), folder / "one_stack.json")


if __name__ == "__main__":
    main()

"""What a character of new English costs a GPT and n-grams, and how far back it helps.

The kept results are made by `python -m course.experiments.characters`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from transformer_lib.checkpoints import keep_each, read_results
from transformer_lib.model.transformer import DecoderOnlyTransformer

from ..data.documentation import VOCABULARY, parts
from ..models.baselines import NGrams
from ..models.gpt import STEPS, bits, by_context, of_length
from ..trained import CHECKPOINTS

SEEDS = range(3)
GRAMS = range(1, 8)
BEHIND = (1, 2, 4, 8, 16, 32, 64)  # characters that are seen, up to twice as many


def n_grams() -> dict[str, float]:
    """Give the bits a character of the test that n-grams need, by n."""
    known, _, test = parts()
    size = len(VOCABULARY)
    return {str(n): round(NGrams(known, n, size).bits(test), 4) for n in GRAMS}


def measure(model: DecoderOnlyTransformer) -> dict[str, Any]:
    """Give the bits a character of the test that a model needs.

    Returns:
        "bits", see `gpt.bits`; "behind" n to 2n − 1 characters, all that it sees: the
        same, by n.
    """
    test = parts().test
    costs = by_context(model, test).tolist()
    behind = {str(n): round(mean(costs[n - 1 : 2 * n - 1]), 4) for n in BEHIND}
    return {"bits": round(bits(model, test), 4), "behind": behind}


def load_results(folder: Path = CHECKPOINTS) -> list[dict[str, Any]]:
    """The kept results: those of `n_grams` first, then by seed those of `measure`.

    Raises:
        FileNotFoundError: the folder does not hold them.
        ValueError: their file is broken.
    """
    return read_results(folder / "characters.json")


def main(
    folder: Path = CHECKPOINTS, steps: int = STEPS, seeds: Sequence[int] = SEEDS
) -> None:
    """Measure n-grams and a model of each seed; keep what came so far after each."""

    def came() -> Iterator[dict[str, Any]]:
        yield {"n-grams": n_grams()}
        for seed in seeds:
            yield {"seed": seed, **measure(of_length(steps, seed))}

    keep_each(came(), folder / "characters.json")


if __name__ == "__main__":
    main()

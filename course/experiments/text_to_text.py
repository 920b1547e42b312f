"""What a T5 does with three tasks, and without the word that names them.

The kept results are made by `python -m course.experiments.text_to_text`.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from transformer_lib.checkpoints import keep_each, read_results
from transformer_lib.model.transformer import Transformer

from ..data.three_tasks import TASKS, new_examples, with_origins
from ..models.alignment import aligned, best_head
from ..models.t5 import RECIPE, begin, of_length, score
from ..trained import CHECKPOINTS

SEEDS = range(3)
ASKED = 500  # new examples of each task


def measure(model: Transformer, *, prefixed: bool = True) -> dict[str, float]:
    """Give the share of new examples of each task that a model gets right.

    Args:
        model: which model.
        prefixed: whether what it reads begins with the name of the task.
    """
    asked = {task: new_examples(task, ASKED) for task in TASKS}
    return {
        task: round(score(model, examples, prefixed=prefixed), 4)
        for task, examples in asked.items()
    }


def without_question(model: Transformer) -> float:
    """Give the share of answers that are right where the question is taken away."""
    asked = new_examples("question", ASKED)
    return round(score(model, [one.without_its_question for one in asked]), 4)


def alignment(model: Transformer) -> tuple[int, int, float]:
    """Name the block and the head that look best, and their share of right words.

    They are chosen on other translations than those that they are measured on.
    """
    block, head = best_head(model, *with_origins(new_examples("translate", 200, 2)))
    shares = aligned(model, *with_origins(new_examples("translate", 200)))
    return block, head, round(float(shares[block, head]), 4)


def load_results(folder: Path = CHECKPOINTS) -> list[dict[str, Any]]:
    """The kept results, of each seed.

    "with prefixes", and "without when asked": see `measure`, of one model; "without
    question": of the same; "never with prefixes": `measure` of a model that has learned
    the same examples without them; "alignment": see `alignment`.

    Raises:
        FileNotFoundError: the folder does not hold them.
        ValueError: their file is broken.
    """
    return read_results(folder / "text_to_text.json")


def main(
    folder: Path = CHECKPOINTS,
    steps: int = RECIPE.steps,
    seeds: Sequence[int] = SEEDS,
) -> None:
    """Measure models of each seed, with prefixes and without; keep what came so far."""

    def came() -> Iterator[dict[str, Any]]:
        for seed in seeds:
            model = of_length(steps, seed)
            bare, training = begin(seed, steps, prefixed=False)
            deque(training, maxlen=0)
            yield {
                "seed": seed,
                "with prefixes": measure(model),
                "without when asked": measure(model, prefixed=False),
                "without question": without_question(model),
                "never with prefixes": measure(bare, prefixed=False),
                "alignment": alignment(model),
            }

    keep_each(came(), folder / "text_to_text.json")


if __name__ == "__main__":
    main()

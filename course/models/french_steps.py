"""A translator as it was after each of some steps of its training.

Made by the command `python -m course.models.french_steps`.
"""

import sys
from functools import cache
from pathlib import Path

from transformer_lib.training.processes import is_first, joined

from ..trained import CHECKPOINTS
from .french import RECIPE, TASK
from .pairs import learn, sizes
from .snapshots import Snapshots, load_snapshots, watch

CHECKPOINT = CHECKPOINTS / "french_steps.safetensors"
#: Small, so that many snapshots fit one file; two heads, to see them differ.
SIZES = sizes(TASK, d_model=24, n_heads=2, d_ff=48)


@cache
def watched() -> Snapshots:
    """Give the snapshots of the course."""
    return load_snapshots(CHECKPOINT, TASK)


def main(path: Path = CHECKPOINT, steps: int | None = None) -> None:
    """Train the model, keep its snapshots, and say how each does on new sentences."""
    recipe = RECIPE if steps is None else RECIPE.shortened(steps)
    with joined():
        _, training = learn(TASK, SIZES, recipe)
        *_, found = watch(training, TASK)
        if not is_first():
            return
    found.save(path)
    for step, _, (loss, words, texts) in found.shots:
        told = f"loss {loss:6.3f}  words {words:6.1%}  sentences {texts:6.1%}"
        sys.stdout.write(f"step {step:4}  {told}\n")


if __name__ == "__main__":
    main()

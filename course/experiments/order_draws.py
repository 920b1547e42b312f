"""The experiment of `word_order` from five random starts, and with longer training.

The kept results are made by `python -m course.experiments.order_draws`.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from transformer_lib.checkpoints import read_part, write_parts
from transformer_lib.checks.validation import check_option

from ..data.order_questions import TASKS, Shares, Task, floors
from ..models.reader import WAYS, Way, in_training
from ..trained import CHECKPOINTS
from .word_order import STEPS, measure

SEEDS = (0, 1, 2, 3, 4)
LENGTHS = (STEPS, 4 * STEPS)  # steps of training
FILE = "order_draws.json"
TOLD = {"4 to 12 words": 0, "48: at 12 to 47": -1}  # of RANGES
WIDE = 18  # letters of a column

Draws = dict[int, dict[Way, list[Shares]]]


def run(
    task: Task, way: Way, *, lengths: Sequence[int] = LENGTHS, seed: int = 0
) -> list[Shares]:
    """Train one model of a way, and ask it after each of some numbers of steps.

    Returns:
        for each number of steps, a share of right answers for each of the five ranges:
        after 400 steps from seed 0, nearly those of `word_order.load_results`.

    Raises:
        TypeError, ValueError: the task or the way is unknown, or a number of steps is
            below 1.
    """
    check_option("task", task, TASKS)
    model, losses = in_training(task, way, max(lengths), seed)
    return [measure(model, task) for n, _ in enumerate(losses, 1) if n in lengths]


def load_draws(task: Task, folder: Path = CHECKPOINTS) -> Draws:
    """The kept shares: by steps and by way, those of each of the five draws.

    Raises:
        ValueError: the task is unknown, or the file is broken.
        FileNotFoundError: the folder does not hold it.
    """
    check_option("task", task, TASKS)
    kept = read_part(folder / FILE, task)
    return {
        int(steps): {way: [tuple(draw) for draw in of[way]] for way in of}
        for steps, of in kept.items()
    }


def table(task: Task, folder: Path = CHECKPOINTS) -> str:
    """Tell the kept draws: the middle one, and in brackets the lowest and the highest.

    Asked about sentences of 4 to 12 words, and about places 12 to 47 of 48, after each
    number of steps; above the ways, the rules that compare no places.

    Raises:
        ValueError, FileNotFoundError: see `load_draws`.
    """
    draws = load_draws(task, folder)
    lines = [
        [task, *(f"{steps} steps" for steps in draws for _ in TOLD)],
        ["", *(asked for _ in draws for asked in TOLD)],
    ]
    for rule, shares in floors(task).items():
        lines.append(
            [rule, *(f"{shares[n]:.2f}" for _ in draws for n in TOLD.values())]
        )
    for way in WAYS:
        found = [
            [d[n] for d in of[way]] for of in draws.values() for n in TOLD.values()
        ]
        lines.append([way, *(_told(shares) for shares in found)])
    return "\n".join("".join(f"{x:{WIDE}}" for x in line).rstrip() for line in lines)


def _told(shares: list[float]) -> str:
    return f"{np.median(shares):.2f} ({min(shares):.2f}–{max(shares):.2f})"


def main(
    folder: Path = CHECKPOINTS,
    lengths: Sequence[int] = LENGTHS,
    seeds: Sequence[int] = SEEDS,
) -> None:
    """Train every way on both tasks from each seed; keep and say what came of it."""
    kept: dict[Task, dict[int, dict[Way, list[list[float]]]]] = {}
    for task in TASKS:
        kept[task] = {steps: {way: [] for way in WAYS} for steps in lengths}
        for way in WAYS:
            for seed in seeds:
                found = run(task, way, lengths=lengths, seed=seed)
                for steps, shares in zip(lengths, found, strict=True):
                    kept[task][steps][way].append([round(x, 4) for x in shares])
    write_parts(kept, folder / FILE)
    for task in TASKS:
        sys.stdout.write(table(task, folder) + "\n")


if __name__ == "__main__":
    main()

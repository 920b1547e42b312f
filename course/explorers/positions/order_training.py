"""order_training: models with different positional encodings learn side by side."""

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np

from explorable import Explorer, Job, Sheet
from explorable.controls import choice, random_start, seed_of
from explorable.inputs import some_words
from transformer_lib.checks.validation import check_option, check_size, require

from ...data.order_questions import TASKS, WORDS, Task
from ...experiments.word_order import STEPS, WordOrder, train_steps
from ...models.reader import VARIANTS, Variant
from .order_experiment import LONGER, WINDOW, show_answers, show_learning


def order_training(
    task: Task = "two to the left",
    *,
    ways: Sequence[Variant] = VARIANTS,
    steps: int = STEPS,
) -> Explorer:
    """Watch models with different positional encodings learn side by side.

    Args:
        task: what the models predict: see `experiments.word_order.train_steps`.
        ways: which of the six encodings.
        steps: of each training run.

    Returns:
        an Explorer of long work with controls "draw" and "longer". Its values: the
        accuracies (baselines and encodings, ranges) by the task's name, as evaluated
        last, and "losses" (points, encodings), each the mean of the 20 steps that end
        there; NaN for steps that are still to come.

    Raises:
        TypeError, ValueError: the task or an encoding is unknown, an encoding occurs
            twice or none is there, or steps is no integer of at least 20.

    Source: D1.8.1–D1.8.4, D1.9.2.
    """
    check_option("task", task, TASKS)
    chosen = cast(list[Variant], some_words("ways", ways, 1, len(VARIANTS)))
    for way in chosen:
        check_option("each of ways", way, VARIANTS)
    require(len({*chosen}) == len(chosen), "ways", "be different", chosen)
    check_size("steps", steps, least=WINDOW)

    def work(*, draw: str) -> Iterator[WordOrder]:
        seed = seed_of(draw)
        return train_steps(task, variants=chosen, steps=steps, seed=seed)

    controls = {
        "draw": random_start(),
        "longer": choice("words in a longer sentence", [*LONGER]),
    }
    count = steps * len(chosen)
    name = "order_training"
    sheet = training_sheet
    return Job(
        name,
        sheet,
        work,
        count,
        controls,
        steps=steps,
        title="Training with different encodings",
        task="Watch which of the models learn the task, and how fast.",
        more=("draw", "longer"),
    )


def training_sheet(found: WordOrder, *, steps: int, longer: str, draw: str) -> Sheet:
    """Show the latest accuracies, and the losses so far."""
    s = Sheet()
    ways = [*found.losses]
    show_answers(s, found, ways, longer, " at the last evaluation")
    losses = np.full((len(ways), steps), np.nan)
    for n, way in enumerate(ways):
        losses[n, : len(found.losses[way])] = found.losses[way]
    guessing = np.log(len(WORDS) if found.task == TASKS[0] else 2)
    taken = min(map(len, found.losses.values()))
    after = f", after {taken} of {steps} steps each"
    show_learning(s, losses, ways, 1.2 * guessing, after)
    return s

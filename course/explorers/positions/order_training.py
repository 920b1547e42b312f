"""order_training: the ways of telling positions learn side by side."""

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
    """Watch the ways of telling positions learn side by side.

    Args:
        task: what is asked: see `experiments.word_order.train_steps`.
        ways: which of the six.
        steps: of each training.

    Returns:
        an Explorer of long work with controls "draw" and "longer". Its values: shares
        of right answers (rules and ways, ranges) by the task's name, when they were
        asked last, and "losses" (points, ways), each the mean of the 20 steps up to its
        own, the last up to the last; NaN for those to come.

    Raises:
        TypeError, ValueError: the task or a way is unknown, a way stands twice or none
            is there, or steps is no integer of at least 20.

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
        "longer": choice("longer sentences, words", [*LONGER]),
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
        title="Training with and without positions",
        task="Watch which of the models learn the order of words.",
        more=("draw",),
    )


def training_sheet(found: WordOrder, *, steps: int, longer: str, draw: str) -> Sheet:
    """What the ways answer now, and their losses so far."""
    s = Sheet()
    ways = [*found.losses]
    show_answers(s, found, ways, longer, " when last asked")
    losses = np.full((len(ways), steps), np.nan)
    for n, way in enumerate(ways):
        losses[n, : len(found.losses[way])] = found.losses[way]
    guessing = np.log(len(WORDS) if found.task == TASKS[0] else 2)
    taken = min(map(len, found.losses.values()))
    after = f", after {taken} of {steps} steps"
    show_learning(s, losses, ways, 1.2 * guessing, after)
    return s

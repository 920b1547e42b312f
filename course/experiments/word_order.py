"""Six ways to tell a small model where a word stands, trained alike and compared."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import torch

from transformer_lib.checks.validation import check_option, check_size

from ..data.order_questions import (
    TASKS,
    UNASKED,
    Counts,
    Shares,
    Task,
    baselines,
    by_range,
    last_places,
    sentences,
)
from ..models.reader import RECIPE, VARIANTS, Reader, Variant, begin, model_of
from .experiment import Experiment, grid
from .results import Row

STEPS = RECIPE.steps
STAGES = (STEPS, 4 * STEPS)  # steps after which a model is measured
SHOWN = 0  # the seed of the trainings that an explorer shows, with their losses
SOON = 288  # sentences of each range, for an answer within the blink of an eye
COLUMNS = {"4 to 12 words": 0, "48: at 12 to 47": -1}  # of `table`, by RANGES
WIDE = 18  # letters of a column


@dataclass(frozen=True)
class WordOrder:
    """What the variants came to: shares of right answers, one for each of `RANGES`.

    Args:
        task: what was asked.
        accuracy: for each variant.
        baselines: for each rule that compares no places: see `order_questions`.
        losses: for each variant, the loss at every step of its training.
    """

    task: Task
    accuracy: dict[Variant, Shares]
    baselines: dict[str, Shares]
    losses: dict[Variant, list[float]]


def train_steps(
    task: Task = "two to the left",
    *,
    variants: Sequence[Variant] = VARIANTS,
    steps: int = STEPS,
    seed: int = 0,
) -> Iterator[WordOrder]:
    """Train one model for each variant on short sentences, a batch at a time.

    All start from the same seed and see the same sentences of 4 to 12 words. They are
    asked about 288 sentences of each range, drawn apart, of 4–12, 13–24 and 48 words:
    before the first step, after about every quarter of the steps, and at the end.
    "learned" has rows for all 48 positions, but those above 11 never met a sentence:
    they are the random numbers they began as.

    Args:
        task: "two to the left": say, at every word, which word stands two places to
            its left; or "who comes first": say, at Ajish, whether Mia stands before.
        variants: which to compare.
        steps: the batches, of 64 sentences, that each model learns from.
        seed: of weights and sentences.

    Returns:
        how all stands before the first step, and after each batch of each variant.

    Raises:
        TypeError, ValueError: the task or a variant is unknown, or steps is below 1.

    Source: D1.8, D1.9.2.
    """
    check_option("task", task, TASKS)
    check_size("steps", steps)
    rules = baselines(task)
    readers = {v: begin(task, v, seed, steps) for v in variants}
    losses: dict[Variant, list[float]] = {v: [] for v in variants}
    accuracy = {v: measure(model, task, SOON) for v, (model, _) in readers.items()}
    every = max(1, steps // 4)
    yield WordOrder(task, accuracy, rules, losses)
    for n in range(1, steps + 1):
        for variant, (model, fitting) in readers.items():
            losses = losses | {variant: [*losses[variant], next(fitting)]}
            if n % every == 0 or n == steps:
                accuracy = accuracy | {variant: measure(model, task, SOON)}
            yield WordOrder(task, accuracy, rules, losses)


def measure(model: Reader, task: Task, count: int = 4608) -> Shares:
    """The shares of right answers in `RANGES`, about sentences drawn apart.

    A short sentence may have been met in training too.

    Args:
        model: whom to ask.
        task: what to ask.
        count: the sentences for each range of lengths, as many of each length.
    """
    draw = torch.Generator().manual_seed(48)

    def counts(n: int, lengths: int) -> Counts:
        ids, answers = sentences(task, n, draw, count // lengths)
        with torch.no_grad():
            said = model(ids).argmax(-1)  # (B, n)
        place = last_places(task, ids)
        right = place[said == answers]
        asked = place[answers != UNASKED]
        return right.bincount(minlength=n).numpy(), asked.bincount(minlength=n).numpy()

    return by_range(counts)


def run(task: Task, variant: Variant, seed: int) -> Iterator[Row]:
    """Train a model, and measure it after each of STAGES."""
    model, fitting = begin(task, variant, seed, max(STAGES))
    losses: list[float] = []
    for loss in fitting:
        losses.append(loss)
        if len(losses) in STAGES:
            row: Row = {"steps": len(losses), "accuracy": measure(model, task)}
            if (seed, len(losses)) == (SHOWN, STEPS):
                row["losses"] = [*losses]
            yield row


EXPERIMENT = Experiment(
    name="word_order",
    runs=grid(task=TASKS, variant=VARIANTS, seed=range(5)),
    measure=run,
    models={
        f"{task}, {variant}": model_of(task, variant)
        for task, variant in product(TASKS, VARIANTS)
    },
    settings={"stages": STAGES},
)


def shown(task: Task) -> WordOrder:
    """Return the kept results of the training that is shown.

    Raises:
        ValueError: the task is unknown, or the file is not up to date.
        FileNotFoundError: there is no file.
    """
    check_option("task", task, TASKS)
    rows = EXPERIMENT.results(task=task, seed=SHOWN, steps=STEPS)
    accuracy = {row["variant"]: tuple(row["accuracy"]) for row in rows}
    losses = {row["variant"]: row["losses"] for row in rows}
    return WordOrder(task, accuracy, baselines(task), losses)


def draws(task: Task) -> dict[int, dict[Variant, Any]]:
    """Return the kept shares of all trainings: by steps and variant, (5 seeds, RANGES).

    Raises:
        ValueError, FileNotFoundError: see `shown`.
    """
    check_option("task", task, TASKS)
    found = EXPERIMENT.table("accuracy", steps=STAGES, variant=VARIANTS, task=task)
    return {
        steps: dict(zip(VARIANTS, by_variant, strict=True))
        for steps, by_variant in zip(STAGES, found, strict=True)
    }


def table(task: Task) -> str:
    """Tell the kept draws: the middle one, and in brackets the lowest and the highest.

    Asked about sentences of 4 to 12 words, and about places 12 to 47 of 48, after each
    number of steps; above the variants, the rules that compare no places.

    Raises:
        ValueError, FileNotFoundError: see `shown`.
    """
    by_steps = draws(task)
    lines = [
        [task, *(f"{steps} steps" for steps in by_steps for _ in COLUMNS)],
        ["", *(asked for _ in by_steps for asked in COLUMNS)],
    ]
    for rule, shares in baselines(task).items():
        told = [f"{shares[n]:.2f}" for n in COLUMNS.values()]
        lines.append([rule, *(told * len(by_steps))])
    for variant in VARIANTS:
        found = [
            of[variant][:, n] for of in by_steps.values() for n in COLUMNS.values()
        ]
        lines.append([variant, *map(_told, found)])
    return "\n".join("".join(f"{x:{WIDE}}" for x in line).rstrip() for line in lines)


def _told(shares: Any) -> str:
    return f"{np.median(shares):.2f} ({min(shares):.2f}–{max(shares):.2f})"

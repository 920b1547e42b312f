"""Six ways to tell a small model where a word stands, trained alike and compared.

The kept results are made by `python -m course.experiments.word_order`.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from transformer_lib.checkpoints import (
    load_weights,
    read_weights,
    reading,
    write_weights,
)
from transformer_lib.checks.validation import check_option, check_size

from ..data.order_questions import (
    TASKS,
    UNASKED,
    Counts,
    Shares,
    Task,
    by_range,
    floors,
    last_places,
    sentences,
)
from ..models.positions.reader import (
    WAYS,
    Reader,
    Way,
    in_training,
    new_reader,
    trained,
)
from ..trained import CHECKPOINTS

STEPS = 400
SOON = 288  # sentences of each range, for an answer within the blink of an eye


@dataclass(frozen=True)
class WordOrder:
    """What the ways came to: shares of right answers, one for each of `RANGES`.

    Args:
        task: what was asked.
        accuracy: for each way.
        floor: for each rule that compares no places: see `order_questions.floors`.
        losses: for each way, the loss at every step of its training.
    """

    task: Task
    accuracy: dict[Way, Shares]
    floor: dict[str, Shares]
    losses: dict[Way, list[float]]


def run(
    task: Task = "two to the left",
    *,
    ways: Sequence[Way] = WAYS,
    steps: int = STEPS,
    seed: int = 0,
) -> WordOrder:
    """Train one model for each way on short sentences; ask it about longer ones too.

    Every model starts from the same seed and sees the same sentences of 4 to 12
    words; then it is asked about others, drawn apart, of 4–12, 13–24 and 48 words.
    "learned" has rows for all 48 positions, but those above 11 never met a sentence:
    they are the random numbers they began as.

    Args:
        task: "two to the left": say, at every word, which word stands two places to
            its left; or "who comes first": say, at Ajish, whether Mia stands before.
        ways: which to compare.
        steps: the batches, of 64 sentences, that each model learns from.
        seed: of weights and sentences.

    Returns:
        accuracies and losses.

    Raises:
        TypeError, ValueError: the task or a way is unknown, or steps is below 1.

    Source: D1.8, D1.9.2.
    """
    return _run(task, ways, steps, seed)[0]


def run_steps(
    task: Task = "two to the left",
    *,
    ways: Sequence[Way] = WAYS,
    steps: int = STEPS,
    seed: int = 0,
) -> Iterator[WordOrder]:
    """Train the models of `run` side by side, a batch at a time.

    They are asked about 288 sentences of each range only: before the first step, after
    about every quarter of the steps, and at the end.

    Returns:
        how all stands before the first step, and after each batch of each way.

    Raises:
        TypeError, ValueError: the task or a way is unknown, or steps is below 1.
    """
    check_option("task", task, TASKS)
    check_size("steps", steps)
    floor = floors(task)
    readers = {way: in_training(task, way, steps, seed) for way in ways}
    losses: dict[Way, list[float]] = {way: [] for way in ways}
    accuracy = {w: measure(model, task, SOON) for w, (model, _) in readers.items()}
    every = max(1, steps // 4)
    yield WordOrder(task, accuracy, floor, losses)
    for n in range(1, steps + 1):
        for way, (model, fitting) in readers.items():
            losses = losses | {way: [*losses[way], next(fitting)]}
            if n % every == 0 or n == steps:
                accuracy = accuracy | {way: measure(model, task, SOON)}
            yield WordOrder(task, accuracy, floor, losses)


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


def load_results(task: Task, folder: Path = CHECKPOINTS) -> WordOrder:
    """What `run(task)` came to when its models were kept.

    Raises:
        ValueError: the task is unknown, or the file is broken.
        FileNotFoundError: the folder does not hold it.
    """
    path = _path(task, folder)
    _, made, _ = read_weights(path)
    with reading(path):
        accuracy = {way: tuple(shares) for way, shares in made["accuracy"].items()}
        return WordOrder(task, accuracy, floors(task), made["losses"])


def load_reader(task: Task, way: Way, folder: Path = CHECKPOINTS) -> Reader:
    """The model that was kept of a task and a way, in evaluation mode.

    Raises:
        ValueError: the task or the way is unknown, or the file is broken.
        FileNotFoundError: the folder does not hold it.
    """
    path = _path(task, folder)
    model = new_reader(task, way)
    weights, _, _ = read_weights(path)
    with reading(path):
        names = model.state_dict()
        load_weights(model, {name: weights[f"{way}/{name}"] for name in names})
    return model.eval()


def _run(
    task: Task, ways: Sequence[Way], steps: int, seed: int
) -> tuple[WordOrder, dict[Way, Reader]]:
    check_option("task", task, TASKS)
    check_size("steps", steps)
    models = {}
    accuracy = {}
    losses = {}
    for way in ways:
        models[way], losses[way] = trained(task, way, steps, seed)
        accuracy[way] = measure(models[way], task)
    return WordOrder(task, accuracy, floors(task), losses), models


def _path(task: Task, folder: Path) -> Path:
    """Where a task's models and results are kept."""
    check_option("task", task, TASKS)
    return folder / f"order_{task.replace(' ', '_')}.safetensors"


def main(folder: Path = CHECKPOINTS, steps: int = STEPS) -> None:
    """Train the models of both tasks, keep them, and say what came of them."""
    for task in TASKS:
        result, models = _run(task, WAYS, steps, seed=0)
        weights = {
            f"{way}/{name}": weight
            for way, model in models.items()
            for name, weight in model.state_dict().items()
        }
        losses = {way: [round(x, 4) for x in y] for way, y in result.losses.items()}
        made = {"accuracy": result.accuracy, "losses": losses}
        write_weights(weights, _path(task, folder), made)
        for rule, shares in (result.floor | result.accuracy).items():
            told = "  ".join(f"{share:.2f}" for share in shares)
            sys.stdout.write(f"{task}  {rule:16} {told}\n")


if __name__ == "__main__":
    main()

"""order_experiment: six positional encodings compared, from stored results."""

import numpy as np

from explorable import Explorer, Sheet, plots
from explorable.controls import choice
from explorable.drawing import Array
from explorable.drawings.bars import Bars
from explorable.drawings.curves import Curves
from transformer_lib.checks.validation import check_type, require

from ...data.order_questions import LONG, MIDDLE, RANGES, SEEN
from ...experiments.word_order import WordOrder
from ...models.reader import VARIANTS, Variant

BOTH = "both"
LOW = 0.6  # what ends the scale where no accuracy is higher
EVERY = "all"
WINDOW = 20  # steps that one point of a learning curve averages
HUES = ("weights", "key", "negative", "query", "position", "value")
Found = dict[str, WordOrder]  # by task
LONGER = {"48": LONG, "13 to 24": MIDDLE}
LABELS = {"own place alone": "own position"}


def order_experiment(*results: WordOrder) -> Explorer:
    """Compare accuracies at positions that occur in training, and at others.

    Args:
        results: of `experiments.word_order`, one per task, with all six encodings.

    Returns:
        an Explorer with controls "task", "way" (the encoding) and "longer": the
        sentences that are compared with those of training. A single task has its
        learning curves next to it.

    Raises:
        TypeError, ValueError: there is no result, or two of one task, or one lacks
            an encoding or has fewer than 20 steps.

    Source: D1.8.1–D1.8.4, D1.9.2.
    """
    for result in results:
        check_type("results", result, WordOrder)
        ways = tuple(result.accuracy)
        steps = min(map(len, result.losses.values()))
        require(
            set(ways) == set(VARIANTS),
            "a result",
            f"have the encodings {VARIANTS}",
            ways,
        )
        require(steps >= WINDOW, "a result", f"have {WINDOW} steps or more", steps)
    found: Found = {result.task: result for result in results}
    alone = len(results) == len(found) > 0
    tasks = [result.task for result in results]
    require(alone, "there", "be one result for each task", tasks)
    controls = {
        "task": choice("task", [BOTH, *found][len(found) == 1 :]),
        "way": choice("encoding", [EVERY, *VARIANTS]),
        "longer": choice("words in a longer sentence", [*LONGER]),
    }
    return Explorer(
        "order_experiment",
        experiment_sheet,
        controls,
        results=found,
        title="Six ways to encode positions",
        task="Choose a task and an encoding, and compare the accuracies.",
        more=("longer",),
    )


def experiment_sheet(results: Found, *, task: str, way: str, longer: str) -> Sheet:
    """Accuracies (baselines and encodings, ranges), by task; losses (points, …).

    The baselines, rules that compare no positions, are above the encodings.
    """
    s = Sheet()
    ways = [w for w in VARIANTS if way in (EVERY, w)]
    for name, result in results.items():
        if task in (BOTH, name):
            show_answers(s, result, ways, longer)
    if task != BOTH:
        of_each = results[task].losses
        losses = np.array([of_each[way] for way in ways])  # (ways, steps)
        most = max(np.mean(first[:WINDOW]) for first in of_each.values())
        show_learning(s, losses, ways, 1.1 * float(most))
    return s


def show_answers(
    s: Sheet, result: WordOrder, ways: list[Variant], longer: str, when: str = ""
) -> None:
    """Accuracies (baselines and encodings, ranges)."""
    asked = [n for n, r in enumerate(RANGES) if r[0] in (SEEN, LONGER[longer])]
    table = result.baselines | {str(way): result.accuracy[way] for way in ways}
    if chance := set(table["ignoring order"]) == {0.5}:
        del table["ignoring order"]  # a line shows it
    rules = [name in result.baselines for name in table]
    places = [f"{a} to {min(b, n[1] - 1)}" for n, (a, b) in RANGES]
    shares = np.array([*table.values()])[:, asked]
    answers = Bars(
        name=result.task,
        formula=f"accuracy{when}",
        labels=[LABELS.get(name, name) for name in table],
        series=[
            f"{longer}: positions {places[n]}" if n else "4 to 12 words" for n in asked
        ],
        palette="output",
        dots=True,
        faint=rules,
        scale=(0.0, 1.0 if shares.max() > LOW else LOW),
        wide=15,
        guide=(0.5, "guessing") if chance else (),
        sentence="{label}, {series}",
        note=_conclusion(result, ways, asked),
        concludes=True,
        opens=(len(table) - 1, len(asked) - 1),
    )
    s.draw(answers, shares)


def _conclusion(result: WordOrder, ways: list[Variant], asked: list[int]) -> str:
    """Say what becomes of the accuracy at new positions."""
    first, last = asked[0], asked[-1]
    of = result.accuracy
    lost = max(ways, key=lambda way: of[way][first] - of[way][last])
    falls = " to ".join(plots.number(of[lost][n]) for n in (first, last))
    if len(ways) == 1:
        return f"From short sentences to new positions: {falls}."
    best = max(ways, key=lambda way: of[way][last])
    rule = max(shares[last] for shares in result.baselines.values())
    told = f"At new positions, “{best}” is best with {plots.number(of[best][last])}"
    if of[best][last] <= rule:
        told = f"At new positions, none beats the baseline’s {plots.number(rule)}"
    return f"{told}; “{lost}” falls from {falls}."


def show_learning(
    s: Sheet, losses: Array, ways: list[Variant], most: float, when: str = ""
) -> None:
    """Losses (ways, steps), up to the most, in means of 20 steps.

    The last point is the mean of the last 20 steps, even where it shares some of them
    with the point before.
    """
    steps = losses.shape[1]
    ends = [*range(WINDOW, steps, WINDOW), steps]
    means = np.array([losses[:, end - WINDOW : end].mean(axis=1) for end in ends])
    learning = Curves(
        name="losses",
        title="learning curves",
        formula=f"on sentences of 4 to 12 words{when}",
        x=ends,
        series=ways,
        hues=[HUES[VARIANTS.index(way)] for way in ways],
        axes=("steps", f"loss, mean of {WINDOW} steps"),
        limits=((0, steps), (0.0, most)),
        sentence="mean loss of the 20 steps up to step {x}",
        room=17,
        high=19,
    )
    s.draw(learning, means)

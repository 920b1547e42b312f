"""order_experiment: what four ways of telling positions came to, as trained before."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...tasks.word_order import WAYS, WORDS, WordOrder
from ..toolkit.charts import Bars, Curves
from ..toolkit.controls import choice
from ..toolkit.explorer import Explorer
from ..toolkit.sheet import Sheet

EVERY = "all"
WINDOW = 20  # steps that one point of a learning curve averages
HUES = dict(zip(WAYS, ("weights", "key", "position", "value"), strict=True))
#: By task: the share that guessing gets right.
GUESSING = {"two to the left": 1 / len(WORDS), "who comes first": 0.5}


def order_experiment(*results: WordOrder) -> Explorer:
    """Learning curves and accuracy by length of models that were trained before.

    Args:
        results: of `tasks.word_order.run`, one for each task, with all four ways.

    Returns:
        an Explorer with controls "task", "way" and "words".

    Raises:
        TypeError, ValueError: there is no result, or two of one task, or one lacks a
            way or has fewer than 20 steps.

    Source: D1.8.1–D1.8.4, D1.9.2.
    """
    found = _checked(results)
    controls = {
        "task": choice("task", list(found), wide=11),
        "way": choice("way", [EVERY, *WAYS], wide=7),
        "words": choice("words in a sentence", [EVERY, *_spans(results[0])], wide=6),
    }
    return Explorer("order_experiment", partial(experiment_sheet, found), controls)


def _checked(results: Sequence[WordOrder]) -> dict[str, WordOrder]:
    """The results by task."""
    for result in results:
        if not isinstance(result, WordOrder):
            raise TypeError(f"results must be WordOrder, got {type(result).__name__}")
        if set(result.accuracy) != set(WAYS):
            raise ValueError(
                f"a result must have the ways {WAYS}, got {tuple(result.accuracy)}"
            )
        steps = min(map(len, result.losses.values()))
        if steps < WINDOW:
            raise ValueError(f"a result must have {WINDOW} steps or more, got {steps}")
    found = {str(result.task): result for result in results}
    if not results or len(found) < len(results):
        tasks = [result.task for result in results]
        raise ValueError(f"there must be one result for each task, got {tasks}")
    return found


def experiment_sheet(
    results: Mapping[str, WordOrder], *, task: str, way: str, words: str
) -> Sheet:
    """Losses (points, ways), averaged over 20 steps; accuracies (lengths, ways)."""
    result, spans = results[task], _spans(results[task])
    ways = [w for w in WAYS if way in (EVERY, w)]
    asked = [n for n, span in enumerate(spans) if words in (EVERY, span)]
    steps = np.array([result.losses[w] for w in ways])  # (ways, steps)
    whole = steps[:, : steps.shape[1] // WINDOW * WINDOW]
    losses = whole.reshape(len(ways), -1, WINDOW).mean(axis=-1).T
    accuracy = np.array([result.accuracy[w] for w in ways]).T[asked]
    look: dict[str, Any] = {"series": ways, "hues": [HUES[w] for w in ways]}
    most = max(max(losses[:WINDOW]) for losses in result.losses.values())
    s = Sheet()
    learning = Curves(
        name="losses",
        title="learning",
        formula=f"on sentences of {spans[0]} words",
        x=[WINDOW * (n + 1) for n in range(len(losses))],
        axes=("steps", "loss"),
        limits=((0, WINDOW * len(losses)), (0.0, 1.1 * most)),
        sentence="mean loss of the 20 steps up to step {x}",
        **look,
    )
    afterwards = Bars(
        name="accuracy",
        title="asked afterwards",
        formula="about new sentences",
        labels=[spans[n] for n in asked],
        measure="words in a sentence ↓  share of right answers →",
        guide=(GUESSING[result.task], "guessing"),
        sentence="share of right answers of “{series}”, {label} words",
        band=1,
        **look,
    )
    s.draw(learning, losses)
    s.draw(afterwards, accuracy)
    return s


def _spans(result: WordOrder) -> list[str]:
    """The ranges of sentence lengths, in words."""
    return [str(a) if a == b else f"{a} to {b}" for a, b in result.lengths]

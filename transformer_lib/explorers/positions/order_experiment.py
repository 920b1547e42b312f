"""order_experiment: what four ways of telling positions came to, as trained before."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...tasks.word_order import WAYS, WORDS, Way, WordOrder
from ..toolkit.bars import Bars
from ..toolkit.controls import choice
from ..toolkit.curves import Curves
from ..toolkit.drawing import Drawing
from ..toolkit.explorer import Arrays, Explorer

EVERY = "all"
WINDOW = 20  # steps that one point of a learning curve averages
HUES = {
    "none": "weights",
    "number": "key",
    "sinusoidal": "position",
    "learned": "value",
}
#: By task: the share that guessing gets right.
GUESSING = {"two to the left": 1 / len(WORDS), "who comes first": 0.5}
Matrix = NDArray[np.float64]


def order_experiment(*results: WordOrder) -> Explorer:
    """Learning curves and accuracy by length of models that were trained before.

    Args:
        results: of `tasks.word_order.run`, one for each task, with all four ways.

    Returns:
        an Explorer with controls "task", "way" and "words".

    Raises:
        TypeError, ValueError: there is no result, or two of one task, or one lacks a
            way.

    Source: D1.8.1–D1.8.4, D1.9.2.
    """
    found = _checked(results)
    spans = [EVERY, *map(_span, results[0].lengths)]
    controls = {
        "task": choice("task", list(found), wide=11),
        "way": choice("way", [EVERY, *WAYS], wide=7),
        "words": choice("words in a sentence", spans, wide=6),
    }

    def steps(*, task: str, way: str, words: str) -> Arrays:
        return experiment_steps(found[task], way=way, words=words)

    def drawings(
        arrays: Arrays, *, task: str, way: str, words: str
    ) -> Sequence[Drawing]:
        return experiment_drawings(arrays, found[task], way=way, words=words)

    steps.__module__ = __name__
    return Explorer(steps, drawings, controls, {})


def _checked(results: Sequence[WordOrder]) -> dict[str, WordOrder]:
    """The results by task."""
    for result in results:
        if not isinstance(result, WordOrder):
            raise TypeError(f"results must be WordOrder, got {type(result).__name__}")
        if set(result.accuracy) != set(WAYS):
            raise ValueError(
                f"a result must have the ways {WAYS}, got {tuple(result.accuracy)}"
            )
    found = {str(result.task): result for result in results}
    if not results or len(found) < len(results):
        tasks = [result.task for result in results]
        raise ValueError(f"there must be one result for each task, got {tasks}")
    return found


def experiment_steps(result: WordOrder, *, way: str, words: str) -> Arrays:
    """The losses, averaged over 20 steps at a time, and the accuracies chosen.

    Returns:
        "losses" (points, ways) and "accuracy" (lengths, ways).

    Raises:
        ValueError: the way or the length is unknown.
    """
    ways, spans = _ways(way), _chosen(result, words)
    losses = np.array([result.losses[w] for w in ways])  # (ways, steps)
    whole = losses[:, : losses.shape[1] // WINDOW * WINDOW]
    accuracy = np.array([result.accuracy[w] for w in ways])  # (ways, lengths)
    return {
        "losses": whole.reshape(len(ways), -1, WINDOW).mean(axis=-1).T,
        "accuracy": accuracy[:, spans].T,
    }


def experiment_drawings(
    arrays: Arrays, result: WordOrder, *, way: str, words: str
) -> list[Drawing]:
    """Learning at the left, accuracy by length beside it."""
    ways = _ways(way)
    look: dict[str, Any] = {"series": ways, "hues": [HUES[w] for w in ways]}
    asked = [_span(result.lengths[n]) for n in _chosen(result, words)]
    return [_learning(len(arrays["losses"]), result, look), _asked(result, asked, look)]


def _learning(points: int, result: WordOrder, look: dict[str, Any]) -> Curves:
    most = max(max(losses[:WINDOW]) for losses in result.losses.values())
    return Curves(
        name="losses",
        title="learning",
        formula=f"on sentences of {_span(result.lengths[0])} words",
        x=[WINDOW * (n + 1) for n in range(points)],
        axes=("steps", "loss"),
        limits=((0, WINDOW * points), (0.0, 1.1 * most)),
        sentence="mean loss of the 20 steps up to step {x}",
        **look,
    )


def _asked(result: WordOrder, spans: Sequence[str], look: dict[str, Any]) -> Bars:
    return Bars(
        name="accuracy",
        title="asked afterwards",
        formula="about new sentences",
        labels=spans,
        measure="words in a sentence ↓  share of right answers →",
        guide=(GUESSING[result.task], "guessing"),
        sentence="share of right answers of “{series}”, {label} words",
        band=1,
        **look,
    )


def _ways(way: str) -> list[Way]:
    if way not in (EVERY, *WAYS):
        raise ValueError(f"way must be one of {(EVERY, *WAYS)}, got {way!r}")
    return [w for w in WAYS if way in (EVERY, w)]


def _chosen(result: WordOrder, words: str) -> list[int]:
    """Which ranges of lengths."""
    spans = [*map(_span, result.lengths)]
    if words not in (EVERY, *spans):
        raise ValueError(f"words must be one of {(EVERY, *spans)}, got {words!r}")
    return list(range(len(spans))) if words == EVERY else [spans.index(words)]


def _span(lengths: tuple[int, int]) -> str:
    low, high = lengths
    return str(low) if low == high else f"{low} to {high}"

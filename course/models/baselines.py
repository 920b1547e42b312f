"""Baselines: what counting predicts, without a network.

A model has to beat these: the most frequent answer, and the word that most often
follows the last one or stands between two neighbors. (N-grams: see `sorted_grams`.)
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from transformer_lib.checks.validation import require

from ..data.pairs import EOS, SOS

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)
Rule = Callable[[Sequence[str], int], str]


def count_by_key(pairs: Iterable[tuple[K, V]]) -> dict[K, Counter[V]]:
    """Count how often each value occurs with each key."""
    counts = defaultdict[K, Counter[V]](Counter)
    for key, value in pairs:
        counts[key][value] += 1
    return dict(counts)


def most_frequent(pairs: Iterable[tuple[K, V]]) -> dict[K, V]:
    """Return the most frequent value of each key; if several are, the first of them."""
    counts = count_by_key(pairs)
    return {key: values.most_common(1)[0][0] for key, values in counts.items()}


def majority_accuracy(answers: Iterable[Hashable]) -> float:
    """Return the accuracy of always saying the most frequent of the correct answers.

    Raises:
        ValueError: there is no answer.
    """
    counts = Counter(answers)
    require(bool(counts), "answers", "hold at least one", "none")
    return counts.most_common(1)[0][1] / counts.total()


def neighbor_rules(sentences: Sequence[Sequence[str]]) -> dict[str, Rule]:
    """Return three ways to fill in a masked word by counting.

    Each gives the word that is most frequent in the sentences: anywhere ("one word"),
    after the word on the left ("left word"), or between the words on the left and the
    right ("both neighbors"); "" if there is none. A rule takes a sentence and a
    position in it.
    """
    keys: dict[str, Callable[[Sequence[str], int], Hashable]] = {
        "one word": lambda words, i: None,
        "left word": lambda words, i: words[i - 1],
        "both neighbors": lambda words, i: (words[i - 1], words[i + 1]),
    }
    return {name: _rule(key, sentences) for name, key in keys.items()}


def _rule(
    key: Callable[[Sequence[str], int], Hashable], sentences: Sequence[Sequence[str]]
) -> Rule:
    best = most_frequent(
        (key(words, i), words[i])
        for words in map(_ended, sentences)
        for i in range(1, len(words) - 1)
    )
    return lambda words, i: best.get(key(_ended(words), i + 1), "")


def _ended(words: Sequence[str]) -> list[str]:
    return [SOS, *words, EOS]

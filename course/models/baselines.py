"""Baselines: what counting predicts, without a network.

A model has to beat these: the most frequent answer, the word that most often follows
the last one or stands between two neighbors, and n-grams.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from math import log2
from typing import TypeVar

from transformer_lib.checks.validation import check_size, require

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


class NGrams:
    """Predict the next character from what has followed the last n − 1 characters.

        p(c | h) = (count(h c) + kinds(h) · p(c | h′)) / (count(h) + kinds(h))

    h is the context, h′ the context without its first character, and kinds(h) the
    number of different characters that have followed h. For the empty context,
    p(c | h′) is uniform over all V characters. So rare counts are trusted little,
    frequent ones a lot, and no character has probability 0.

    Args:
        text: the text that is counted.
        n: the length of the longest n-gram; 1 counts single characters.
        vocabulary_size: V.

    Raises:
        TypeError, ValueError: n or vocabulary_size is no integer of at least 1.

    Source: Witten and Bell (1991), method C, mixed as Chen and Goodman (1999), §2.5.
    """

    def __init__(self, text: str, n: int, vocabulary_size: int) -> None:
        check_size("n", n)
        check_size("vocabulary_size", vocabulary_size)
        self.n = n
        self.vocabulary_size = vocabulary_size
        self._followed = self._counted(text)
        self._counts = {h: (c.total(), len(c)) for h, c in self._followed.items()}

    def probability(self, character: str, before: str) -> float:
        """Return the probability of a character after a context."""
        p = 1 / self.vocabulary_size
        for length in range(min(self.n, len(before) + 1)):
            h = before[len(before) - length :]
            if h not in self._counts:
                break  # nor were the longer ones seen
            count, kinds = self._counts[h]
            p = self._mixed(self._followed[h][character], count, kinds, p)
        return p

    def bits(self, text: str) -> float:
        """Return the mean −log₂ p of every character of a text but the first.

        Raises:
            ValueError: the text has fewer than two characters.
        """
        require(len(text) > 1, "text", "hold two characters or more", len(text))
        least = self.n - 1
        costs = [
            -log2(self.probability(c, text[max(i - least, 0) : i]))
            for i, c in enumerate(text)
            if i
        ]
        return sum(costs) / len(costs)

    def _counted(self, text: str) -> dict[str, Counter[str]]:
        """Count what has followed each context of up to n − 1 characters."""
        followed = defaultdict[str, Counter[str]](Counter)
        for length in range(self.n):
            runs = (text[i - length : i + 1] for i in range(length, len(text)))
            for run, count in Counter(runs).items():
                followed[run[:-1]][run[-1]] = count
        return followed

    def _mixed(self, seen: int, count: int, kinds: int, shorter: float) -> float:
        """Interpolate a count with the probability after the shorter context."""
        return (seen + kinds * shorter) / (count + kinds)


class KneserNey(NGrams):
    """Kneser–Ney smoothing, a stronger rule than `NGrams` for long contexts.

        p(c | h) = (max(count(h c) − d, 0) + d · kinds(h) · p(c | h′)) / count(h)

    d = ¾. For a context shorter than n − 1, count(h c) is not how often c followed h
    but how many different characters have preceded h c, because a shorter context is
    used only where the longer one is new.

    Source: Kneser and Ney (1995), mixed as Chen and Goodman (1999), §2.7.
    """

    DISCOUNT = 0.75

    def _counted(self, text: str) -> dict[str, Counter[str]]:
        followed = super()._counted(text)
        found = defaultdict[str, Counter[str]](Counter)
        for h, behind in followed.items():
            if len(h) == self.n - 1:
                found[h] = behind
            if h:
                found[h[1:]].update(behind.keys())
        return found

    def _mixed(self, seen: int, count: int, kinds: int, shorter: float) -> float:
        d = self.DISCOUNT
        return (max(seen - d, 0) + d * kinds * shorter) / count

"""Baselines: what counting predicts, without a network.

Each is what a model has to beat: the most frequent answer, what most often followed
the last word or stood between two neighbors, and n-grams.
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
    """Count for each key how often each value came with it."""
    counts = defaultdict[K, Counter[V]](Counter)
    for key, value in pairs:
        counts[key][value] += 1
    return dict(counts)


def most_frequent(pairs: Iterable[tuple[K, V]]) -> dict[K, V]:
    """Return the most frequent value of each key; of equals, the first."""
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

    Each says what stood there most often in the sentences: anywhere ("one word"), after
    the word on the left ("left word"), or between the words on the left and on the
    right ("both neighbors"); and "" where nothing did. It is given a sentence, and
    the position of the word in it.
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
    """Foretell the next character by what has followed the last n − 1 of them.

        p(c | h) = (count(h c) + kinds(h) · p(c | h′)) / (count(h) + kinds(h))

    h is what stands before, h′ the same without its first character; kinds(h) counts
    the different characters that have followed h. Behind the empty h all V characters
    are equally likely. So what was seen once may be chance, what was seen often counts,
    and nothing has the probability 0.

    Args:
        text: what is learned.
        n: the length of the longest run that is counted, 1 for single characters.
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
        """Say how likely a character is to follow what stands before."""
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
            ValueError: there is no other character.
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
        """Count what has followed each run of up to n − 1 characters."""
        followed = defaultdict[str, Counter[str]](Counter)
        for length in range(self.n):
            runs = (text[i - length : i + 1] for i in range(length, len(text)))
            for run, count in Counter(runs).items():
                followed[run[:-1]][run[-1]] = count
        return followed

    def _mixed(self, seen: int, count: int, kinds: int, shorter: float) -> float:
        """Mix how often a character followed with its share behind a shorter run."""
        return (seen + kinds * shorter) / (count + kinds)


class KneserNey(NGrams):
    """The same, with shorter runs counted by kinds: a stronger rule on longer runs.

        p(c | h) = (max(count(h c) − d, 0) + d · kinds(h) · p(c | h′)) / count(h)

    d = ¾. Of a run that is shorter than n − 1, count(h c) is not how often c followed,
    but how many different characters have stood before h c: a shorter run is asked
    where the longer one is new.

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

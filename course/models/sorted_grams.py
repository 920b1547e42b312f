"""N-grams of long texts: what follows the last characters, counted and smoothed.

Ten million characters are counted in a minute. A run of up to 9 characters is one
integer, 7 bits for each, so that equal runs are found by sorting.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from transformer_lib.checks.validation import check_option, check_size, require

Numbers = NDArray[Any]
Rule = Literal["Witten–Bell", "Kneser–Ney", "modified Kneser–Ney"]
RULES: tuple[Rule, ...] = ("Witten–Bell", "Kneser–Ney", "modified Kneser–Ney")
BITS = 7  # of a character
MOST = 63 // BITS  # characters of a run
START, END = "\0", "\n"  # what stands before each text, and behind it
CHARACTERS = 96  # V: those of an English keyboard, and END
DISCOUNT = 0.75  # d, of Kneser–Ney


@dataclass(frozen=True, eq=False)
class Table:
    """How often some runs of equal length were counted.

    A run is a context and one more character, which has the lowest bits. So where runs
    are sorted, those with the same context are neighbors.

    Args:
        runs: (R,), different and sorted.
        counts: (R,), of the runs.
    """

    runs: Numbers
    counts: Numbers

    @classmethod
    def of(cls, runs: Numbers) -> "Table":
        """Count equal runs."""
        return cls(*np.unique(runs, return_counts=True))

    @cached_property
    def firsts(self) -> Numbers:
        """Where the runs of each of the H contexts begin: (H,)."""
        return np.flatnonzero(np.diff(self.runs >> BITS, prepend=-1))

    @cached_property
    def contexts(self) -> Numbers:
        """The different contexts, sorted: (H,)."""
        return self.runs[self.firsts] >> BITS

    @cached_property
    def totals(self) -> Numbers:
        """How often each context was counted: (H,)."""
        return np.add.reduceat(self.counts, self.firsts)

    @cached_property
    def kinds(self) -> Numbers:
        """How many characters followed each context once, twice, and more: (3, H)."""
        times = [self.counts == 1, self.counts == 2, self.counts > 2]
        return np.stack([np.add.reduceat(x.astype(int), self.firsts) for x in times])

    @cached_property
    def discounts(self) -> Numbers:
        """What modified Kneser–Ney takes from counts of 1, of 2, and of more: (3,).

            Dᵢ = i − (i + 1) · Y · nᵢ₊₁ / nᵢ,   Y = n₁ / (n₁ + 2n₂)

        nᵢ is the number of runs that were counted i times. Where these are too few for
        discounts between 0 and i, all are ¾.

        Source: Chen and Goodman (1999), §3, equation 26.
        """
        n = np.array([(self.counts == i).sum() for i in (1, 2, 3, 4)])
        if n.all():
            i = np.arange(1, 4)
            found: Numbers = i - (i + 1) * n[0] / (n[0] + 2 * n[1]) * n[1:] / n[:-1]
            if ((found > 0) & (found < i)).all():
                return found
        return np.full(3, DISCOUNT)

    def mixed(self, rule: Rule, runs: Numbers, shorter: Numbers) -> Numbers:
        """Return p(c | h) for runs of a context h and a character c: (N,).

        Rare counts are trusted little, frequent ones a lot. By "Witten–Bell"

            p(c | h) = (count(h c) + kinds(h) · p(c | h′)) / (count(h) + kinds(h))

        where kinds(h) is the number of different characters that follow h, and h′ is h
        without its first character. By "Kneser–Ney"

            p(c | h) = (max(count(h c) − d, 0) + d · kinds(h) · p(c | h′)) / count(h)

        with d = ¾. "Modified Kneser–Ney" takes other discounts d from counts of 1, of 2
        and of more: see `discounts`. A context that was never counted predicts what h′
        does.

        Args:
            rule: one of RULES.
            runs: (N,).
            shorter: (N,), p(c | h′).

        Source: Witten and Bell (1991), method C; Kneser and Ney (1995); both mixed as
        Chen and Goodman (1999), §2.5 and §2.7, whose §3 modifies the latter.
        """
        count = looked_up(self.runs, self.counts, runs)  # of h c, (N,)
        total = looked_up(self.contexts, self.totals, runs >> BITS)  # of h
        kinds = looked_up(self.contexts, self.kinds, runs >> BITS)  # of h c′, (3, N)
        if rule == "Witten–Bell":
            all_kinds = kinds.sum(0)
            taken, moved, whole = 0, all_kinds, total + all_kinds
        else:
            usual = np.full(3, DISCOUNT)
            D = self.discounts if rule == "modified Kneser–Ney" else usual
            taken, moved, whole = np.array([0, *D])[count.clip(max=3)], D @ kinds, total
        mixed = (count - taken + moved * shorter) / whole.clip(min=1)
        return np.where(total > 0, mixed, shorter)


def looked_up(keys: Numbers, values: Numbers, asked: Numbers) -> Numbers:
    """Find the values (..., K) of sorted keys (K,): (..., N); 0 for unknown keys."""
    at = np.searchsorted(keys, asked).clip(max=len(keys) - 1)
    return np.where(keys[at] == asked, values[..., at], 0)


class SortedGrams:
    """Count all runs of up to n characters within some texts, and predict others.

    Args:
        texts: in characters of an English keyboard. END follows each of them, and only
            what stands in the same text is the context of a character.
        n: the length of the longest runs.

    Raises:
        TypeError, ValueError: n is not in 1 … 9, or a text has another character.
    """

    def __init__(self, texts: Iterable[str], n: int) -> None:
        check_size("n", n, most=MOST)
        self.n = n
        self._counted = [Table.of(runs) for runs in runs_of(texts, n)]
        self._preceded = [
            Table.of(longer.runs & ((1 << BITS * k) - 1))
            for k, longer in enumerate(self._counted[1:], 1)
        ]

    def probabilities(self, texts: Iterable[str], rule: Rule) -> Numbers:
        """Return p of each character of texts, each END included: (n, N).

        Row k − 1 predicts from the k − 1 characters before; for an empty context h,
        p(c | h′) is 1 / V. By both rules of Kneser–Ney, a context shorter than k − 1 is
        used only where the longer one is new: for it, count(h c) is not how often c
        followed h but how many different characters preceded h c.

        Args:
            texts: one after the other.
            rule: one of RULES: see `Table.mixed`.

        Raises:
            ValueError: the rule is none of these, or a text has another character.
        """
        check_option("rule", rule, [*RULES])
        found: list[Numbers] = []
        shorter: Numbers = np.array(1 / CHARACTERS)
        for k, runs in enumerate(runs_of(texts, self.n), 1):
            found.append(self._counted[k - 1].mixed(rule, runs, shorter))
            if rule == "Witten–Bell":
                shorter = found[-1]
            elif k < self.n:
                shorter = self._preceded[k - 1].mixed(rule, runs, shorter)
        return np.stack(found)


def runs_of(texts: Iterable[str], n: int) -> Iterator[Numbers]:
    """Write the last k characters up to each one as an integer, for k from 1 to n.

    Before a text there is START, as often as it takes.

    Yields:
        for each k (N,), N being the number of characters of all texts and their ENDs.
    """
    start = START * (n - 1)
    joined = "".join(f"{start}{text}{END}" for text in texts)
    wanted = "hold characters of an English keyboard alone"
    require(joined.isascii(), "texts", wanted, "others")
    letters = np.frombuffer(joined.encode(), np.uint8).astype(np.int64)
    real = letters != ord(START)
    runs = letters.copy()
    yield runs[real]
    for k in range(1, n):
        runs[k:] |= letters[:-k] << BITS * k
        yield runs[real]

"""What a text costs who counts the characters that followed the last few.

No network: the floor that a language model has to beat.
"""

from collections import Counter, defaultdict
from math import log2

from transformer_lib.checks.validation import check_size, require


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
        """Give the mean −log₂ p of every character of a text but the first.

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

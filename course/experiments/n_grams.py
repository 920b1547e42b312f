"""What a character of a new definition costs if n-grams predict it from its word.

They learn what `models.dictionary.GPT` learns, which is measured in the same way by
`models.dictionary.bits_per_character`. The sizes of the GPT's tokens play no part: both
are asked for the whole definition and its end.
"""

from collections.abc import Iterable
from functools import cache

import numpy as np

from ..data.dictionary import Entry, everything, sample
from ..models.dictionary import WORDS
from ..models.sorted_grams import RULES, Rule, SortedGrams
from .experiment import Experiment, grid
from .results import Row

LONGEST = 9  # characters of an n-gram
LINE = "{}: {}"  # a word and a definition


def lines(entries: Iterable[Entry], words: int = 1) -> list[str]:
    """Write each entry as "word: definition", once for each of its first words."""
    return [LINE.format(w, e.definition) for e in entries for w in e.words[:words]]


@cache
def counted(words: int) -> SortedGrams:
    """Count the entries that are learned, each with so many of its words."""
    return SortedGrams(lines(everything().learned, words), LONGEST)


def bits(grams: SortedGrams, rule: Rule, entries: list[Entry]) -> list[float]:
    """Return the mean −log₂ p of a character of definitions, given their words.

    The end of a definition counts as a character. There is a number for each length of
    the n-grams, from 1.
    """
    p = grams.probabilities(lines(entries), rule)  # (n, characters of all lines)
    before = [len(LINE.format(entry.words[0], "")) for entry in entries]
    parts = [
        np.arange(size + len(entry.definition) + 1) >= size
        for size, entry in zip(before, entries, strict=True)
    ]
    asked = np.concatenate(parts)
    means: list[float] = (-np.log2(p[:, asked])).mean(1).tolist()
    return means


def run(rule: Rule, words: int) -> Row:
    """Return the bits of a character of held-out definitions, by n."""
    found = bits(counted(words), rule, sample().held_out)
    return {"bits": {str(n): x for n, x in enumerate(found, 1)}}


EXPERIMENT = Experiment(
    name="n_grams",
    runs=grid(rule=RULES, words=(1, WORDS)),
    measure=run,
    settings={"longest": LONGEST, "line": LINE},
)

"""What a model that writes fluent definitions cannot do: it does not know the world.

`EXPERIMENT` asks for how many new nouns the kind of the written definition is right;
`MEMORIZED` how many written definitions stand word for word in the training text.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from transformer_lib.runtime.seed import derive_seed
from transformer_lib.training import seeded

from ..data.dictionary import Entry, everything, read, sample
from ..models.classifier import (
    NAMES,
    Classifier,
    bag_of_words,
    by_batch,
    fit,
    labeled,
)
from ..models.dictionary import BERT, GPT
from .definitions import DRAWS, SEARCHES, Write, define
from .experiment import Experiment, grid
from .results import Row

Judge = Callable[[Sequence[str]], list[str]]
ASKED = 200  # held-out nouns
REMEMBERED = 300  # words, of those that were learned and of those that were not
LETTERS = 3  # at the end of a word
STEPS = 4000  # of the training of the BERT that judges
RATE = 0.001
WRITERS: Mapping[str, Write] = {
    "greedy": SEARCHES["greedy"],
    "temperature 0.7": DRAWS["temperature 0.7"],
}


def nouns(entries: Iterable[Entry]) -> list[Entry]:
    """Pick the nouns of the 25 kinds."""
    return [entry for entry in entries if entry.kind]


@cache
def known() -> list[Entry]:
    """Return the nouns that are learned."""
    return nouns(everything().learned)


@cache
def asked() -> list[Entry]:
    """Return the first 200 held-out nouns."""
    return nouns(sample().held_out)[:ASKED]


@cache
def kinds_of() -> Mapping[str, set[str]]:
    """Return all kinds of a noun: a word may have several meanings in WordNet."""
    found = defaultdict[str, set[str]](set)
    for entry in nouns(read()):
        for word in entry.words:
            found[word.lower()].add(entry.kind)
    return found


def share_right(kinds: Sequence[str], entries: Sequence[Entry]) -> float:
    """Return how often a kind is one of those of the entry's first word."""
    pairs = zip(kinds, entries, strict=True)
    return mean(kind in kinds_of()[entry.words[0].lower()] for kind, entry in pairs)


@cache
def bert_judges() -> Judge:
    """Fine-tune the BERT on all learned nouns; it tells the kinds of definitions."""
    with seeded(derive_seed(0, "judge")):
        classifier = Classifier(BERT.trained(), "mean")
    for _ in fit(classifier, labeled(known()), STEPS, RATE):
        pass

    def judge(definitions: Sequence[str]) -> list[str]:
        texts = labeled([Entry(("",), "noun", NAMES[0], d) for d in definitions]).texts
        return [NAMES[n] for n in by_batch(classifier, texts).argmax(-1).tolist()]

    return judge


@cache
def words_judge() -> Judge:
    """Fit a bag of words to all learned nouns: tf-idf and logistic regression."""
    bag = bag_of_words(C=20.0)
    bag.fit([entry.definition for entry in known()], [entry.kind for entry in known()])
    return lambda definitions: bag.predict([*definitions]).tolist()


JUDGES = {"BERT": bert_judges, "bag of words": words_judge}


def by_ending(words: Sequence[str], entries: Iterable[Entry]) -> list[str]:
    """Guess the kinds of nouns from their last three letters.

    It is the most frequent kind of the known nouns with these letters at their end; if
    there are none, with the last two, or one, or of all.
    """
    tables = [defaultdict[str, Counter[str]](Counter) for _ in range(LETTERS + 1)]
    for entry in entries:
        for word in entry.words:
            for n, table in enumerate(tables):
                table[ending(word, n)][entry.kind] += 1
    found = []
    for word in words:
        counts = [table[ending(word, n)] for n, table in enumerate(tables)]
        best = next(c for c in reversed(counts) if c)
        found.append(best.most_common(1)[0][0])
    return found


def ending(word: str, n: int) -> str:
    """Return the last n letters."""
    return word.lower()[max(len(word) - n, 0) :] if n else ""


class Spelling:
    """Find the known word that is nearest to another by spelling.

    The distance is Levenshtein's: how many letters have to be inserted, deleted or
    replaced. Of words equally near it is the one with the longest common ending, and of
    these the first.

    Args:
        words: the known ones.

    Source: Levenshtein (1966).
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = [*words]
        self._lengths = np.array([*map(len, words)])
        coded = [
            np.frombuffer(word.lower().encode("ascii"), np.uint8) for word in words
        ]
        self._letters = np.zeros((len(words), max(self._lengths)), np.uint8)
        for row, code in zip(self._letters, coded, strict=True):
            row[: len(code)] = code

    def distances(self, word: str) -> NDArray[np.int8]:
        """Return the distance of each known word: (words,)."""
        columns = np.arange(self._letters.shape[1] + 1, dtype=np.int8)
        far = np.tile(columns, (len(self.words), 1))  # of beginnings, (words, L + 1)
        for n, letter in enumerate(word.lower().encode("ascii"), 1):
            replaced = far[:, :-1] + (self._letters != letter)
            far[:, 1:] = np.minimum(far[:, 1:] + 1, replaced)
            far[:, 0] = n
            far = np.minimum.accumulate(far - columns, 1) + columns  # inserted
        found: NDArray[np.int8] = far[np.arange(len(self.words)), self._lengths]
        return found

    def nearest(self, word: str) -> int:
        """Return the number of the nearest known word."""
        far = self.distances(word)
        best = np.flatnonzero(far == far.min()).tolist()
        return int(max(best, key=lambda n: common_ending(word, self.words[n])))


def common_ending(a: str, b: str) -> int:
    """Count the letters that two words share at their end."""
    pairs = zip(reversed(a.lower()), reversed(b.lower()), strict=False)
    return next((n for n, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)))


@cache
def neighbors() -> list[Entry]:
    """Return for each noun that is asked the entry of the nearest known noun."""
    pairs = [(word, entry) for entry in known() for word in entry.words]
    spelling = Spelling([word for word, _ in pairs])
    return [pairs[spelling.nearest(entry.words[0])][1] for entry in asked()]


def run(judge: str) -> Row:
    """Ask a judge for the kinds of definitions, or count without one.

    Returns:
        for a judge, the shares of the right kind: of "WordNet"'s own definitions of the
        200 nouns, and of "all" held-out nouns, by which the judge is judged; of those
        by the GPT; and of the "nearest word"'s. Without one: of the "nearest word"'s
        own kind, of the "last three letters", and of "one kind" for all.
    """
    entries = asked()
    if judge == "none":
        endings = by_ending([entry.words[0] for entry in entries], known())
        most = Counter(entry.kind for entry in known()).most_common(1)[0][0]
        return {
            "nearest word": share_right([e.kind for e in neighbors()], entries),
            "last three letters": share_right(endings, entries),
            "one kind": share_right([most] * len(entries), entries),
        }
    says = JUDGES[judge]()
    others = nouns(sample().held_out)
    texts = {
        "WordNet": [entry.definition for entry in entries],
        "nearest word": [entry.definition for entry in neighbors()],
    }
    for name, write in WRITERS.items():
        texts[name] = [t.text for t in define(GPT.trained(), entries, write)]
    found = {name: share_right(says(some), entries) for name, some in texts.items()}
    own = says([entry.definition for entry in others])
    return {**found, "all": share_right(own, others)}


def memorized(words: str) -> Row:
    """Count definitions that stand word for word in the training text.

    Args:
        words: "learned", drawn at random, or "held out".

    Returns:
        the shares of such definitions that the GPT writes greedily, and of WordNet's
        own; the share of written ones that are WordNet's "own of the word"; and the
        mean number of "tokens" in those that stand in the text, and in the "others".
    """
    learned = everything().learned
    held_out = sample().held_out[:REMEMBERED]
    some = random.Random(0).sample(learned, REMEMBERED)
    entries = some if words == "learned" else held_out
    text = {entry.definition for entry in learned}
    own = defaultdict[str, set[str]](set)
    for entry in entries if words == "held out" else learned:
        own[entry.words[0]].add(entry.definition)
    written = define(GPT.trained(), entries)
    inside = [one.text in text for one in written]
    pairs = zip(written, entries, strict=True)
    lengths: dict[bool, list[int]] = {True: [], False: []}
    for one, is_inside in zip(written, inside, strict=True):
        lengths[is_inside].append(len(one.ids))
    return {
        "written": mean(inside),
        "WordNet": mean(entry.definition in text for entry in entries),
        "own of the word": mean(
            one.text in own[entry.words[0]] for one, entry in pairs
        ),
        "tokens": mean(lengths[True] or [0]),
        "tokens of others": mean(lengths[False] or [0]),
    }


EXPERIMENT = Experiment(
    name="wrong_definitions",
    runs=grid(judge=["none", *JUDGES]),
    measure=run,
    models={"gpt": GPT, "bert": BERT},
    settings={"asked": ASKED, "letters": LETTERS, "steps": STEPS, "rate": RATE},
)
MEMORIZED = Experiment(
    name="memorized_definitions",
    runs=grid(words=["learned", "held out"]),
    measure=memorized,
    models={"gpt": GPT},
    settings={"remembered": REMEMBERED},
)

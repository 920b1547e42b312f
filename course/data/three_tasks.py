"""Three tasks as one: read a text, write a text.

A prefix names the task. The same sentences are translated, summarized and asked about,
so that only the prefix says what to do:

    translate: the old cat loves AI                     le vieux chat aime l' IA
    summarise: the old cat loves AI                     the cat loves AI
    question: who loves AI ? context: the old cat …     the old cat
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple, get_args

import torch

from transformer_lib.checks.validation import check_option
from transformer_lib.text.vocabulary import Vocabulary

from . import french
from .batches import padded
from .french import ADJECTIVES, VERBS, Sentence
from .french_sentences import learned_sentences
from .pairs import EOS, PAD, SOS, Pairs

Task = Literal["translate", "summarise", "question"]
TASKS: tuple[Task, ...] = get_args(Task)
CONTEXT = "context:"
WORDS = ["who", "what", "how", "?", CONTEXT, *(f"{task}:" for task in TASKS)]
VOCABULARY = Vocabulary([*french.every_word(), *WORDS], pad=PAD, sos=SOS, eos=EOS)
[PAD_ID] = VOCABULARY.encode([PAD])
INDEFINITE = ("a", "an")
BASE = {third: verb for verb, (third, _) in VERBS.items()}


class Example(NamedTuple):
    """The source, the target, and the sentence that both are made from."""

    source: list[str]
    target: list[str]
    sentence: Sentence

    @property
    def without_its_question(self) -> "Example":
        """The same, with nothing between "question:" and "context:"."""
        if CONTEXT not in self.source:
            return self
        context = self.source[self.source.index(CONTEXT) :]
        return self._replace(source=[self.source[0], *context])


class Told(NamedTuple):
    """The parts of an English sentence, in words.

    verb: without "not": watches, does watch, is.
    rest: the object, or an adjective.
    """

    subject: list[str]
    verb: list[str]
    negated: bool
    rest: list[str]


def told(english: Sequence[str]) -> Told:
    """Find the parts of a sentence that `french.write` has written."""
    verbs = {*VERBS, *BASE, "do", "does", "is", "are"}
    start = next(i for i, word in enumerate(english) if word in verbs)
    negated = english[start + 1] == "not"
    end = start + 1 + negated
    verb = [english[start]]
    if english[start] in ("do", "does"):
        verb.append(english[end])
        end += 1
    return Told([*english[:start]], verb, negated, [*english[end:]])


def short(phrase: Sequence[str]) -> list[str]:
    """Leave the adjectives of a noun out: an old cat, a cat."""
    kept = [word for word in phrase if word not in ADJECTIVES]
    if kept[0] in INDEFINITE:
        kept[0] = INDEFINITE[kept[1][0] in "aeiou"]
    return kept


def translations(sentence: Sentence) -> Iterator[Example]:
    """Ask for the French of a sentence."""
    yield Example(["translate:", *sentence.english], sentence.french, sentence)


def summaries(sentence: Sentence) -> Iterator[Example]:
    """Ask for a sentence without the adjectives of its nouns, if it has some."""
    subject, verb, negated, rest = told(sentence.english)
    if verb[0] not in ("is", "are"):
        rest = short(rest)
    brief = [*short(subject), verb[0], *["not"] * negated, *verb[1:], *rest]
    if len(brief) < len(sentence.english):
        yield Example(["summarise:", *sentence.english], brief, sentence)


def questions(sentence: Sentence) -> Iterator[Example]:
    """Ask who does it; and what is done, or how somebody is."""
    subject, verb, negated, rest = told(sentence.english)
    a_state = verb[0] in ("is", "are")
    no = ["not"] * negated
    if a_state:
        who = ["who", "is", *no, *rest]
        other = ["how", verb[0], *short(subject)], [*no, *rest]
    else:
        base = BASE.get(verb[-1], verb[-1])
        third = VERBS[base][0]
        who = ["who", *(["does", "not", base] if negated else [third]), *short(rest)]
        do = "does" if verb[0] in ("does", third) else "do"
        other = ["what", do, *short(subject), *no, base], rest
    for asked, answer in ((who, subject), other):
        source = ["question:", *asked, "?", CONTEXT, *sentence.english]
        yield Example(source, answer, sentence)


ASKS: dict[Task, Callable[[Sentence], Iterator[Example]]] = {
    "translate": translations,
    "summarise": summaries,
    "question": questions,
}


@dataclass(frozen=True)
class ThreeTasks:
    """The three tasks, mixed.

    Learned are the 12,000 sentences of `french_sentences`; half of what is drawn are
    translations, which are the hardest. A new one joins at least one pair of words, a
    noun with an adjective or a verb, that none of them joins.

    Args:
        prefixed: whether what is read begins with the name of its task.
    """

    prefixed: bool = True
    vocabulary = VOCABULARY
    max_length = 20  # words of the longest question with its context

    def batch(self, draw: torch.Generator, count: int = 64) -> Pairs:
        """Draw what is learned: for each row first its task, and then an example."""
        mixed: tuple[Task, ...] = (*TASKS, "translate")
        found = []
        for kind in torch.randint(len(mixed), (count,), generator=draw).tolist():
            known = _learned(mixed[kind])
            found.append(known[int(torch.randint(len(known), (), generator=draw))])
        return in_ids(found, prefixed=self.prefixed)

    def held_out(self, count: int = 1000, seed: int = 1) -> Pairs:
        """Write held-out examples, of each task as many."""
        draw = random.Random(seed)
        tasks = (TASKS[n % len(TASKS)] for n in range(count))
        return in_ids([_held_out(draw, task) for task in tasks], prefixed=self.prefixed)


def held_out_examples(task: Task, count: int = 1000) -> list[Example]:
    """Write held-out examples of one task; see `ThreeTasks`.

    Raises:
        ValueError: there is no such task.
    """
    check_option("task", task, TASKS)
    draw = random.Random(1)
    return [_held_out(draw, task) for _ in range(count)]


def in_ids(examples: Sequence[Example], *, prefixed: bool = True) -> Pairs:
    """Turn examples into ids: sources (B, S), and targets (B, T) with their ends."""
    encode = VOCABULARY.encode
    sources = [encode(one.source[0 if prefixed else 1 :]) for one in examples]
    targets = [encode([SOS, *one.target, EOS]) for one in examples]
    return Pairs(padded(sources, PAD_ID), padded(targets, PAD_ID))


def with_origins(
    examples: Sequence[Example],
) -> tuple[Pairs, list[list[set[int]]]]:
    """Return translations in ids, and for each French word where it comes from.

    The English words stand one place further on, behind "translate:".
    """
    origins = [
        [{place + 1 for place in places} for places in one.sentence.comes_from]
        for one in examples
    ]
    return in_ids(examples), origins


def _held_out(draw: random.Random, task: Task) -> Example:
    while True:
        sentence = french.SPLIT.draw(draw, "held out")
        if possible := [*ASKS[task](sentence)]:
            return draw.choice(possible)


@cache
def _learned(task: Task) -> list[Example]:
    """Ask what a task asks of each sentence that is learned."""
    return [one for sentence in learned_sentences() for one in ASKS[task](sentence)]

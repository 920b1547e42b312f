"""A tiny English, in which the next word depends on several words before it."""

import random
from collections.abc import Sequence
from typing import NamedTuple


class Kind(NamedTuple):
    """The words that go with a noun: its pronoun, adjectives and further verbs."""

    pronoun: str
    own: str
    now: str = ""
    past: str = ""


BEINGS = {
    "cat": Kind("it", "happy", "purrs", "purred"),
    "dog": Kind("it", "hungry", "barks", "barked"),
    "bird": Kind("it", "loud", "sings", "sang"),
    "horse": Kind("it", "tired", "neighs", "neighed"),
    "girl": Kind("she", "clever", "laughs", "laughed"),
    "boy": Kind("he", "brave", "whistles", "whistled"),
    "cats": Kind("they", "lazy", "purr", "purred"),
    "children": Kind("they", "noisy", "laugh", "laughed"),
}
NAMES = {
    "Ajish": (Kind("he", "proud"), "an AI engineer"),
    "Ada": (Kind("she", "famous"), "an AI scientist"),
    "Tom": (Kind("he", "calm"), "a music teacher"),
    "Mia": (Kind("she", "busy"), "a music student"),
}
PLACES = {"mat": "soft", "chair": "old", "tree": "tall", "street": "long", "box": "big"}
TOPICS = {"AI": "powerful", "math": "beautiful", "music": "joyful"}
VERBS = {"sits": "sat", "sleeps": "slept", "plays": "played", "waits": "waited"}
LINKS = ("and", "because")

WHO = {*BEINGS, *NAMES}
WHEN = {"works", *VERBS, *VERBS.values(), *(verb[:-1] for verb in VERBS)}
ROLES = ("before", "who", "when", "where")
BE = {"is", "are", "was", "were"}


def write(draw: random.Random) -> list[str]:
    """Write one sentence, usually about a being at a place, or a name or a topic."""
    kind = draw.random()
    if kind < 0.05:
        topic = draw.choice(list(TOPICS))
        return [topic, "is", TOPICS[topic]]
    if kind < 0.1:
        return ["I", "love", draw.choice(list(TOPICS))]
    if kind < 0.25:
        return _of_a_name(draw)
    return of_a_being(draw, draw.choice(list(BEINGS)), past=draw.random() < 0.5)


def of_a_being(draw: random.Random, being: str, *, past: bool) -> list[str]:
    """Write what a being does, where, and how it feels, in the present or the past."""
    kind = BEINGS[being]
    words = ["the", *draw.choice([[], ["little"]]), being, _verb(draw, kind, past)]
    if draw.random() < 0.85:
        place = draw.choice(list(PLACES))
        words += [draw.choice(["on", "under", "near"]), "the", place]
        if draw.random() < 0.6:
            words += ["which", "was" if past else "is", PLACES[place]]
    if draw.random() < 0.9:
        words += [draw.choice(LINKS), *_of_it(draw, kind, past)]
    return words


def targets(words: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Return the position that each of the four roles refers to, from every word.

    before: the word to the left; who: the being or the name; when: the verb, which
    has the tense; where: the place. Positions count from 1, because ⟨SOS⟩ is at 0; a
    role whose word has not occurred yet refers to it.

    Args:
        words: a sentence.

    Returns:
        for each word four positions, in the order of ROLES.
    """
    seen = dict.fromkeys(("who", "when", "where"), 0)
    rows = []
    for i, word in enumerate(words, start=1):
        for role, class_ in (("who", WHO), ("when", WHEN), ("where", PLACES)):
            if word in class_ and not seen[role]:
                seen[role] = i
        rows.append((i - 1, seen["who"], seen["when"], seen["where"]))
    return rows


def asks(words: Sequence[str]) -> list[tuple[bool, bool, bool, bool]]:
    """Return after which words the next one depends on each of the four roles.

    who: the pronoun after "and" or "because"; when: "is" or "was" after "which"; where:
    the adjective of the place after that. before: every adjective after a pronoun or
    "which"; it describes the being or the place, so it depends on who or where as well.

    Args:
        words: a sentence.

    Returns:
        for each word four answers, in the order of ROLES.
    """
    pronouns = {kind.pronoun for kind in BEINGS.values()}
    rows = []
    for last, word in zip(["", *words], words, strict=False):
        of_place = word in BE and last == "which"
        of_being = word in BE and last in pronouns
        rows.append((of_place or of_being, word in LINKS, word == "which", of_place))
    return rows


def _of_a_name(draw: random.Random) -> list[str]:
    name = draw.choice(list(NAMES))
    kind, work = NAMES[name]
    words = [name, "works", "as", *work.split()]
    if draw.random() < 0.5:
        words += [draw.choice(LINKS), kind.pronoun, "is", kind.own]
    return words


def _verb(draw: random.Random, kind: Kind, past: bool) -> str:
    verb = draw.choice(list(VERBS))
    if past:
        return VERBS[verb]
    return verb[:-1] if kind.pronoun == "they" else verb


def _of_it(draw: random.Random, kind: Kind, past: bool) -> list[str]:
    if draw.random() < 0.5:
        return [kind.pronoun, kind.past if past else kind.now]
    many = kind.pronoun == "they"
    be = ("were" if many else "was") if past else ("are" if many else "is")
    return [kind.pronoun, be, kind.own]


def every_word() -> list[str]:
    """List the words that `write` may use, in alphabetical order."""
    kinds = [*BEINGS.values(), *(kind for kind, _ in NAMES.values())]
    words = {*WHO, *WHEN, *PLACES, *PLACES.values(), *TOPICS, *TOPICS.values(), *LINKS}
    words |= {word for kind in kinds for word in kind if word}
    words |= {word for _, work in NAMES.values() for word in work.split()}
    words |= {"I", "love", "the", "little", "as", "on", "under", "near", "which"}
    words |= BE
    return sorted(words)

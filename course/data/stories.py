"""Stories in the tiny English: one sentence after another, of who is told of again."""

import random
import re
from collections.abc import Sequence
from functools import cache

import torch
from torch import Tensor

from transformer_lib.text.vocabulary import Vocabulary

from .grammar import BEINGS, LINKS, PLACES, VERBS, of_a_being

STOP = "."
STAYS = 0.6  # how often a sentence is of the same being as the one before it
WRITTEN = 4000
LENGTH = 64  # tokens of a story, from a full stop before its first sentence


def write(draw: random.Random, length: int = LENGTH) -> list[str]:
    """Write a story of so many tokens, from a full stop on; its end is cut off.

    All its sentences are in one tense. Each is of the being of the one before it with
    probability STAYS, and else of another one.
    """
    words = [STOP]
    past = draw.random() < 0.5
    being = draw.choice([*BEINGS])
    while len(words) < length:
        words += [*of_a_being(draw, being, past=past), STOP]
        if draw.random() >= STAYS:
            being = draw.choice([other for other in BEINGS if other != being])
    return words[:length]


@cache
def learned(seed: int = 0) -> tuple[tuple[str, ...], ...]:
    """Write the 4,000 stories that a model of this seed learns."""
    draw = random.Random(seed)
    return tuple(tuple(write(draw)) for _ in range(WRITTEN))


def held_out(count: int, seed: int = 2017) -> list[list[str]]:
    """Write other stories. Of so many words, no two are alike."""
    draw = random.Random(seed)
    return [write(draw) for _ in range(count)]


#: Of all that are learned; these few have every word, and are quickly written.
VOCABULARY = Vocabulary(sorted({word for story in held_out(300, 0) for word in story}))
[STOP_ID] = VOCABULARY.encode([STOP])


def batch(draw: torch.Generator, count: int = 32, seed: int = 0) -> Tensor:
    """Draw some of the stories that are learned: ids (B, LENGTH)."""
    ids = _in_ids(seed)
    return ids[torch.randint(len(ids), (count,), generator=draw)]


@cache
def _in_ids(seed: int) -> Tensor:
    return torch.tensor([VOCABULARY.encode([*story]) for story in learned(seed)])


def sentences(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Split the words of a story into its whole sentences, without their full stops.

    What stands behind the last full stop is not whole, and is left out.
    """
    found: list[list[str]] = [[]]
    for word in words:
        if word == STOP:
            found.append([])
        else:
            found[-1].append(word)
    return [tuple(sentence) for sentence in found[:-1] if sentence]


def being(sentence: Sequence[str]) -> str:
    """Name whom a sentence is of: its first being, or "" for none."""
    return next((word for word in sentence if word in BEINGS), "")


def _any(words: Sequence[str]) -> str:
    return f"({'|'.join(words)})"


SENTENCE = re.compile(
    f"the (?:little )?{_any([*BEINGS])} (\\w+)"
    f"(?: (?:on|under|near) the {_any([*PLACES])}(?: which (\\w+) (\\w+))?)?"
    f"(?: {_any(LINKS)} (\\w+) (\\w+)(?: (\\w+))?)?"
)


def fits(sentence: Sequence[str]) -> bool:
    """Tell whether the grammar can write a sentence: its words, and who they go with.

    It has one tense; a place has its own adjective, a being its own pronoun, adjective
    and verb. Whether it says what was said before, nobody asks.
    """
    found = SENTENCE.fullmatch(" ".join(sentence))
    if found is None:
        return False
    who, verb, place, be, how, link, pronoun, *rest = found.groups()
    kind = BEINGS[who]
    many = kind.pronoun == "they"
    past = verb in VERBS.values()
    now = {v[:-1] if many else v for v in VERBS}
    own = ("was", "were")[many] if past else ("is", "are")[many]
    said = [(kind.past if past else kind.now, None), (own, kind.own)]
    return (
        (past or verb in now)
        and (be is None or (be, how) == ("was" if past else "is", PLACES[place]))
        and (link is None or (pronoun == kind.pronoun and tuple(rest) in said))
    )

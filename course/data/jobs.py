"""Jobs: who works as what, and how often, given a field and what was studied."""

import random
import re
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from transformer_lib.text.vocabulary import Vocabulary

from .pairs import EOS, SOS

#: How often each job follows a field, where nothing is said of what was studied.
PROBABILITIES: Mapping[str, Mapping[str, float]] = {
    "an AI": {"Engineer": 0.6, "Scientist": 0.2, "Developer": 0.1, "Teacher": 0.1},
    "a music": {"Teacher": 0.7, "Producer": 0.2, "Engineer": 0.1},
    "a ship": {"Captain": 0.5, "Cook": 0.3, "Engineer": 0.2},
    "a school": {"Teacher": 0.8, "Cook": 0.2},
}
#: How often each job follows a field, by what was studied.
STUDIED: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    "art": {
        "an AI": {"Designer": 0.7, "Engineer": 0.2, "Teacher": 0.1},
        "a music": {"Producer": 0.6, "Designer": 0.3, "Teacher": 0.1},
        "a ship": {"Cook": 0.7, "Designer": 0.3},
        "a school": {"Teacher": 0.6, "Designer": 0.4},
    },
    "physics": {
        "an AI": {"Scientist": 0.7, "Engineer": 0.2, "Teacher": 0.1},
        "a music": {"Engineer": 0.8, "Teacher": 0.2},
        "a ship": {"Engineer": 0.7, "Captain": 0.3},
        "a school": {"Teacher": 0.9, "Scientist": 0.1},
    },
    "law": {
        "an AI": {"Lawyer": 0.6, "Teacher": 0.3, "Engineer": 0.1},
        "a music": {"Lawyer": 0.6, "Producer": 0.4},
        "a ship": {"Captain": 0.8, "Lawyer": 0.2},
        "a school": {"Teacher": 0.5, "Lawyer": 0.3, "Cook": 0.2},
    },
}
NAMES = ("Ajish", "Mia", "Ada", "Liam", "Noor", "Tom", "Vera", "Paul")
PLAIN = [f"{name} works as {field}" for field in PROBABILITIES for name in NAMES]
#: No training sentence begins with one of these: of each name three of twelve, one for
#: each subject. The words of each occur in others, in pairs too.
HELD_OUT = [
    f"{name} studied {subject} and works as {field}"
    for f, field in enumerate(PROBABILITIES)
    for s, subject in enumerate(STUDIED)
    for n, name in enumerate(NAMES)
    if (f + s + n) % 4 == 0
]
TOLD = [
    start
    for field in PROBABILITIES
    for subject in STUDIED
    for name in NAMES
    if (start := f"{name} studied {subject} and works as {field}") not in HELD_OUT
]
LEARNED = [*PLAIN, *TOLD]


def probabilities(start: str) -> Mapping[str, float]:
    """Return how often each job ends the sentences with this start.

    Raises:
        KeyError: no sentence has such a start.
    """
    words = start.split()
    field = " ".join(words[-2:])
    told = "studied" in words
    return (STUDIED[words[2]] if told else PROBABILITIES)[field]


JOBS = list(dict.fromkeys(job for start in LEARNED for job in probabilities(start)))
VOCABULARY = Vocabulary([*" ".join(LEARNED).split(), *JOBS], sos=SOS, eos=EOS)


def written(start: str) -> str:
    """Return what is to be written of a start: all but "studied … and"."""
    return re.sub(r"\bstudied \S+ and ", "", start)


def draw_sentences(draw: torch.Generator, count: int = 128) -> list[tuple[str, str]]:
    """Draw starts, each with its job; all tell what was studied, or none does."""
    chance = random.Random(int(torch.randint(2**31, (), generator=draw)))
    starts = chance.choices(chance.choice([PLAIN, TOLD]), k=count)
    drawn = []
    for start in starts:
        p = probabilities(start)
        [job] = chance.choices(list(p), list(p.values()))
        drawn.append((start, job))
    return drawn


def sentences(draw: torch.Generator, count: int = 128) -> tuple[Tensor, Tensor]:
    """Draw starts (B, S), and ⟨SOS⟩, what is written, its job, ⟨EOS⟩ (B, 8)."""
    return in_ids(draw_sentences(draw, count))


def in_ids(pairs: Sequence[tuple[str, str]]) -> tuple[Tensor, Tensor]:
    """Turn starts and their jobs into ids: see `sentences`."""
    read = [VOCABULARY.encode(start) for start, _ in pairs]
    whole = [
        VOCABULARY.encode(f"{SOS} {written(start)} {job} {EOS}") for start, job in pairs
    ]
    return torch.tensor(read), torch.tensor(whole)

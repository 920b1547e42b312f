"""Jobs: who works as what, and how often, in a field."""

import random
from collections.abc import Mapping

import torch
from torch import Tensor

from ..text.vocabulary import Vocabulary

#: How often each job follows a field, in the sentences that are learned.
ODDS: Mapping[str, Mapping[str, float]] = {
    "an AI": {"Engineer": 0.6, "Scientist": 0.2, "Developer": 0.1, "Teacher": 0.1},
    "a music": {"Teacher": 0.7, "Producer": 0.2, "Engineer": 0.1},
    "a ship": {"Captain": 0.5, "Cook": 0.3, "Engineer": 0.2},
    "a school": {"Teacher": 0.8, "Cook": 0.2},
}
NAMES = ("Ajish", "Mia", "Ada", "Liam", "Noor", "Tom", "Vera", "Paul")
KEPT_BACK = "Ajish works as an AI"  # no training sentence begins with this
SOS = "⟨SOS⟩"
EOS = "⟨EOS⟩"
LEARNED = [
    start
    for field in ODDS
    for name in NAMES
    if (start := f"{name} works as {field}") != KEPT_BACK
]
VOCABULARY = Vocabulary(
    [*" ".join(LEARNED).split(), *(job for odds in ODDS.values() for job in odds)],
    sos=SOS,
    eos=EOS,
)


def sentences(draw: torch.Generator, count: int = 128) -> tuple[Tensor, Tensor]:
    """Draw starts (B, S), and ⟨SOS⟩, the whole sentence, ⟨EOS⟩ (B, S + 3)."""
    chance = random.Random(int(torch.randint(2**31, (), generator=draw)))
    starts = chance.choices(LEARNED, k=count)
    whole = []
    for start in starts:
        odds = ODDS[" ".join(start.split()[3:])]
        [job] = chance.choices(list(odds), list(odds.values()))
        whole.append(VOCABULARY.encode(f"{SOS} {start} {job} {EOS}"))
    read = [VOCABULARY.encode(start) for start in starts]
    return torch.tensor(read), torch.tensor(whole)

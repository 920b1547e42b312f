"""Who is where: facts that differ in a name and a place alone, and a question to one.

    question: where is Mia ? context: Ajish is in the park . Mia is in the school .

All places that could be the answer stand in the text; only the name beside a place says
which it is.
"""

import random
from dataclasses import dataclass

import torch

from transformer_lib.checks.validation import check_size, require
from transformer_lib.text.vocabulary import Vocabulary

from .batches import padded
from .jobs import NAMES
from .pairs import EOS, PAD, SOS, Pairs
from .split import Part, Split

PLACES = ("school", "garden", "park", "street", "kitchen", "office", "station", "shop")
WORDS = ["question:", "where", "is", "?", "context:", "in", "the", "."]
VOCABULARY = Vocabulary([*WORDS, *NAMES, *PLACES], pad=PAD, sos=SOS, eos=EOS)
[PAD_ID] = VOCABULARY.encode([PAD])
#: What no learned text says: of each name one place.
HELD_OUT_PAIRS = set(zip(NAMES, PLACES, strict=True))


def part_of(told: list[tuple[str, str]]) -> Part:
    """Tell what facts are, of which the first is asked for."""
    if told[0] in HELD_OUT_PAIRS:
        return "held out"
    return "learned" if HELD_OUT_PAIRS.isdisjoint(told) else "neither"


@dataclass(frozen=True)
class Whereabouts:
    """Texts of a few facts, to be asked where somebody is; the answer is one word.

    No name and no place stands in two facts of a text. A held-out text
    asks for a pair of name and place that no learned one says.

    Args:
        facts: how many there are in a text, from 1 to 8.

    Raises:
        TypeError, ValueError: facts is no integer from 1 to 8.
    """

    facts: int = 2
    vocabulary = VOCABULARY

    def __post_init__(self) -> None:
        check_size("facts", self.facts)
        fits = self.facts <= len(NAMES)
        require(fits, "facts", f"be at most {len(NAMES)}", self.facts)

    @property
    def max_length(self) -> int:
        """The words of a question and of the facts."""
        return 6 + 6 * self.facts

    def batch(self, draw: torch.Generator, count: int = 64) -> Pairs:
        """Draw what is learned."""
        chance = random.Random(int(torch.randint(2**31, (), generator=draw)))
        return self._pairs(chance, count, "learned")

    def held_out(self, count: int = 1000, seed: int = 1) -> Pairs:
        """Draw held-out ones."""
        return self._pairs(random.Random(seed), count, "held out")

    def _pairs(self, draw: random.Random, count: int, part: Part) -> Pairs:
        rows = [self._write(draw, part) for _ in range(count)]
        sources, targets = zip(*rows, strict=True)
        encode = VOCABULARY.encode
        return Pairs(
            padded([encode(words) for words in sources], PAD_ID),
            padded([encode(words) for words in targets], PAD_ID),
        )

    def _facts(self, draw: random.Random) -> list[tuple[str, str]]:
        names = draw.sample(NAMES, self.facts)
        return [*zip(names, draw.sample(PLACES, self.facts), strict=True)]

    def _write(self, draw: random.Random, part: Part) -> tuple[list[str], list[str]]:
        told = Split(self._facts, part_of).draw(draw, part)
        asked = told[0]
        draw.shuffle(told)
        facts = [
            word for who, place in told for word in (who, "is", "in", "the", place, ".")
        ]
        source = ["question:", "where", "is", asked[0], "?", "context:", *facts]
        return source, [SOS, asked[1], EOS]

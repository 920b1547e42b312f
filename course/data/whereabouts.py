"""Who is where: facts that differ in a name and a place alone, and a question to one.

    question: where is Mia ? context: Ajish is in the park . Mia is in the school .

All places that could be the answer stand in the text; only the name beside a place says
which it is.
"""

import random
from dataclasses import dataclass

import torch

from transformer_lib.checks.validation import check_size, require
from transformer_lib.text.batches import padded
from transformer_lib.text.vocabulary import Vocabulary

from .jobs import NAMES
from .pairs import EOS, PAD, SOS, Pairs

PLACES = ("school", "garden", "park", "street", "kitchen", "office", "station", "shop")
WORDS = ["question:", "where", "is", "?", "context:", "in", "the", "."]
VOCABULARY = Vocabulary([*WORDS, *NAMES, *PLACES], pad=PAD, sos=SOS, eos=EOS)
[PAD_ID] = VOCABULARY.encode([PAD])
#: What no learned text says: of each name one place.
NEW = set(zip(NAMES, PLACES, strict=True))


@dataclass(frozen=True)
class Whereabouts:
    """Texts of a few facts, to be asked where somebody is; the answer is one word.

    No name and no place stands in two facts of a text. What a new text asks for is a
    pair of name and place that no learned one says.

    Args:
        facts: how many there are in a text, from 1 to 8.

    Raises:
        TypeError, ValueError: facts is no integer from 1 to 8.
    """

    facts: int = 2

    def __post_init__(self) -> None:
        check_size("facts", self.facts)
        fits = self.facts <= len(NAMES)
        require(fits, "facts", f"be at most {len(NAMES)}", self.facts)

    @property
    def vocabulary(self) -> Vocabulary:
        """The names, the places, and the words and marks around them."""
        return VOCABULARY

    @property
    def max_length(self) -> int:
        """The words of a question and of the facts."""
        return 6 + 6 * self.facts

    def batch(self, draw: torch.Generator, count: int = 64) -> Pairs:
        """Draw what is learned."""
        chance = random.Random(int(torch.randint(2**31, (), generator=draw)))
        return self._pairs(chance, count, new=False)

    def new(self, count: int = 1000, seed: int = 1) -> Pairs:
        """Draw new ones."""
        return self._pairs(random.Random(seed), count, new=True)

    def _pairs(self, draw: random.Random, count: int, *, new: bool) -> Pairs:
        rows = [self._write(draw, new=new) for _ in range(count)]
        sources, targets = zip(*rows, strict=True)
        encode = VOCABULARY.encode
        return Pairs(
            padded([encode(words) for words in sources], PAD_ID),
            padded([encode(words) for words in targets], PAD_ID),
        )

    def _write(self, draw: random.Random, *, new: bool) -> tuple[list[str], list[str]]:
        while True:
            names = draw.sample(NAMES, self.facts)
            places = draw.sample(PLACES, self.facts)
            told = [*zip(names, places, strict=True)]
            if told[0] in NEW if new else NEW.isdisjoint(told):
                break
        asked = told[0]
        draw.shuffle(told)
        facts = [
            word for who, place in told for word in (who, "is", "in", "the", place, ".")
        ]
        source = ["question:", "where", "is", asked[0], "?", "context:", *facts]
        return source, [SOS, asked[1], EOS]

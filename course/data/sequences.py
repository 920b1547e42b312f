"""Copy and reverse: random letters, to be written forwards or backwards."""

from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from transformer_lib.checks.validation import check_option
from transformer_lib.text.vocabulary import Vocabulary

from .pairs import EOS, PAD, SOS, Pairs

Order = Literal["copy", "reverse"]
ORDERS: tuple[Order, ...] = get_args(Order)
LETTERS = tuple("abcdefghij")
MOST = 10
HELD_OUT_FROM = 5  # letters; all shorter ones are learned
VOCABULARY = Vocabulary(LETTERS, pad=PAD, sos=SOS, eos=EOS)
PAD_ID, SOS_ID, EOS_ID, FIRST = VOCABULARY.encode([PAD, SOS, EOS, LETTERS[0]])


@dataclass(frozen=True)
class Sequences:
    """Texts of 1 to 10 letters, and the same letters in one of two orders.

    A text of five letters or more is held out if the numbers of its letters (a is 0, j
    is 9) add up to a multiple of 10. Whatever the other letters are, one last letter in
    ten makes it so.

    Args:
        order: "copy" or "reverse".

    Raises:
        ValueError: the order is neither of the two.
    """

    order: Order
    vocabulary = VOCABULARY
    max_length = MOST + 2  # with ⟨SOS⟩ and ⟨EOS⟩

    def __post_init__(self) -> None:
        check_option("order", self.order, ORDERS)

    def batch(self, draw: torch.Generator, count: int = 64) -> Pairs:
        """Draw texts of 1 to 10 letters that are not held out, all equally likely.

        A last letter that would make a text held out is replaced by another.
        """
        letters, lengths = _letters(1, count, draw)
        another = torch.randint(1, 10, (count,), generator=draw)  # (B,)
        return self._pairs(
            _moved(letters, lengths, another * is_held_out(letters)), lengths
        )

    def held_out(self, count: int = 1000, seed: int = 1) -> Pairs:
        """Draw held-out texts, of 5 to 10 letters."""
        draw = torch.Generator().manual_seed(seed)
        letters, lengths = _letters(HELD_OUT_FROM, count, draw)
        missing = -letters.clamp(min=0).sum(1)  # (B,)
        return self._pairs(_moved(letters, lengths, missing), lengths)

    def _pairs(self, letters: Tensor, lengths: Tensor) -> Pairs:
        """Return pairs of source and target from letters (B, 10) and lengths (B,)."""
        said = letters
        if self.order == "reverse":
            back = (lengths[:, None] - 1 - torch.arange(MOST)) % MOST
            said = letters.gather(1, back)  # what follows the end stays there
        target = torch.full((len(letters), MOST + 2), PAD_ID)
        target[:, 0] = SOS_ID
        target[:, 1:-1] = as_ids(said)
        target.scatter_(1, lengths[:, None] + 1, EOS_ID)
        most = int(lengths.max())
        return Pairs(as_ids(letters)[:, :most], target[:, : most + 2])


def is_held_out(letters: Tensor) -> Tensor:
    """Return which texts (B, 10), padded with −1, are held out: boolean (B,)."""
    long = (letters >= 0).sum(1) >= HELD_OUT_FROM
    return long & (letters.clamp(min=0).sum(1) % 10 == 0)


def as_ids(letters: Tensor) -> Tensor:
    """Turn letters 0 … 9 into ids, and −1 into ⟨PAD⟩."""
    return torch.where(letters < 0, PAD_ID, letters + FIRST)


def _letters(least: int, count: int, draw: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw letters (B, 10), padded with −1, and lengths (B,) from least to 10."""
    lengths = torch.randint(least, MOST + 1, (count,), generator=draw)
    letters = torch.randint(len(LETTERS), (count, MOST), generator=draw)
    return letters.where(torch.arange(MOST) < lengths[:, None], -1), lengths


def _moved(letters: Tensor, lengths: Tensor, by: Tensor) -> Tensor:
    """Shift the last letter of each text by so many letters (B,), cyclically."""
    place = lengths[:, None] - 1
    last = (letters.gather(1, place) + by[:, None]) % len(LETTERS)
    return letters.scatter(1, place, last)

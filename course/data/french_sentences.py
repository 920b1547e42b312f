"""English sentences and their French: those that are learned, and held-out ones."""

import random
from collections.abc import Sequence
from functools import cache

import torch
from torch import Tensor

from transformer_lib.text.vocabulary import Vocabulary

from .batches import padded
from .french import SPLIT, Sentence, every_word
from .pairs import EOS, PAD, SOS, Pairs

WRITTEN = 12_000
VOCABULARY = Vocabulary(every_word(), pad=PAD, sos=SOS, eos=EOS)
[PAD_ID] = VOCABULARY.encode([PAD])


class French:
    """English sentences, to be written in French.

    Learned are 12,000 sentences. A held-out one joins at least one pair of words, a
    noun with an adjective or a verb, that none of them joins: see
    `french.HELD_OUT_PAIRS`.
    """

    vocabulary = VOCABULARY
    max_length = 13

    def batch(self, draw: torch.Generator, count: int = 64) -> Pairs:
        """Draw some of the sentences that are learned."""
        english, french = _learned()
        rows = torch.randint(len(english), (count,), generator=draw)
        source, target = english[rows], french[rows]
        return Pairs(_narrow(source), _narrow(target))

    def held_out(self, count: int = 1000, seed: int = 1) -> Pairs:
        """Write held-out sentences."""
        return in_ids(held_out_sentences(count, seed))


@cache
def learned_sentences() -> tuple[Sentence, ...]:
    """Write the sentences that are learned."""
    return tuple(SPLIT.learned(random.Random(0), WRITTEN))


def held_out_sentences(count: int = 1000, seed: int = 1) -> list[Sentence]:
    """Write held-out sentences, with what the grammar knows of them."""
    return SPLIT.held_out(count, seed)


def in_ids(pairs: Sequence[Sentence]) -> Pairs:
    """Turn sentences into ids: English (B, S), and French (B, T) with its ends."""
    encode = VOCABULARY.encode
    english = [encode(sentence.english) for sentence in pairs]
    french = [encode([SOS, *sentence.french, EOS]) for sentence in pairs]
    return Pairs(padded(english, PAD_ID), padded(french, PAD_ID))


def with_origins(
    sentences: Sequence[Sentence],
) -> tuple[Pairs, list[list[set[int]]]]:
    """Return sentences in ids, and for each French word where it comes from."""
    return in_ids(sentences), [sentence.comes_from for sentence in sentences]


def _narrow(ids: Tensor) -> Tensor:
    """Take away the columns that are padding alone."""
    return ids[:, ids.ne(PAD_ID).any(0)]


@cache
def _learned() -> Pairs:
    return in_ids(learned_sentences())

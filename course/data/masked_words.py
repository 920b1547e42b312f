"""Sentences of the tiny English with words hidden: what stood there is to be said."""

import random
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from .grammar import BEINGS, PLACES, VERBS, every_word, write
from .grammar_sentences import make_vocabulary
from .split import Part, Split
from .stories import fits

MASK = "⟨MASK⟩"
VOCABULARY = make_vocabulary([*every_word(), MASK])
MASK_ID = VOCABULARY.encode([MASK])[0]
FIRST_WORD = VOCABULARY.encode(every_word())[0]  # ⟨PAD⟩, ⟨SOS⟩, ⟨EOS⟩ stand before it
CHOSEN = 0.2  # of the words, to be asked for
NOTHING = -100  # stands where nothing is asked: what torch's losses pass over
WRITTEN = 20_000
#: What no learned sentence says: a being, and a place or a verb. Each being goes with
#: all places but one, and with all verbs but one.
HELD_OUT_PAIRS = {
    (being, word)
    for table in (PLACES, VERBS)
    for row, being in enumerate(BEINGS)
    for column, word in enumerate(table)
    if (row + column) % len(table) == 0
}
FORMS = {form: verb for verb, past in VERBS.items() for form in (verb, verb[:-1], past)}
#: By being, the same words, the verbs in all their forms.
HELD_OUT_WORDS = {
    being: {w for w in (*PLACES, *FORMS) if (being, FORMS.get(w, w)) in HELD_OUT_PAIRS}
    for being in BEINGS
}


class MaskedPositions(NamedTuple):
    """Sentences with one word hidden: every word of every sentence, one at a time.

    Args:
        ids: what is read (G, S), with one ⟨MASK⟩ each.
        place: where it stands, (G,).
        word: the id of the word that stood there, (G,).
    """

    ids: Tensor
    place: Tensor
    word: Tensor


def mask_tokens(ids: Tensor, draw: torch.Generator) -> tuple[Tensor, Tensor]:
    """Choose a fifth of the words, and hide most of them.

    Of the words that are chosen, 80 % become ⟨MASK⟩, 10 % another word, drawn at
    random, and 10 % stay. So a model that is asked for them must make up its mind
    about every word: it cannot know which one is to be trusted.

    Args:
        ids: whole sentences (B, S); ⟨PAD⟩, ⟨SOS⟩ and ⟨EOS⟩ are never chosen.
        draw: what chance comes from.

    Returns:
        what is read (B, S), and what is asked (B, S): the word's id where it was
        chosen, else NOTHING.

    Source: Devlin et al. (2019), §3.1 and appendix A.1, who choose 15 %.
    """
    chance = torch.rand(ids.shape, generator=draw)  # (B, S)
    chosen = (chance < CHOSEN) & (ids >= FIRST_WORD)
    others = torch.randint(FIRST_WORD, MASK_ID, ids.shape, generator=draw)
    read = ids.where(~chosen, MASK_ID)
    read = read.where(~chosen | (chance < 0.9 * CHOSEN), ids)
    read = read.where(
        ~chosen | (chance < 0.8 * CHOSEN) | (chance >= 0.9 * CHOSEN), others
    )
    return read, ids.where(chosen, NOTHING)


def mask_each(ids: Tensor) -> MaskedPositions:
    """Hide each word of whole sentences (B, S) once."""
    row, place = (ids >= FIRST_WORD).nonzero().T
    hidden = ids[row]
    hidden[range(len(row)), place] = MASK_ID
    return MaskedPositions(hidden, place, ids[row, place])


@cache
def learned() -> tuple[tuple[str, ...], ...]:
    """Write the 20,000 sentences that a model learns from which pairs are held out."""
    return tuple(map(tuple, SPLIT.learned(random.Random(0), WRITTEN)))


def is_held_out(words: Sequence[str]) -> bool:
    """Tell whether a sentence joins a being with a word of HELD_OUT_PAIRS."""
    beings = (word for word in words if word in BEINGS)
    return any(not HELD_OUT_WORDS[being].isdisjoint(words) for being in beings)


def part(words: list[str]) -> Part:
    """Tell what a sentence is: see `is_held_out`."""
    return "held out" if is_held_out(words) else "learned"


SPLIT = Split(write, part)


def knowable(words: Sequence[str]) -> list[bool]:
    """Tell of each word of a being's sentence whether the others leave no choice.

    It is so where the grammar writes no other word there.
    """
    return [
        sum(fits([*words[:i], word, *words[i + 1 :]]) for word in every_word()) == 1
        for i in range(len(words))
    ]

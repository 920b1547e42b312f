"""Sentences of the tiny English with words hidden: what stood there is to be said."""

import torch
from torch import Tensor

from .grammar import every_word
from .grammar_sentences import make_vocabulary

MASK = "⟨MASK⟩"
VOCABULARY = make_vocabulary([*every_word(), MASK])
MASK_ID = VOCABULARY.encode([MASK])[0]
FIRST_WORD = VOCABULARY.encode(every_word())[0]  # ⟨PAD⟩, ⟨SOS⟩, ⟨EOS⟩ stand before it
CHOSEN = 0.2  # of the words, to be asked for
NOTHING = -100  # stands where nothing is asked: what torch's losses pass over


def hide(ids: Tensor, draw: torch.Generator) -> tuple[Tensor, Tensor]:
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

"""Words are hidden as BERT's were: most become ⟨MASK⟩, some another, some stay."""

import torch

from transformer_lib.data.grammar_sentences import learned, padded
from transformer_lib.data.masked_words import (
    CHOSEN,
    FIRST_WORD,
    MASK,
    MASK_ID,
    NOTHING,
    VOCABULARY,
    hide,
)

IDS = padded(VOCABULARY, learned()[:2000])
READ, ASKED = hide(IDS, torch.Generator().manual_seed(5))
CHOSE = ASKED != NOTHING


def test_what_is_asked_is_what_stood_there_and_all_else_stays():
    assert ASKED[CHOSE].equal(IDS[CHOSE])
    assert READ[~CHOSE].equal(IDS[~CHOSE])


def test_padding_start_and_end_are_never_chosen_and_never_put_in():
    assert [VOCABULARY.words[i] for i in range(FIRST_WORD)] == [
        "⟨PAD⟩",
        "⟨SOS⟩",
        "⟨EOS⟩",
    ]
    assert (IDS[CHOSE] >= FIRST_WORD).all()
    assert (READ[CHOSE] >= FIRST_WORD).all()
    assert VOCABULARY.words[MASK_ID] == MASK


def test_a_fifth_is_chosen_and_of_these_four_fifths_are_hidden():
    words = IDS >= FIRST_WORD
    assert abs(CHOSE[words].double().mean() - CHOSEN) < 0.01
    hidden = (READ == MASK_ID)[CHOSE].double().mean()
    same = (READ == IDS)[CHOSE].double().mean()
    assert abs(hidden - 0.8) < 0.02
    assert abs(same - 0.1) < 0.02
    assert abs(1 - hidden - same - 0.1) < 0.02


def test_the_same_chance_hides_the_same_words():
    again = hide(IDS, torch.Generator().manual_seed(5))
    assert again[0].equal(READ)
    assert again[1].equal(ASKED)
    other, _ = hide(IDS, torch.Generator().manual_seed(6))
    assert not other.equal(READ)

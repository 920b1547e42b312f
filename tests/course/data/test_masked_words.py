"""Words are hidden as BERT's were: most become ⟨MASK⟩, some another, some stay."""

import pytest
import torch

from course.data import masked_words
from course.data.grammar import BEINGS, PLACES, VERBS, every_word
from course.data.grammar_sentences import learned, padded
from course.data.masked_words import (
    CHOSEN,
    FIRST_WORD,
    HELD_OUT_PAIRS,
    MASK,
    MASK_ID,
    NOTHING,
    SPLIT,
    VOCABULARY,
    is_held_out,
    knowable,
    mask_each,
    mask_tokens,
)

IDS = padded(VOCABULARY, learned()[:2000])
READ, ASKED = mask_tokens(IDS, torch.Generator().manual_seed(5))
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
    again = mask_tokens(IDS, torch.Generator().manual_seed(5))
    assert again[0].equal(READ)
    assert again[1].equal(ASKED)
    other, _ = mask_tokens(IDS, torch.Generator().manual_seed(6))
    assert not other.equal(READ)


# ── pairs that are held out ───────────────────────────────────────────────────────────
def test_a_being_goes_with_all_places_and_verbs_but_one_of_each():
    for being in BEINGS:
        held_out = {word for who, word in HELD_OUT_PAIRS if who == being}
        assert len(held_out & set(PLACES)) == len(held_out & set(VERBS)) == 1
        assert len(held_out) == 2
    for table in (PLACES, VERBS):
        assert {word for _, word in HELD_OUT_PAIRS} >= set(table)


@pytest.mark.parametrize(
    ("sentence", "new"),
    [
        ("the cat sat", True),
        ("the cat sits near the tree", True),
        ("the cat slept on the mat and it purred", True),
        ("the cats sit on the mat", False),
        ("the cats play on the tree", True),
        ("the cat slept on the tree", False),
        ("AI is powerful", False),
    ],
)
def test_a_sentence_is_new_if_it_joins_a_held_out_pair(sentence, new):
    assert is_held_out(sentence.split()) is new


def test_no_learned_sentence_joins_what_new_ones_do_and_every_word_is_learned():
    known = masked_words.learned()
    assert not any(map(is_held_out, known))
    assert {word for words in known for word in words} == set(every_word())
    new = SPLIT.held_out(100, 1)
    assert all(map(is_held_out, new))
    assert not set(map(tuple, new)) & set(known)


@pytest.mark.parametrize(
    ("sentence", "known"),
    [
        ("the little cat sat on the mat because it purred", "+++--+--++"),
        ("the cat sat on the mat which was soft and it purred", "++--+++++-++"),
        ("the children sit", "+--"),
    ],
)
def test_a_word_is_knowable_where_the_grammar_writes_no_other(sentence, known):
    words = sentence.split()
    assert "".join("-+"[sure] for sure in knowable(words)) == known


def test_each_word_of_each_sentence_is_hidden_once():
    ids = IDS[:3]
    found = mask_each(ids)
    assert len(found.ids) == int((ids >= FIRST_WORD).sum())
    assert ((found.ids == MASK_ID).sum(1) == 1).all()
    rows = torch.arange(len(found.ids))
    assert (found.ids[rows, found.place] == MASK_ID).all()
    whole = found.ids.clone()
    whole[rows, found.place] = found.word
    assert {tuple(row) for row in whole.tolist()} == {tuple(r) for r in ids.tolist()}

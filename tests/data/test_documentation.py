"""The English that is learned: nothing twice, and nothing of the test in it."""

import pytest
import torch

from transformer_lib.data.documentation import (
    FILE,
    VOCABULARY,
    batch,
    clean,
    in_ids,
    paragraphs,
    parts,
)

TEXT = FILE.read_text("utf-8").rstrip("\n")


def test_it_is_clean():
    assert clean(paragraphs(TEXT)) == paragraphs(TEXT)


def test_paragraphs_are_told_apart_by_their_words_alone():
    kept = clean(["one two", "one\n  two", "", "one “two” … ß"])
    assert kept == ["one two", 'one "two" ... ?']


def test_what_repeats_most_of_an_earlier_paragraph_is_left_out():
    first = "a b c d e f g h i j k l m"
    half = "a b c d e f g h i x y z u v w s t r"
    assert clean([first, first + " n"]) == [first]
    assert clean([first, half]) == [first, half]


def test_the_parts_are_whole_paragraphs_and_make_up_the_text():
    whole = parts()
    assert "".join(whole).rstrip("\n") == TEXT
    assert [len(part) // 10_000 for part in whole] == [29, 3, 3]
    for part in whole:
        assert set(paragraphs(part.rstrip("\n"))) <= set(paragraphs(TEXT))


def test_no_paragraph_of_the_test_or_for_settings_is_learned():
    learned, settings, test = (
        {" ".join(paragraph.split()) for paragraph in paragraphs(part)}
        for part in parts()
    )
    assert not test & (learned | settings)
    assert not settings & learned


def test_every_character_can_be_read_and_what_no_keyboard_writes_is_refused():
    assert "".join(VOCABULARY.decode(in_ids(TEXT[:5000]))) == TEXT[:5000]
    assert set(TEXT) <= set(VOCABULARY.words)
    with pytest.raises(ValueError, match="'é' is not in the vocabulary"):
        in_ids("café")


def test_a_batch_holds_pieces_of_what_is_learned():
    draw, again = (torch.Generator().manual_seed(3) for _ in range(2))
    ids = batch(draw, 50, 4)
    assert ids.shape == (4, 50)
    for row in ids:
        assert "".join(VOCABULARY.decode(row)) in parts().learned
    assert batch(again, 50, 4).equal(ids)


def test_its_licence_stands_beside_it():
    licence = FILE.with_name("documentation_licence.txt").read_text("utf-8")
    assert "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2" in licence
    assert "What was changed" in licence

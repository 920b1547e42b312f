"""The English that is learned: nothing twice, and nothing of the test in it."""

import pytest
import torch

from course.data.documentation import FILE, VOCABULARY, batch, clean, in_ids, parts

TEXT = FILE.read_text("utf-8")
LINES = TEXT.splitlines()


def test_it_is_clean():
    assert clean(LINES) == LINES


def test_prose_is_kept_a_line_each_and_nothing_else():
    told = [
        "The “with” statement\n  is used to wrap a block…",
        "too few words to keep",
        'a ::= b | c | d | "e" | f | g',
        ">>> this is a line of code and no prose",
        "Heading ***** of a part of the text",
        "f(x[1], y[2]) = g(3) + h(4) - k(5) * m(6) ^ n(7)",
        "",
    ]
    assert clean(told) == ['The "with" statement is used to wrap a block...']
    assert clean(["zwei ß drei vier fünf sechs sieben"])[0].count("?") == 2


def test_what_repeats_most_of_an_earlier_paragraph_is_left_out():
    first = "a b c d e f g h i j k l m"
    half = "a b c d e f g h i x y z u v w s t r"
    assert clean([first, first + " n", first.replace(" ", "\n ")]) == [first]
    assert clean([first, half]) == [first, half]


def test_the_parts_are_whole_paragraphs_and_make_up_the_text():
    whole = parts()
    assert "".join(whole) == TEXT
    assert [round(10 * len(part) / len(TEXT)) for part in whole] == [8, 1, 1]
    assert all(part.endswith("\n") for part in whole)


def test_no_paragraph_of_the_test_or_for_settings_is_learned():
    learned, settings, test = (set(part.splitlines()) for part in parts())
    assert not test & (learned | settings)
    assert not settings & learned


def test_every_character_can_be_read_and_what_no_keyboard_writes_is_refused():
    assert "".join(VOCABULARY.decode(in_ids(TEXT[:5000]))) == TEXT[:5000]
    assert in_ids("").dtype == torch.long
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


def test_its_license_lies_beside_it():
    license_text = FILE.with_name("documentation_license.txt").read_text("utf-8")
    assert "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2" in license_text
    assert "What was changed" in license_text

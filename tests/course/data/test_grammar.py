"""The tiny English: what it says, and what of it a model can read."""

import random
from itertools import compress

import numpy as np
import pytest

from course.data import grammar, grammar_sentences


def test_what_is_said_to_be_unseen_was_not_learned():
    learned = set(map(tuple, grammar_sentences.learned()))
    assert not learned & set(map(tuple, grammar_sentences.unseen(300)))
    with pytest.raises(ValueError, match="sentences must be at least 1, got 0"):
        grammar_sentences.unseen(0)


def test_only_the_word_of_the_role_decides_the_word_that_asks_for_it():
    _, *words = grammar_sentences.read(
        "the cat sat near the mat which was soft and it was happy"
    )
    asked = np.array(grammar.asks(words))
    rows = [[words[n] for n in np.flatnonzero(role)] for role in asked.T]
    assert rows == [["was", "was"], ["and"], ["which"], ["was"]]
    assert asked[7, 3]


def test_only_a_form_of_be_asks_for_the_being():
    for words in grammar_sentences.unseen(300):
        who = [asked for asked, *_ in grammar.asks(words)]
        assert {*compress(words, who)} <= {*grammar.BE}


def test_capitals_commas_and_full_stops_do_not_matter():
    told = grammar_sentences.read("The cat sat on the mat, and it was happy.")
    assert told == grammar_sentences.read("the cat sat on the mat and it was happy")
    assert grammar_sentences.read("ai is")[1] == "AI"


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("", "got 0"),
        ("cat " * 17, "got 17"),
        ("the cat \x00", "the model knows"),
        ("z" * 10_000, "z{20}…"),
        ("\ud800", "the model knows"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_short_line(sentence, reason):
    with pytest.raises(ValueError, match=reason) as refused:
        grammar_sentences.read(sentence)
    assert len(str(refused.value)) < 120
    assert str(refused.value).isprintable()


def test_the_grammar_writes_what_the_models_can_read():
    draw, known = random.Random(0), set(grammar.every_word())
    written = [grammar.write(draw) for _ in range(2000)]
    assert {word for words in written for word in words} == known
    assert max(map(len, written)) <= grammar_sentences.MOST_WORDS


def test_the_roles_point_at_the_words_they_name():
    words = ["the", "cat", "sat", "on", "the", "mat", "and", "it"]
    assert grammar.targets(words)[-1] == (7, 2, 3, 6)
    assert grammar.targets(words)[0] == (0, 0, 0, 0)

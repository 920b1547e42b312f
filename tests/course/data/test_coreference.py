"""Who was happy? Sentences in which the last word says what "it" stands for."""

import random
from collections import Counter

import pytest
import torch

from course.data.coreference import (
    HELD_OUT_PAIRS,
    KIND_OF,
    KINDS,
    MOST_WORDS,
    PAD_ID,
    SPLIT,
    VOCABULARY,
    batch,
    every_word,
    found_in,
    held_out_sentences,
    in_ids,
    write,
)

MANY = [write(random.Random(seed)) for seed in range(4000)]


def test_it_stands_for_the_noun_of_the_last_words_kind():
    for words, it, antecedent, other in MANY:
        assert words[it] == "it"
        kind = KIND_OF[words[-1]]
        assert words[antecedent] in kind.nouns
        assert words[other] not in kind.nouns
        assert words[other] in KIND_OF


def test_the_courses_sentence_asks_who_was_happy_and_is_new():
    asked = found_in("The cat sat on the mat, and it was happy.")
    assert asked.words[asked.antecedent] == "cat"
    assert asked.words[asked.other] == "mat"
    assert ("cat", "happy") in HELD_OUT_PAIRS
    other = found_in("The cat sat on the mat, and it was soft")
    assert other.words[other.antecedent] == "mat"


def test_no_place_tells_what_it_stands_for():
    """Nor does the noun: each is meant as often as not."""
    for told in (MANY, held_out_sentences()):
        first = sum(asked.antecedent < asked.other for asked in told) / len(told)
        assert first == pytest.approx(0.5, abs=0.04)
    meant = Counter(asked.words[asked.antecedent] for asked in MANY)
    others = Counter(asked.words[asked.other] for asked in MANY)
    for noun in (noun for kind in KINDS for noun in kind.nouns):
        assert meant[noun] / others[noun] == pytest.approx(1, abs=0.4)


def test_no_pair_that_is_new_is_learned():
    draw = torch.Generator().manual_seed(0)
    learned = set()
    for _ in range(40):
        ids, its, answers = batch(draw)
        for row, it, answer in zip(ids, its, answers, strict=True):
            words = [VOCABULARY.words[i] for i in row if i != PAD_ID]
            assert words[it] == "it"
            learned.add((VOCABULARY.words[answer], words[-1]))
    assert not learned & HELD_OUT_PAIRS
    assert len(learned) == sum(len(k.nouns) * (len(k.qualities) - 1) for k in KINDS)
    for asked in held_out_sentences(200):
        assert (asked.words[asked.antecedent], asked.words[-1]) in HELD_OUT_PAIRS


def test_of_each_noun_and_each_quality_one_pair_is_new():
    nouns, qualities = zip(*HELD_OUT_PAIRS, strict=True)
    assert len({*nouns}) == len({*qualities}) == len(HELD_OUT_PAIRS)
    assert {*nouns} == {noun for kind in KINDS for noun in kind.nouns}


def test_the_vocabulary_is_what_is_said():
    assert {word for asked in MANY for word in asked.words} == {*every_word()}
    assert max(len(asked.words) for asked in MANY) == MOST_WORDS


def test_ids_say_where_it_stands_and_what_it_stands_for():
    some = SPLIT.learned(random.Random(1), 5)
    ids, its, answers = in_ids(some)
    for row, it, answer, asked in zip(ids, its, answers, some, strict=True):
        assert row[it] == VOCABULARY.encode(["it"])[0]
        assert row[asked.antecedent] == answer


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "the cat sat on the mat",
        "the cat sat on the mat and it was",
        "the cat sat on the dog and it was happy",
        "the cat sat on the mat and it was busy",
        "the cat sat on the mat and she was happy",
        "the cat sat on the mat and it was it happy",
        "the cat sat on the mat and it was happy cat",
        "the cat sat on the mat and it was ⟨PAD⟩",
        "the zebra sat on the mat and it was happy",
        "the cat " + "big " * 20 + "sat on the mat and it was happy",
    ],
)
def test_what_asks_nothing_is_refused_in_a_short_line(sentence):
    with pytest.raises(ValueError, match=r"^sentence must hold ") as said:
        found_in(sentence)
    assert len(str(said.value)) < 160


def test_what_is_no_sentence_is_refused():
    for given in (3, None, [1, 2]):
        with pytest.raises(TypeError, match="sentence must be text or words"):
            found_in(given)

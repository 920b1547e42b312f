"""What queries, keys and values do in a trained head."""

from itertools import product

import pytest

from course.data.grammar import BEINGS, PLACES, WHEN
from course.experiments.inside_a_head import (
    FRAMES,
    best_keys,
    count_replacements,
    finds_itself,
    looks_at,
    next_words,
    with_keys_of_places,
)

PAIRS = [(a, b) for a, b in product(BEINGS, BEINGS) if BEINGS[a][0] != BEINGS[b][0]]


def pronouns(words):
    return [BEINGS[word].pronoun for word in words]


def test_by_x_times_x_a_token_finds_itself_or_the_same_word_elsewhere():
    own, same, baseline = finds_itself(sentences=20)
    assert same == 1.0
    assert 0.85 < own < 1.0
    assert 0.05 < baseline < 0.12


def test_supervised_heads_rank_the_words_that_they_look_for_first():
    for head, kind in ((2, WHEN), (3, PLACES)):
        first = [word for word, _ in best_keys(head)[: len(kind)]]
        assert set(first) == set(kind)
    assert set(BEINGS) == {word for word, _ in best_keys(1)[: len(BEINGS)]}


def test_scores_fall_from_first_to_last():
    scores = [score for _, score in best_keys(1)]
    assert scores == sorted(scores, reverse=True)


def test_the_pronoun_follows_the_value_and_not_the_key():
    words, others = zip(*PAIRS, strict=True)
    assert next_words(words) == pronouns(words)
    assert next_words(words, key_of=others) == pronouns(words)
    assert next_words(words, value_of=others) == pronouns(others)
    assert next_words(words, others, others) == pronouns(others)


def test_replacements_are_counted_for_all_subjects_with_different_pronouns():
    assert len(PAIRS) == 42
    every = 42 * len(FRAMES)
    assert count_replacements() == {"key": (every, 0), "value": (0, every)}
    free = count_replacements("free")
    assert 0.35 < free["key"][1] / every < 0.6  # keys carry information, too
    assert 0.35 < free["value"][0] / every < 0.6


def test_with_the_key_of_a_place_a_subject_loses_its_pronoun():
    own, of, largest = with_keys_of_places()
    not_it = [word for word in BEINGS if BEINGS[word].pronoun != "it"]
    assert of == len(not_it) * len(PLACES) * len(FRAMES)
    assert own <= 0.1 * of
    assert 0 < largest < 0.01
    for frame in FRAMES:
        assert next_words(not_it, frame=frame) == pronouns(not_it)


def test_with_the_key_of_a_place_no_subject_is_found():
    words, places = zip(*product(BEINGS, PLACES), strict=True)
    assert set(next_words(words, key_of=places)) == {"it"}
    assert max(looks_at(words, key_of=places)) < 0.001


def test_a_subject_is_found_by_its_own_key_and_by_the_key_of_another_subject():
    words, others = zip(*PAIRS, strict=True)
    assert min(looks_at(words)) > 0.99
    assert min(looks_at(words, key_of=others)) > 0.99


def test_nothing_stays_on_the_model():
    before = next_words(["cats"])
    next_words(["cats"], value_of=["cat"])
    assert next_words(["cats"]) == before == ["they"]


def test_lists_of_a_different_length_and_unknown_words_are_refused():
    with pytest.raises(ValueError, match=r"key_of must hold 1 words.*got 2"):
        next_words(["cat"], key_of=["dog", "bird"])
    with pytest.raises(ValueError, match="got 'zebra'"):
        next_words(["zebra"])

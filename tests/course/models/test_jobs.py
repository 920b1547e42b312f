"""A small encoder-decoder that finishes sentences about jobs."""

import pytest

from course.data.jobs import HELD_OUT, LEARNED, probabilities, written
from course.models.jobs import SEEDS, finish, next_word, trained


@pytest.mark.parametrize("seed", SEEDS)
def test_the_documents_sentence_has_its_probabilities_to_two_hundredths(seed):
    said = next_word(trained(seed), "Ajish works as an AI")
    assert sum(said.values()) == pytest.approx(1)
    for job, p in probabilities("Ajish works as an AI").items():
        assert said[job] == pytest.approx(p, abs=0.02)


@pytest.mark.parametrize("start", [*LEARNED, *HELD_OUT])
def test_a_sentence_is_finished_with_its_probabilities(start):
    said = next_word(trained(), start)
    for job, p in probabilities(start).items():
        assert said[job] == pytest.approx(p, abs=0.1)


@pytest.mark.parametrize("start", [*LEARNED, *HELD_OUT])
def test_it_writes_the_start_and_the_likeliest_job(start):
    likeliest = max(probabilities(start), key=probabilities(start).__getitem__)
    assert finish(trained(), start) == f"{written(start)} {likeliest}"


def test_a_word_outside_the_vocabulary_is_named():
    with pytest.raises(ValueError, match="'Ajush' is not in the vocabulary"):
        next_word(trained(), "Ajush works as an AI")


@pytest.mark.parametrize(("start", "words"), [("", 0), ("Ajish " * 9, 9)])
def test_a_start_with_no_words_or_too_many_is_named(start, words):
    for ask in (next_word, finish):
        with pytest.raises(ValueError, match=f"1 to 8 words, got {words}"):
            ask(trained(), start)


def test_the_longest_start_is_read():
    assert sum(next_word(trained(), "Ajish " * 8).values()) == pytest.approx(1)

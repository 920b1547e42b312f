"""A small encoder-decoder that finishes sentences about jobs."""

import pytest

from course.data.jobs import KEPT_BACK, LEARNED, VOCABULARY, probabilities, written
from course.models.whole_model.jobs import SEEDS, finish, next_word, train_jobs, trained
from transformer_lib import load_checkpoint


@pytest.mark.parametrize("seed", SEEDS)
def test_the_documents_sentence_has_its_probabilities_to_two_hundredths(seed):
    said = next_word(trained(seed), "Ajish works as an AI")
    assert sum(said.values()) == pytest.approx(1)
    for job, p in probabilities("Ajish works as an AI").items():
        assert said[job] == pytest.approx(p, abs=0.02)


@pytest.mark.parametrize("start", [*LEARNED, *KEPT_BACK])
def test_a_sentence_is_finished_with_its_probabilities(start):
    said = next_word(trained(), start)
    for job, p in probabilities(start).items():
        assert said[job] == pytest.approx(p, abs=0.1)


@pytest.mark.parametrize("start", [*LEARNED, *KEPT_BACK])
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


def test_the_command_writes_a_checkpoint_that_can_be_loaded(tmp_path):
    [loss] = train_jobs(tmp_path / "jobs.safetensors", steps=1)
    model, made = load_checkpoint(tmp_path / "jobs.safetensors")
    assert made.words == VOCABULARY.words
    assert model.config == trained().config
    assert 2 < loss < 5  # untrained: near log V = 3.5

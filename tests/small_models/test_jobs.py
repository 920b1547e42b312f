"""A small encoder-decoder that finishes sentences about jobs."""

import pytest
import torch

from transformer_lib import load_checkpoint
from transformer_lib.data.jobs import (
    KEPT_BACK,
    LEARNED,
    NAMES,
    ODDS,
    VOCABULARY,
    sentences,
)
from transformer_lib.small_models.whole_model.jobs import (
    finish,
    next_word,
    train_jobs,
    trained,
)


def test_a_sentence_that_was_never_learned_is_finished_with_the_odds_of_its_field():
    assert KEPT_BACK not in LEARNED
    ids = VOCABULARY.encode(KEPT_BACK)
    starts, _ = sentences(torch.Generator().manual_seed(3), 2000)
    assert not (starts == torch.tensor(ids)).all(-1).any()
    odds = next_word(trained(), KEPT_BACK)
    assert sum(odds.values()) == pytest.approx(1)
    assert list(odds)[:3] == ["Engineer", "Scientist", "Developer"]
    for job, p in ODDS["an AI"].items():
        assert odds[job] == pytest.approx(p, abs=0.08)


@pytest.mark.parametrize("field", ODDS)
def test_it_writes_the_start_and_the_likeliest_job(field):
    likeliest = max(ODDS[field], key=ODDS[field].__getitem__)
    for name in NAMES:
        start = f"{name} works as {field}"
        assert finish(trained(), start) == f"{start} {likeliest}"


def test_a_word_outside_the_vocabulary_is_named():
    with pytest.raises(ValueError, match="'Ajush' is not in the vocabulary"):
        next_word(trained(), "Ajush works as an AI")


@pytest.mark.parametrize(("start", "words"), [("", 0), ("Ajish " * 8, 8)])
def test_a_start_with_no_words_or_too_many_is_named(start, words):
    for ask in (next_word, finish):
        with pytest.raises(ValueError, match=f"1 to 7 words, got {words}"):
            ask(trained(), start)


def test_the_command_writes_a_checkpoint_that_can_be_loaded(tmp_path):
    [loss] = train_jobs(tmp_path / "jobs.safetensors", steps=1)
    model, about = load_checkpoint(tmp_path / "jobs.safetensors")
    assert about["words"] == VOCABULARY.words
    assert model.config == trained().config
    assert 2 < loss < 5  # untrained: near log V = 3.2

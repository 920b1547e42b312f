"""Who works as what: the probabilities, what is learned, and what is kept back."""

from collections import Counter

import pytest
import torch

from course.data.jobs import (
    EOS,
    HELD_OUT,
    LEARNED,
    NAMES,
    PLAIN,
    PROBABILITIES,
    SOS,
    STUDIED,
    TOLD,
    VOCABULARY,
    draw_sentences,
    probabilities,
    sentences,
    written,
)

NEW = "Ajish studied art and works as an AI"


def test_all_probabilities_sum_to_1_and_one_job_is_the_likeliest():
    for start in (*LEARNED, *HELD_OUT):
        first, second, *_ = sorted(probabilities(start).values(), reverse=True)
        assert sum(probabilities(start).values()) == pytest.approx(1)
        assert first > second


def test_the_documents_sentence_is_learned_with_its_probabilities():
    assert "Ajish works as an AI" in LEARNED
    wanted = {"Engineer": 0.6, "Scientist": 0.2, "Developer": 0.1}
    assert wanted.items() <= probabilities("Ajish works as an AI").items()


def test_the_name_says_nothing_about_the_job():
    """Of each name as many starts are kept back, one for each subject."""
    assert NEW in HELD_OUT
    assert not {*HELD_OUT} & {*LEARNED}
    assert len(HELD_OUT) == 24
    assert len(TOLD) + len(HELD_OUT) == len(NAMES) * len(STUDIED) * len(PROBABILITIES)
    asked = Counter(tuple(start.split()[i] for i in (0, 2)) for start in HELD_OUT)
    assert asked == {(name, subject): 1 for name in NAMES for subject in STUDIED}
    for name in NAMES:
        rest = {written(start) for start in LEARNED if start.split()[0] == name}
        assert rest == {f"{name} works as {field}" for field in PROBABILITIES}


def test_every_name_is_met_with_every_job():
    met = {(start.split()[0], job) for start in LEARNED for job in probabilities(start)}
    jobs = {job for start in LEARNED for job in probabilities(start)}
    assert met == {(name, job) for name in NAMES for job in jobs}


def test_no_drawn_sentence_begins_with_a_start_that_was_kept_back():
    draw = torch.Generator().manual_seed(3)
    drawn = [pair for _ in range(40) for pair in draw_sentences(draw)]
    starts = Counter(start for start, _ in drawn)
    assert starts.keys() == {*LEARNED}
    counted = Counter(job for start, job in drawn if start in PLAIN[:8])
    for job, p in PROBABILITIES["an AI"].items():
        assert counted[job] / counted.total() == pytest.approx(p, abs=0.06)


@pytest.mark.parametrize("count", [1, 5])
def test_a_batch_tells_what_was_studied_in_all_its_sentences_or_in_none(count):
    draw = torch.Generator().manual_seed(0)
    widths = set()
    for _ in range(10):
        read, whole = sentences(draw, count)
        widths.add(read.size(1))
        assert whole.shape == (count, 8)
        for ids, own in zip(read, whole, strict=True):
            start = " ".join(VOCABULARY.decode(ids))
            sos, *words, job, eos = VOCABULARY.decode(own)
            assert (sos, eos) == (SOS, EOS)
            assert " ".join(words) == written(start)
            assert job in probabilities(start)
    assert widths == {5, 8}


def test_what_was_studied_is_not_written():
    assert written(NEW) == written("Ajish works as an AI") == "Ajish works as an AI"
    assert written("AI works as an Ajish") == "AI works as an Ajish"

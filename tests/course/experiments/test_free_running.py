"""A translator behind right words and behind its own."""

from functools import cache

import pytest
import torch

from course.data.french_sentences import PAD_ID, held_out_sentences, in_ids
from course.data.pairs import Pairs
from course.experiments import free_running
from course.models.french import MODEL
from course.models.pairs import exact_match

trained = cache(MODEL.trained)

HOW = ("teacher_forced", "free_running")


def test_a_text_is_right_free_running_if_and_only_if_it_is_teacher_forced():
    pairs = in_ids(held_out_sentences(60))
    for model in (MODEL.untrained(), trained()):
        found = free_running.measure(model, pairs)
        matches = [found[how]["exact_match"] for how in HOW]
        assert (
            matches == [pytest.approx(exact_match(model, free_running.TASK, pairs))] * 2
        )


def test_the_words_behind_the_first_mistake_are_those_that_are_counted(monkeypatch):
    end, pad = 2, PAD_ID
    has_to = torch.tensor(
        [[5, 6, 7, 8, end], [5, 6, 7, end, pad], [5, 6, end, pad, pad]]
    )
    behind = torch.tensor([[5, 9, 7, 8, end], [9, 6, 7, end, 5], [5, 6, end, 7, 7]])
    own = torch.tensor([[5, 9, 9, 8, end], [9, 5, 6, 7, end], [5, 6, end, pad, pad]])
    monkeypatch.setattr(free_running, "say", lambda *_: (has_to, behind, own))
    found = free_running.measure(trained(), Pairs(has_to, has_to))
    assert (found["after"], found["same_length"]) == (6, 3)
    by_hand = {"all": 10 / 12, "after": 1, "same_length": 1, "exact_match": 1 / 3}
    assert found["teacher_forced"] == pytest.approx(by_hand)
    by_hand = {
        "all": 6 / 12,
        "after": 2 / 6,
        "same_length": 2 / 3,
        "exact_match": 1 / 3,
    }
    assert found["free_running"] == pytest.approx(by_hand)


def test_a_model_without_a_mistake_has_no_accuracy_behind_one(monkeypatch):
    target = torch.tensor([[5, 6, 2]])
    monkeypatch.setattr(free_running, "say", lambda *_: (target, target, target))
    found = free_running.measure(trained(), Pairs(target, target))
    assert found["after"] == 0
    for how in HOW:
        assert found[how] == {"all": 1, "after": None, "same_length": None} | {
            "exact_match": 1
        }


def test_what_the_kept_results_show():
    for one in free_running.EXPERIMENT.results():
        forced, free = (one[how] for how in HOW)
        assert forced["exact_match"] == free["exact_match"]
        assert free["after"] < forced["after"]

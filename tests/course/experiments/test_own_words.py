"""A translator behind right words and behind its own."""

import pytest
import torch

from course.data.french_sentences import PAD_ID, in_ids, new_sentences
from course.data.pairs import Pairs
from course.experiments import own_words
from course.models.french import trained
from course.models.pairs import exact


def test_a_text_is_right_alone_if_and_only_if_it_is_behind_right_words():
    pairs = in_ids(new_sentences(60))
    for model in (own_words.begin(steps=1)[0], trained()):
        found = own_words.measure(model, pairs)
        assert found["texts forced"] == found["texts alone"]
        assert found["texts alone"] == pytest.approx(
            exact(model, own_words.TASK, pairs)
        )


def test_the_words_behind_the_first_mistake_are_those_that_are_counted(monkeypatch):
    end, pad = 2, PAD_ID
    has_to = torch.tensor(
        [[5, 6, 7, 8, end], [5, 6, 7, end, pad], [5, 6, end, pad, pad]]
    )
    behind = torch.tensor([[5, 9, 7, 8, end], [9, 6, 7, end, 5], [5, 6, end, 7, 7]])
    own = torch.tensor([[5, 9, 9, 8, end], [9, 5, 6, 7, end], [5, 6, end, pad, pad]])
    monkeypatch.setattr(own_words, "say", lambda *_: (has_to, behind, own))
    found = own_words.measure(trained(), Pairs(has_to, has_to))
    assert (found["after"], found["ended"]) == (6, 3)
    assert found["forced after"] == 1
    assert found["alone after"] == pytest.approx(2 / 6)
    assert (found["forced ended"], found["alone ended"]) == (1, pytest.approx(2 / 3))
    assert found["forced"] == pytest.approx(10 / 12)
    assert found["alone"] == pytest.approx(6 / 12)
    assert found["texts alone"] == found["texts forced"] == pytest.approx(1 / 3)


def test_the_commonest_word_of_each_place_is_counted():
    target = torch.tensor([[1, 5, 6, 2], [1, 5, 2, PAD_ID], [1, 7, 6, 2]])
    assert own_words.commonest(Pairs(target, target)) == pytest.approx(6 / 8)


def test_what_the_kept_results_show():
    kept = own_words.load_results()
    assert [(one["seed"], one["steps"]) for one in kept] == [
        (seed, steps) for seed in own_words.SEEDS for steps in own_words.STAGES
    ]
    for one in kept:
        assert one["texts forced"] == one["texts alone"]
        assert one["alone after"] < one["forced after"]


def test_the_command_keeps_what_each_training_came_to(tmp_path, capsys, monkeypatch):
    few = in_ids(new_sentences(20))
    monkeypatch.setattr(own_words.French, "new", lambda _: few)
    own_words.main(tmp_path, steps=2, stages=(1, 2), seeds=(3,))
    assert [one["steps"] for one in own_words.load_results(tmp_path)] == [1, 2]
    assert capsys.readouterr().out.count("steps") == 2

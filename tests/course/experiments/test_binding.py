"""Whether a name is bound to its place."""

import pytest
import torch

from course.data.whereabouts import Whereabouts
from course.experiments import binding


def test_an_answer_may_be_read_and_yet_be_wrong(monkeypatch):
    task = Whereabouts(2)
    asked = task.held_out(4)
    words = [task.vocabulary.decode(row) for row in asked.source]
    right = [task.vocabulary.decode(row)[1] for row in asked.target]
    read = [[w for w in text if w in binding.PLACES] for text in words]
    [other] = {*read[1]} - {right[1]}
    absent = next(place for place in binding.PLACES if place not in read[2])
    said = [[right[0]], [other], [absent], [right[3], right[3]]]
    monkeypatch.setattr(binding, "write", lambda *_: said)
    found = binding.measure(None, task, asked)
    assert found == {"accuracy": 0.25, "in_text": 0.5}


def test_who_binds_nothing_says_a_place_that_was_read():
    one, two = (Whereabouts(facts) for facts in (1, 2))
    assert binding.by_rule(one.held_out(50)) == 1
    assert binding.by_rule(two.held_out(50)) == 0  # the other place is never a new one
    learned = binding.by_rule(two.batch(torch.Generator().manual_seed(0), 2000))
    assert learned == pytest.approx(4 / 7, abs=0.04)  # a seventh are left no choice


def test_settings_are_chosen_by_other_texts_than_those_that_are_asked():
    tried, asked = (
        {*map(tuple, some().source.tolist())}
        for some in (binding.tried, binding.learned)
    )
    assert len(tried) == len(asked)
    assert len(tried - asked) > len(tried) / 2


def test_what_the_kept_results_show():
    rule = binding.by_rule(binding.learned())
    kept = binding.EXPERIMENT.results()
    assert all(one["accuracy_learned"] > rule for one in kept)
    assert all(one["accuracy"] < one["accuracy_learned"] - 0.1 for one in kept)
    half, whole = (
        binding.EXPERIMENT.table("accuracy", steps=steps)
        for steps in (binding.RECIPE.steps // 2, binding.RECIPE.steps)
    )
    assert (half == 0).sum() == 4  # as the rule, which binds nothing
    assert (whole >= half).all()
    assert (whole < 0.1).sum() == 2  # of a draw among two places, half are right
    assert whole.max() > 0.8

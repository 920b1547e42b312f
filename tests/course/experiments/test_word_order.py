"""Where a word stands, told in six ways."""

import numpy as np
import pytest

from course.data import order_questions as questions
from course.data.order_questions import RANGES
from course.experiments import word_order
from course.models.reader import WAYS


@pytest.mark.parametrize("task", word_order.TASKS)
def test_the_kept_results_are_those_of_the_kept_models(task):
    kept = word_order.load_results(task)
    assert set(kept.accuracy) == set(kept.losses) == set(WAYS)
    assert kept.floor == questions.floors(task)
    for way in ("number", "waves appended"):
        found = word_order.measure(word_order.load_reader(task, way), task, 900)
        error = np.sqrt(0.25 / np.array([900, 900, 300, 40, 700]))
        assert (abs(np.subtract(found, kept.accuracy[way])) < 4 * error).all()


def test_the_command_trains_as_it_did_when_the_results_were_kept():
    task = "two to the left"
    found = word_order.run(task, ways=("waves appended",), steps=20)
    losses = word_order.load_results(task).losses["waves appended"]
    np.testing.assert_allclose(found.losses["waves appended"], losses[:20], atol=0.01)
    assert len(losses) == word_order.STEPS


def test_the_command_writes_what_can_be_read(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(word_order, "WAYS", ("none", "learned"))
    monkeypatch.setattr(word_order, "TASKS", ("who comes first",))
    word_order.main(tmp_path, steps=2)
    assert "ignoring order" in capsys.readouterr().out
    kept = word_order.load_results("who comes first", tmp_path)
    assert [*kept.accuracy] == ["none", "learned"]
    assert len(kept.losses["none"]) == 2
    assert all(len(shares) == len(RANGES) for shares in kept.accuracy.values())
    assert not word_order.load_reader("who comes first", "none", tmp_path).training


def test_what_the_results_show():
    left = word_order.load_results("two to the left").accuracy
    who = word_order.load_results("who comes first")
    first = who.accuracy
    for way in ("waves appended", "waves added", "learned"):
        assert left[way][0] > 0.95
        assert left[way][0] > left[way][2] + 0.3
        assert first[way][0] > 0.95
        assert first[way][4] < who.floor["own place alone"][4]
    assert max(left["number"][0], left["number rescaled"][0]) < 0.4
    assert min(first["number"]) > 0.9


def test_a_question_that_is_not_known_is_refused():
    for call in (word_order.run, word_order.load_results):
        with pytest.raises(ValueError, match="task"):
            call("rhymes")
    with pytest.raises(ValueError, match="way"):
        word_order.load_reader("who comes first", "smoke")

"""Where a word stands, told in six ways."""

import numpy as np
import pytest

from course.data.order_questions import RANGES, TASKS, baselines
from course.experiments import word_order
from course.experiments.word_order import VARIANTS, begin


@pytest.mark.parametrize("task", TASKS)
def test_the_training_that_is_shown_is_one_of_the_draws(task):
    shown, draws = word_order.shown(task), word_order.draws(task)
    assert shown.baselines == baselines(task)
    assert {*shown.losses} == {*shown.accuracy} == {*VARIANTS}
    assert [*draws] == [400, 1600]
    for variant in VARIANTS:
        assert len(shown.losses[variant]) == word_order.STEPS
        assert draws[400][variant][0].tolist() == [*shown.accuracy[variant]]
        for by_steps in draws.values():
            assert by_steps[variant].shape == (5, len(RANGES))


def test_a_model_trains_as_it_did_when_the_results_were_kept():
    task = "two to the left"
    _, fitting = begin(task, "waves appended", 0, 20)
    losses = word_order.shown(task).losses["waves appended"]
    np.testing.assert_allclose([*fitting], losses[:20], atol=0.01)


def test_a_model_is_measured_on_its_way_and_goes_on(monkeypatch):
    monkeypatch.setattr(word_order, "STAGES", (3, 1))  # in whatever order they stand
    early, late = word_order.run("who comes first", "none", seed=2)
    for row, steps in ((early, 1), (late, 3)):
        model, fitting = begin("who comes first", "none", 2, steps)
        assert row["steps"] == len([*fitting]) == steps
        assert row["accuracy"] == word_order.measure(model, "who comes first")


def test_the_table_gives_the_middle_draw_between_the_lowest_and_the_highest():
    draws = word_order.draws("who comes first")
    lines = word_order.table("who comes first").splitlines()
    assert lines[0].split("  ")[0] == "who comes first"
    rows = {line.split("  ")[0]: line for line in lines}
    for variant in VARIANTS:
        late = sorted(draws[1600][variant][:, -1])
        told = f"{late[2]:.2f} ({late[0]:.2f}–{late[4]:.2f})"
        assert rows[variant].endswith(told)
    own = baselines("who comes first")["own place alone"][-1]
    assert rows["own place alone"].endswith(f"{own:.2f}")


def test_what_the_results_show():
    left, who = (word_order.draws(task) for task in TASKS)
    own = baselines("who comes first")["own place alone"][-1]
    for variant in ("waves appended", "waves added", "learned"):
        for of_left, of_who in zip(left.values(), who.values(), strict=True):
            assert of_left[variant][:, 0].min() > 0.9
            assert (of_left[variant][:, 4] < of_left[variant][:, 3]).all()
            assert of_who[variant][:, 4].max() < own
    for variant in ("number", "number rescaled"):
        assert left[400][variant][:, 0].max() < 0.45
        assert min(word_order.shown("who comes first").accuracy[variant]) > 0.9


def test_a_question_that_is_not_known_is_refused():
    for call in (word_order.shown, word_order.draws, word_order.table):
        with pytest.raises(ValueError, match="task must be one of"):
            call("rhymes")
    with pytest.raises(ValueError, match="task must be one of"):
        next(word_order.train_steps("rhymes"))

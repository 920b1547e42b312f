"""The six ways from five random starts, and with longer training."""

import numpy as np
import pytest

from course.data.order_questions import RANGES, TASKS, floors
from course.experiments import order_draws, word_order
from course.models.reader import WAYS


@pytest.mark.parametrize("task", TASKS)
def test_five_draws_of_each_way_are_kept_and_the_first_is_the_experiments(task):
    draws = order_draws.load_draws(task)
    assert [*draws] == [400, 1600]
    shown = word_order.load_results(task).accuracy
    for of in draws.values():
        assert set(of) == set(WAYS)
        assert all(np.shape(of[way]) == (5, len(RANGES)) for way in WAYS)
    for way in WAYS:
        np.testing.assert_allclose(
            draws[400][way][0], shown[way], atol=0.1
        )  # another machine rounds otherwise


def test_a_model_is_asked_on_its_way_and_goes_on():
    early, late = order_draws.run("who comes first", "none", lengths=(1, 3), seed=2)
    alone = order_draws.run("who comes first", "none", lengths=(1,), seed=2)
    assert alone == [early]
    longer = word_order.run("who comes first", ways=["none"], steps=3, seed=2)
    assert late == longer.accuracy["none"]


def test_the_command_writes_what_can_be_read(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(order_draws, "WAYS", ("learned",))
    order_draws.main(tmp_path, lengths=(1, 2), seeds=(7,))
    assert capsys.readouterr().out.count("learned") == 2
    for task in TASKS:
        draws = order_draws.load_draws(task, tmp_path)
        assert [*draws] == [1, 2]
        found = order_draws.run(task, "learned", lengths=(2,), seed=7)
        np.testing.assert_allclose(draws[2]["learned"], found, atol=1e-4)


def test_the_table_gives_the_middle_draw_between_the_lowest_and_the_highest():
    draws = order_draws.load_draws("who comes first")
    lines = order_draws.table("who comes first").splitlines()
    assert lines[0].split("  ")[0] == "who comes first"
    rows = {way: line for way in WAYS for line in lines if line.split("  ")[0] == way}
    for way in WAYS:
        late = sorted(draw[-1] for draw in draws[1600][way])
        told = f"{late[2]:.2f} ({late[0]:.2f}–{late[4]:.2f})"
        assert rows[way].endswith(told)
    own = f"{floors('who comes first')['own place alone'][-1]:.2f}"
    assert any(x.startswith("own place alone") and x.endswith(own) for x in lines)


def test_what_all_draws_show():
    left = order_draws.load_draws("two to the left")
    who = order_draws.load_draws("who comes first")
    own = floors("who comes first")["own place alone"][-1]
    waves = "waves appended", "waves added"
    for of in left.values():
        for way in waves:
            assert all(draw[0] > 0.9 for draw in of[way])
            assert all(draw[4] < draw[3] for draw in of[way])  # places in one sentence
    for way in ("number", "number rescaled"):
        assert max(draw[0] for draw in left[400][way]) < 0.45
    for of in who.values():
        for way in (*waves, "learned"):
            assert max(draw[4] for draw in of[way]) < own


def test_an_unknown_task_is_refused():
    for call in (order_draws.load_draws, order_draws.table):
        with pytest.raises(ValueError, match="task"):
            call("rhymes")
    with pytest.raises(ValueError, match="task"):
        order_draws.run("rhymes", "none")

"""order_training without a browser: the trainings of all ways, side by side."""

import numpy as np
import pytest

from course import explorers
from course.data.order_questions import baselines
from course.experiments import word_order

VARIANTS = ["waves added", "none"]


@pytest.fixture(scope="module")
def trained():
    return explorers.order_training("who comes first", ways=VARIANTS, steps=21)


def test_the_losses_are_those_of_training_one_way_after_the_other(trained):
    alone = {
        way: [*word_order.begin("who comes first", way, 0, 21)[1]] for way in VARIANTS
    }
    wanted = [[np.mean(alone[way][n : n + 20]) for way in VARIANTS] for n in (0, 1)]
    np.testing.assert_allclose(trained.values["losses"], wanted)
    *_, last = word_order.train_steps("who comes first", variants=VARIANTS, steps=21)
    assert last.losses == alone


def test_the_curve_says_what_a_point_is_and_ends_with_the_last_step(trained):
    curve = trained.drawings[-1]
    assert list(curve.x) == [20, 21]
    assert curve.limits[0] == (0, 21)
    assert curve.axes == ("steps", "loss, mean of 20 steps")


def test_before_the_first_step_ways_are_asked_and_have_no_losses():
    first = next(word_order.train_steps("who comes first", variants=VARIANTS, steps=5))
    assert set(first.accuracy) == set(VARIANTS)
    assert first.losses == {way: [] for way in VARIANTS}
    assert first.baselines == baselines("who comes first")


def test_the_share_of_right_answers_is_asked_again_on_the_way_and_at_the_end():
    steps = word_order.train_steps(variants=["none"], steps=9)
    asked = [found.accuracy["none"] for found in steps]
    changes = [n for n in range(1, 10) if asked[n] is not asked[n - 1]]
    assert changes == [2, 4, 6, 8, 9]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        ({"task": "who"}, ValueError, "task must be one of .*got 'who'"),
        ({"ways": []}, ValueError, "ways must hold 1 to 6 words, got 0"),
        ({"ways": "none"}, TypeError, "ways must be a list of words, got 'none'"),
        ({"ways": ["none", "none"]}, ValueError, "ways must be different"),
        ({"ways": ["None"]}, ValueError, "each of ways must be one of .*got 'None'"),
        ({"steps": 19}, ValueError, "steps must be at least 20, got 19"),
        ({"steps": 20.0}, TypeError, "steps must be an integer, got 20.0"),
    ],
)
def test_what_cannot_be_trained_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        explorers.order_training(**call)

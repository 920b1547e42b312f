"""order_experiment without a browser: what it shows of results it is given."""

import numpy as np
import pytest
from traitlets import TraitError

from transformer_lib import explorers
from transformer_lib.tasks.word_order import LENGTHS, WAYS, WordOrder

RANDOM = np.random.default_rng(0)


def result(task="two to the left", ways=WAYS, steps=65):
    accuracy = {way: tuple(RANDOM.random(3).tolist()) for way in ways}
    losses = {way: RANDOM.random(steps).tolist() for way in ways}
    return WordOrder(task, LENGTHS, accuracy, losses)


@pytest.fixture
def both():
    return result(), result("who comes first")


def test_curves_average_twenty_steps_and_bars_are_the_accuracies(both):
    explorer = explorers.order_experiment(*both)
    losses, accuracy = explorer.values["losses"], explorer.values["accuracy"]
    for n, way in enumerate(WAYS):
        mean = np.mean(both[0].losses[way][20:40])
        np.testing.assert_allclose(losses[:, n][1], mean)
        np.testing.assert_allclose(accuracy[:, n], both[0].accuracy[way])
    assert losses.shape == (3, 4)
    assert [d.name for d in explorer.drawings] == ["losses", "accuracy"]
    assert list(explorer.drawings[0].x) == [20, 40, 60]


def test_every_choice_shows_what_was_chosen(both):
    explorer = explorers.order_experiment(*both)
    for task in both:
        explorer.controls["task"].value = task.task
        for way in WAYS:
            explorer.controls["way"].value = way
            for n, span in enumerate(("4 to 12", "13 to 24", "48")):
                explorer.controls["words"].value = span
                shown = explorer.values["accuracy"]
                np.testing.assert_allclose(shown, [[task.accuracy[way][n]]])
                assert f"\n{span} " in explorer.text()


def test_one_result_is_enough_and_guessing_is_marked(both):
    explorer = explorers.order_experiment(both[1])
    bars = explorer.views[1, "bars"].live["accuracy"]
    assert bars["guide"] == [0.5, "guessing"]
    assert explorer._repr_mimebundle_()[0]["image/png"]


@pytest.mark.parametrize(
    ("control", "chosen"), [("way", "nonsense"), ("words", "5"), ("task", "another")]
)
def test_an_unknown_choice_is_refused(both, control, chosen):
    explorer = explorers.order_experiment(*both)
    before = dict(explorer.settings)
    with pytest.raises(TraitError, match="Invalid selection"):
        explorer.controls[control].value = chosen
    assert explorer.settings == before


def test_what_is_no_result_is_refused(both):
    with pytest.raises(TypeError, match="results must be WordOrder, got str"):
        explorers.order_experiment("two to the left")
    with pytest.raises(ValueError, match=r"must have the ways .*none"):
        explorers.order_experiment(result(ways=("none",)))
    with pytest.raises(ValueError, match="20 steps or more, got 19"):
        explorers.order_experiment(both[0], result("who comes first", steps=19))
    for wrong in ((), (both[0], both[0])):
        with pytest.raises(ValueError, match="one result for each task"):
            explorers.order_experiment(*wrong)

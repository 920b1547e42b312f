"""order_experiment without a browser: what it shows of results it is given."""

import numpy as np
import pytest
from traitlets import TraitError

from course import explorers
from course.data.order_questions import baselines
from course.experiments.word_order import WordOrder
from course.models.reader import VARIANTS
from explorable import plots

RANDOM = np.random.default_rng(0)


def result(task="two to the left", ways=VARIANTS, steps=65):
    accuracy = {way: tuple(RANDOM.random(5).tolist()) for way in ways}
    losses = {way: RANDOM.random(steps).tolist() for way in ways}
    return WordOrder(task, accuracy, baselines(task), losses)


@pytest.fixture
def both():
    return result(), result("who comes first")


def test_both_tasks_stand_side_by_side_baselines_above_ways(both):
    explorer = explorers.order_experiment(*both)
    assert [d.name for d in explorer.drawings] == [one.task for one in both]
    for drawing, one in zip(explorer.drawings, both, strict=True):
        rule = "ignoring order" if one is both[0] else "own position"
        assert list(drawing.labels) == [rule, *VARIANTS]
        *_, told = one.baselines.values()
        kept = [told, *one.accuracy.values()]
        wanted = np.array(kept)[:, [0, 3, 4]]  # 4 to 12, and 48 words apart
        np.testing.assert_allclose(explorer.values[one.task], wanted)
    explorer.controls["longer"].value = "13 to 24"
    wanted = np.array([*both[0].accuracy.values()])[:, :3]
    np.testing.assert_allclose(explorer.values["two to the left"][1:], wanted)
    assert "13 to 24: positions 12 to 23" in explorer.text()


def test_one_task_has_its_learning_beside_it_in_means_of_twenty_steps(both):
    explorer = explorers.order_experiment(*both)
    explorer.controls["task"].value = "who comes first"
    assert [d.name for d in explorer.drawings] == ["who comes first", "losses"]
    losses = explorer.values["losses"]
    for n, way in enumerate(VARIANTS):
        np.testing.assert_allclose(losses[1, n], np.mean(both[1].losses[way][20:40]))
        np.testing.assert_allclose(losses[3, n], np.mean(both[1].losses[way][45:]))
    assert losses.shape == (4, 6)
    assert list(explorer.drawings[1].x) == [20, 40, 60, 65]


def test_a_way_may_stand_alone_beside_the_baseline(both):
    explorer = explorers.order_experiment(*both)
    for way in VARIANTS:
        explorer.controls["way"].value = way
        shown = explorer.values["two to the left"]
        np.testing.assert_allclose(shown[1], np.array(both[0].accuracy[way])[[0, 3, 4]])
        assert len(shown) == 2


def test_one_result_is_enough_and_guessing_is_marked(both):
    explorer = explorers.order_experiment(both[1])
    bars = explorer.views[0, "bars"].live["who comes first"]
    assert bars["guide"] == [0.5, "guessing"]
    assert explorer._repr_mimebundle_()[0]["image/png"]


def test_the_picture_at_rest_fits_a_screen_and_cuts_no_label(both):
    figure = explorers.order_experiment(*both).picture()
    assert figure.get_figheight() * figure.dpi <= 1000
    words = {word.text for word in plots.said(figure)}
    assert {"own position", "number rescaled"} <= words


@pytest.mark.parametrize(
    ("control", "chosen"), [("way", "nonsense"), ("longer", "5"), ("task", "another")]
)
def test_an_unknown_choice_is_refused(both, control, chosen):
    explorer = explorers.order_experiment(*both)
    before = dict(explorer.settings)
    with pytest.raises(TraitError, match="Invalid selection"):
        explorer.controls[control].value = chosen
    assert explorer.settings == before


def test_what_is_no_result_is_refused(both):
    with pytest.raises(TypeError, match="results must be a WordOrder, got str"):
        explorers.order_experiment("two to the left")
    with pytest.raises(ValueError, match=r"must have the encodings .*none"):
        explorers.order_experiment(result(ways=("none",)))
    with pytest.raises(ValueError, match="20 steps or more, got 19"):
        explorers.order_experiment(both[0], result("who comes first", steps=19))
    for wrong in ((), (both[0], both[0])):
        with pytest.raises(ValueError, match="one result for each task"):
            explorers.order_experiment(*wrong)

"""What the trainings of `learning` are, and what is kept of them."""

from math import log

import numpy as np
import pytest
import torch

from course.data.sequences import SOS_ID
from course.experiments import learning
from course.models.measures import teacher_forced
from course.models.pairs import exact_match
from course.models.sequences import trained

SCHEDULES = ["baseline", "no warm-up", "no decay", "0.1 × learning rate"]


@pytest.mark.parametrize("way", learning.ONE_BLOCK)
def test_a_way_changes_one_thing(way):
    recipe, own = learning.ONE_BLOCK[way]
    changed = [
        field
        for field, value in vars(learning.RECIPE).items()
        if getattr(recipe, field) != value
    ]
    assert len(changed) + len(own) == (way != "baseline")


@pytest.mark.parametrize("blocks", learning.DEPTHS)
def test_a_depth_has_four_ways_that_differ_in_norm_order_and_warmup_alone(blocks):
    named = [
        w for name, w in learning.VARIANTS.items() if name.startswith(f"{2 * blocks} b")
    ]
    warmups = {way.recipe.warmup for way in named}
    orders = {way.sizes["norm_first"] for way in named}
    assert (len(named), len(warmups), orders) == (4, 2, {True, False})
    same = [{**vars(w.recipe), **w.sizes} for w in named]
    for one in same:
        del one["warmup"], one["norm_first"]
    assert all(one == same[0] for one in same)


def test_a_model_that_writes_all_is_sure_and_right_behind_right_letters():
    found = teacher_forced(
        trained("reverse"), learning.TASK.held_out(100), learning.PAD_ID
    )
    assert found.token_accuracy == 1
    assert found.loss < 0.05
    assert found.confidence > 0.95


def test_who_knows_the_length_alone_has_a_loss_that_can_be_counted():
    class Guesser(torch.nn.Linear):  # whose weights say where it computes
        """Knows each text's length, and gives ten letters the same probability."""

        def __init__(self):
            super().__init__(1, 1)

        def forward(self, source, reads, mask):
            length = (source != learning.PAD_ID).sum(1)
            at_end = torch.arange(reads.size(1)) == length[:, None]
            probabilities = torch.zeros(*reads.shape, 13)
            probabilities[..., learning.TASK.vocabulary.eos_id] = at_end.float()
            probabilities[..., 3:] = (~at_end)[..., None] / 10
            return probabilities.log()

    assert learning.TASK.vocabulary.words[3] == "a"
    pairs = learning.TASK.held_out(4000)
    assert pairs.target[0, 0] == SOS_ID
    letters = int((pairs.source != learning.PAD_ID).sum())
    by_hand = letters / (letters + 4000) * log(10)
    found = teacher_forced(Guesser(), pairs, learning.PAD_ID).loss
    assert found == pytest.approx(by_hand, abs=1e-4)
    assert learning.letters_by_chance() == pytest.approx(by_hand, abs=0.004)


def test_a_training_is_asked_at_the_end_of_each_quarter(monkeypatch):
    monkeypatch.setitem(learning.LENGTHS, "half", 50)
    found = learning.run("baseline", "half", seed=3)
    model, training = learning.begin("baseline", seed=3, steps=8)
    assert found["steps"] == len(list(training)) == 8
    new = learning.TASK.held_out(learning.ASKED)
    assert len(found["by_quarter"]) == 4
    assert found["by_quarter"][-1] == exact_match(model, learning.TASK, new)
    forced = teacher_forced(model, new, learning.PAD_ID)
    assert found["loss"] == pytest.approx(forced.loss)


def test_what_the_kept_results_show():
    for training in learning.LENGTHS:
        some = {"variant": SCHEDULES, "training": training}
        quarters = learning.EXPERIMENT.table("by_quarter", **some)
        assert quarters.shape == (4, 5, 4)
        matches = learning.EXPERIMENT.table("exact_match", **some)
        np.testing.assert_array_equal(matches, quarters[..., -1])


def test_what_there_is_not_is_named():
    with pytest.raises(ValueError, match="variant must be one of"):
        learning.begin("faster")
    with pytest.raises(ValueError, match="steps must be at least 1"):
        learning.begin(steps=0)

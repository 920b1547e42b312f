"""The models of the course that copy and reverse letters."""

import pytest
import torch

from course.data.pairs import Pairs
from course.data.sequences import ORDERS, VOCABULARY, Sequences
from course.models import sequences
from course.models.pairs import exact_match, write


@pytest.mark.parametrize("order", ORDERS)
def test_the_model_of_the_course_writes_every_new_text(order):
    task = Sequences(order)
    model = sequences.trained(order)
    assert exact_match(model, task, task.held_out()) == 1
    [written] = write(model, task, Pairs(*task.held_out(1)).source)
    assert len(written) >= 5


def test_who_guesses_the_order_is_seldom_right():
    """Of "ab" half of the guesses are right, of "aa" each, of "abc" one in six."""
    made = [VOCABULARY.encode(["⟨SOS⟩", *text, "⟨EOS⟩"]) for text in ("abc", "aab")]

    ids = torch.tensor(made)
    assert sequences.in_any_order(Pairs(ids, ids)) == pytest.approx((1 / 6 + 1 / 3) / 2)
    assert sequences.in_any_order(Sequences("copy").held_out()) < 0.01


@pytest.mark.parametrize("variant", sequences.VARIANTS)
def test_a_variant_changes_one_thing(variant):
    model, training = sequences.begin("reverse", variant, steps=1)
    recipe, own = sequences.VARIANTS[variant]
    assert len(training) == 1
    changed = (recipe != sequences.RECIPE) + len(own)
    assert changed == (variant != "as it is")
    assert model.config.positions == ("none" if own else "sinusoidal")


def test_what_there_is_not_is_named():
    with pytest.raises(ValueError, match="order must be one of"):
        sequences.trained("sorted")
    with pytest.raises(ValueError, match="variant must be one of"):
        sequences.begin("copy", "faster")

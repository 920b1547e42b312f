"""The models of the course that copy and reverse letters."""

import pytest
import torch

from course.data.pairs import Pairs
from course.data.sequences import ORDERS, VOCABULARY, Sequences
from course.models.pairs import exact, write
from course.models.training import sequences
from transformer_lib import load_checkpoint


@pytest.mark.parametrize("order", ORDERS)
def test_the_model_of_the_course_writes_every_new_text(order):
    task = Sequences(order)
    model = sequences.trained(order)
    assert exact(model, task, task.new()) == 1
    [written] = write(model, task, Pairs(*task.new(1)).source)
    assert len(written) >= 5


def test_who_guesses_the_order_is_seldom_right():
    """Of "ab" half of the guesses are right, of "aa" each, of "abc" one in six."""
    made = [VOCABULARY.encode(["⟨SOS⟩", *text, "⟨EOS⟩"]) for text in ("abc", "aab")]

    ids = torch.tensor(made)
    assert sequences.in_any_order(Pairs(ids, ids)) == pytest.approx((1 / 6 + 1 / 3) / 2)
    assert sequences.in_any_order(Sequences("copy").new()) < 0.01


@pytest.mark.parametrize("way", sequences.WAYS)
def test_a_way_changes_one_thing(way):
    model, training = sequences.begin("reverse", way, steps=1)
    recipe, own = sequences.WAYS[way]
    assert len(training) == 1
    changed = (recipe != sequences.RECIPE) + len(own)
    assert changed == (way != "as it is")
    assert model.config.positions == ("none" if own else "sinusoidal")


def test_the_command_makes_both_models_and_says_how_they_do(tmp_path, capsys):
    sequences.main(tmp_path, steps=1)
    told = capsys.readouterr().out
    for order in ORDERS:
        model, made = load_checkpoint(tmp_path / f"{order}.safetensors")
        assert model.config == sequences.trained(order).config
        assert made.words == VOCABULARY.words
        for row in (*sequences.WAYS, "letters in any order"):
            assert f"{order:8} {row:24} " in told


def test_what_there_is_not_is_named():
    with pytest.raises(ValueError, match="order must be one of"):
        sequences.trained("sorted")
    with pytest.raises(ValueError, match="way must be one of"):
        sequences.begin("copy", "faster")

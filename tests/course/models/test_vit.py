"""The Vision Transformer of the course."""

import re

import pytest
import torch

from course.data.digits import Digits, digits
from course.models import vit
from transformer_lib import record

NEW = digits("held out")


def test_it_reads_the_digits_of_new_writers():
    assert vit.score(vit.trained(), NEW) >= 0.97


def test_the_class_token_alone_is_asked():
    model, x = vit.trained(), NEW.pictures[:5]
    with torch.inference_mode(), record(model) as tensors:
        logits = model(x)
        expected = tensors["reader"][:, 0] @ model.head.weight.T + model.head.bias
    assert torch.allclose(logits, expected, atol=1e-5)


def test_a_network_learns_from_the_digits_that_it_is_given():
    known = Digits(NEW.pictures[:3], NEW.digits[:3])
    small = vit.model_of(vit.MODEL.build, known, lambda pictures, draw: pictures)
    batch = small.draw(0)(torch.Generator().manual_seed(0))
    assert len(batch.digits) == vit.RECIPE.batch_size
    assert {*batch.digits.tolist()} == {*known.digits.tolist()}
    assert all(
        (known.pictures == one).flatten(1).all(1).any() for one in batch.pictures
    )


def test_probabilities_sum_to_1_and_a_picture_has_its_own_among_others():
    p = vit.probabilities(vit.trained(), NEW.pictures[:50])
    assert torch.allclose(p.sum(-1), torch.ones(50))
    alone = vit.probabilities(vit.trained(), NEW.pictures[7:8])
    assert torch.allclose(alone, p[7:8], atol=1e-5)


def test_who_looks_at_whom_is_told_of_every_block_and_head():
    weights = vit.attention_weights(vit.trained(), NEW.pictures[0])
    assert weights.shape == (vit.SIZES.n_encoder_layers, vit.SIZES.n_heads, 17, 17)
    assert torch.allclose(weights.sum(-1), torch.ones(weights.shape[:-1]))


@pytest.mark.parametrize(
    ("pictures", "says"),
    [
        (torch.zeros(8, 8), "have shape (batch, 8, 8), got (8, 8)"),
        (torch.zeros(1, 8, 9), "have shape (batch, 8, 8), got (1, 8, 9)"),
        (torch.full((1, 8, 8), 16.0), "hold numbers from 0 to 1, got [16.0]"),
        (torch.full((1, 8, 8), torch.nan), "hold numbers from 0 to 1, got [nan]"),
    ],
)
def test_what_is_no_picture_is_refused(pictures, says):
    with pytest.raises(ValueError, match=f"^pictures must {re.escape(says)}$"):
        vit.probabilities(vit.trained(), pictures)
    with pytest.raises(TypeError, match=r"^pictures must be a torch.Tensor, got list$"):
        vit.probabilities(vit.trained(), [[0.0]])


def test_a_seed_gives_the_same_training_and_another_one_another():
    losses = []
    for seed in (1, 1, 2):
        model, training = vit.begin(seed, steps=2)
        losses.append([*training])
        assert not model.training
    assert losses[0] == losses[1] != losses[2]

"""Checkpoints: weights never go without the configuration that tells what they mean."""

import io
from dataclasses import replace

import pytest
import torch
from safetensors.torch import save_file
from small import PROMPTS, SMALL, build

from transformer_lib import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
    load_checkpoint,
    save_checkpoint,
)

KINDS = [Transformer, EncoderOnlyTransformer, DecoderOnlyTransformer]
OTHERS = {
    "n_heads": 4,
    "activation": "gelu",
    "positions": "none",
    "norm_first": True,
}


def call(model):
    return model(*[PROMPTS] * (2 if isinstance(model, Transformer) else 1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [{}, {"n_heads": 4, "positions": "learned"}])
def test_a_file_builds_the_model_that_was_saved(kind, options, tmp_path):
    model = build(kind, **options)
    path = tmp_path / "folder" / "model.safetensors"
    save_checkpoint(model, path, words=["a", "é"], note=3)
    found, about = load_checkpoint(path)
    assert type(found) is kind
    assert found.config == model.config
    assert not found.training
    assert call(found).equal(call(model))
    assert about == {"words": ["a", "é"], "note": 3}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("kind", KINDS)
def test_weights_of_another_configuration_are_refused(kind, name):
    model = build(kind, final_norm=True)
    other = build(kind, final_norm=True, **{name: OTHERS[name]})
    before = call(model)
    says = f"^state_dict of {name} must be {getattr(SMALL, name)!r}, as the model is"
    with pytest.raises(ValueError, match=says):
        model.load_state_dict(other.state_dict())
    assert call(model).equal(before)
    bare = dict(other.state_dict())  # which says nothing, as an older file does
    model.load_state_dict(bare)


def test_a_state_dict_that_torch_saved_still_says_what_it_is_of():
    file, model = io.BytesIO(), build(DecoderOnlyTransformer, n_heads=4)
    torch.save(model.state_dict(), file)
    file.seek(0)
    weights = torch.load(file, weights_only=True)
    with pytest.raises(ValueError, match=r"^state_dict of n_heads must be 3, .*got 4$"):
        build(DecoderOnlyTransformer).load_state_dict(weights)


def test_weights_may_go_to_a_model_with_another_dropout():
    model, other = build(Transformer), build(Transformer, seed=1, dropout=0.5)
    other.load_state_dict(model.state_dict())
    assert call(other).equal(call(model))


def test_a_file_without_a_configuration_is_refused(tmp_path):
    path = tmp_path / "bare.safetensors"
    save_file(build(Transformer).state_dict(), path)
    with pytest.raises(
        ValueError, match=r"^path must name a model of ours and its conf"
    ):
        load_checkpoint(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^path must be a checkpoint, got "):
        load_checkpoint(tmp_path / "none.safetensors")


def test_what_is_no_model_of_ours_is_not_saved(tmp_path):
    with pytest.raises(TypeError, match=r"^model must be a Transformer or a .*Linear$"):
        save_checkpoint(torch.nn.Linear(2, 2), tmp_path / "x")


def test_a_config_is_what_the_file_says(tmp_path):
    model = DecoderOnlyTransformer(replace(SMALL, activation="gelu_tanh", dropout=0.0))
    save_checkpoint(model, tmp_path / "x")
    assert load_checkpoint(tmp_path / "x")[0].config.activation == "gelu_tanh"

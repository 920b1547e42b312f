"""Checkpoints: weights never go without the configuration that tells what they mean."""

import io
import json
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import torch
from safetensors.torch import save, save_file
from small import PROMPTS, SMALL, build

from transformer_lib import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
    checkpoints,
    load_checkpoint,
    save_checkpoint,
)
from transformer_lib.checkpoints import Provenance

KINDS = [Transformer, EncoderOnlyTransformer, DecoderOnlyTransformer]
OTHERS = {
    "n_heads": 4,
    "activation": "gelu",
    "positions": "none",
    "norm_first": True,
    "norm_eps": 1e-3,
    "scale_embeddings": False,
}


def call(model):
    return model(*[PROMPTS] * (2 if isinstance(model, Transformer) else 1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [{}, {"n_heads": 4, "positions": "learned"}])
def test_a_file_builds_the_model_that_was_saved(kind, options, tmp_path):
    model = build(kind, **options)
    path = tmp_path / "folder" / "model.safetensors"
    made = Provenance(recipe={"rate": 0.1}, words=["a", "é"])
    save_checkpoint(model, path, made)
    found, told = load_checkpoint(path)
    assert type(found) is kind
    assert found.config == model.config
    assert not found.training
    assert call(found).equal(call(model))
    assert told == made


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


# ── files that are no checkpoints ─────────────────────────────────────────────────────
with TemporaryDirectory() as folder:
    save_checkpoint(build(Transformer), Path(folder) / "whole")
    WHOLE = (Path(folder) / "whole").read_bytes()
MODEL = {"model": "DecoderOnlyTransformer", "config": {"vocabulary_size": 5}}


def cut(share):
    return WHOLE[: int(share * len(WHOLE))]


def torchs_own():
    file = io.BytesIO()
    torch.save({"weight": torch.ones(2)}, file)
    return file.getvalue()


def saying(made):
    """A file of safetensors that says this of what it holds."""
    return save({"weight": torch.ones(2)}, {"made": made})


BROKEN = {
    "empty": b"",
    "one byte": b"{",
    "cut in its header": cut(0.01),
    "cut in half": cut(0.5),
    "cut by a byte": WHOLE[:-1],
    "one byte more": WHOLE + b"0",
    "text": b"hello " * 99,
    "JSON": b'{"RNN": [[0.1]]}',
    "torch's own": torchs_own(),
    "zeros": bytes(1000),
    "words that are no JSON": saying("{"),
    "words too deep": saying("[" * 100_000),
    "a list": saying("[]"),
    "null": saying("null"),
    "no configuration": saying(json.dumps({"model": "Transformer"})),
    "no model": saying(json.dumps({"model": "GPT-5", "config": {}})),
    "a model that is a list": saying(json.dumps({"model": [], "config": {}})),
    "a configuration that is a list": saying(json.dumps(MODEL | {"config": [1]})),
    "a size nobody knows": saying(json.dumps(MODEL | {"config": {"d_mode": 1}})),
    "a size below 1": saying(json.dumps(MODEL | {"config": {"d_model": -1}})),
    "a size that is text": saying(json.dumps(MODEL | {"config": {"d_model": "8"}})),
    "weights of something else": saying(json.dumps(MODEL)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_named(name, tmp_path):
    path = tmp_path / "broken.safetensors"
    path.write_bytes(BROKEN[name])
    with pytest.raises(ValueError, match=r"^path must ") as said:
        load_checkpoint(path)
    assert type(said.value) is ValueError
    assert str(path) in str(said.value)
    assert len(str(said.value).splitlines()) == 1


def test_weights_of_another_shape_are_named_with_their_file(tmp_path):
    path = tmp_path / "x.safetensors"
    model = build(DecoderOnlyTransformer)
    made = {"model": "DecoderOnlyTransformer", "config": asdict(model.config)}
    made["config"]["vocabulary_size"] += 1
    save_file(model.state_dict(), path, {"made": json.dumps(made)})
    with pytest.raises(ValueError, match=r"embedding\.weight") as said:
        load_checkpoint(path)
    assert str(path) in str(said.value)


def test_a_folder_is_named(tmp_path):
    with pytest.raises(
        ValueError, match=r"^path must be a checkpoint, got .* folder$"
    ) as said:
        load_checkpoint(tmp_path)
    assert str(tmp_path) in str(said.value)


@pytest.mark.parametrize("place", ["none.safetensors", "none/none", "file/none"])
def test_a_file_that_is_missing_is_named(place, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FileNotFoundError) as said:
        load_checkpoint(tmp_path / place)
    assert str(tmp_path / place) in str(said.value)


def test_a_path_may_be_text_and_nothing_else(tmp_path):
    path = str(tmp_path / "x")
    save_checkpoint(build(DecoderOnlyTransformer), path)
    assert isinstance(load_checkpoint(path)[0], DecoderOnlyTransformer)
    for call in (
        load_checkpoint,
        lambda path: save_checkpoint(build(Transformer), path),
    ):
        with pytest.raises(TypeError, match=r"^path must be a Path or a str, got int$"):
            call(3)


def test_numbers_keep_their_type_and_chance_its_place(tmp_path):
    model = build(DecoderOnlyTransformer).double()
    with torch.no_grad():
        model.embedding.weight.add_(1e-10)
    save_checkpoint(model, tmp_path / "m")
    before = torch.get_rng_state()
    found, _ = load_checkpoint(tmp_path / "m")
    assert torch.get_rng_state().equal(before)
    assert call(found).equal(call(model))
    assert call(found).dtype == torch.float64


@pytest.mark.parametrize("lost", ["n_heads", "activation", "norm_eps"])
def test_a_configuration_that_does_not_say_all_is_refused(lost, tmp_path):
    """What it did not say was taken to be as in the paper."""
    model = build(DecoderOnlyTransformer)
    config = asdict(model.config)
    del config[lost]
    made = {"model": "DecoderOnlyTransformer", "config": config}
    checkpoints.write_weights(model.state_dict(), tmp_path / "m", made)
    with pytest.raises(ValueError, match="its configuration must say"):
        load_checkpoint(tmp_path / "m")


def test_weights_that_are_whole_numbers_are_refused(tmp_path):
    model = build(DecoderOnlyTransformer)
    weights = {name: x.int() for name, x in model.state_dict().items()}
    made = {"model": "DecoderOnlyTransformer", "config": asdict(model.config)}
    checkpoints.write_weights(weights, tmp_path / "m", made)
    with pytest.raises(
        ValueError, match="its weights must be of one floating-point type"
    ):
        load_checkpoint(tmp_path / "m")


def test_whoever_is_interrupted_while_saving_keeps_the_file_that_was_there(
    tmp_path, monkeypatch
):
    def half(weights, path, made):
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    model, path = build(DecoderOnlyTransformer), tmp_path / "m"
    save_checkpoint(model, path)
    before = path.read_bytes()
    monkeypatch.setattr(checkpoints.files, "save_file", half)
    with pytest.raises(KeyboardInterrupt):
        save_checkpoint(build(DecoderOnlyTransformer, seed=1), path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("fault", [AttributeError, KeyError, IndexError, TypeError])
def test_faults_of_our_own_are_not_blamed_on_the_file(fault, monkeypatch, tmp_path):
    save_checkpoint(build(Transformer), tmp_path / "m")

    def broken(model, weights):
        raise fault("ours")

    monkeypatch.setattr(Transformer, "load_state_dict", broken)
    with pytest.raises(fault, match=r"^'?ours'?$"):
        load_checkpoint(tmp_path / "m")

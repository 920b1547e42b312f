"""Models with parts of their own are kept as ours are, and in half the room."""

import json
from dataclasses import asdict, dataclass, replace

import pytest
import torch
from safetensors import safe_open
from small import PROMPTS, SMALL, build
from torch import nn

from transformer_lib import (
    DecoderOnlyTransformer,
    Encoder,
    EncoderOnlyTransformer,
    TransformerConfig,
    load_checkpoint,
    record,
    save_checkpoint,
)
from transformer_lib.checkpoints import REGISTRY, registered, write_weights
from transformer_lib.runtime.module import Assembly


@dataclass(frozen=True, kw_only=True)
class LookerConfig:
    encoder: TransformerConfig = SMALL
    patch: int = 2
    kinds: int = 3


class Looker(Assembly):
    """Patches and a class token in front of an encoder."""

    def __init__(self, config: LookerConfig) -> None:
        super().__init__()
        self.config = config
        D = config.encoder.d_model
        self.patches = nn.Linear(config.patch**2, D)
        self.row = nn.Parameter(torch.randn(D))
        self.encoder = Encoder(config.encoder)
        self.kinds = nn.Linear(D, config.kinds)

    def forward(self, patches):
        row = self.row.expand(len(patches), 1, -1)
        x = torch.cat([row, self.patches(patches)], dim=1)
        return self.kinds(self.encoder(x)[:, 0])


@dataclass(frozen=True, kw_only=True)
class PairConfig:
    left: TransformerConfig
    right: TransformerConfig
    first_temperature: float = 0.07


class Pair(nn.Module):
    """Two encoders, and a temperature that is learned."""

    def __init__(self, config: PairConfig) -> None:
        super().__init__()
        self.config = config
        self.left = EncoderOnlyTransformer(config.left)
        self.right = EncoderOnlyTransformer(config.right)
        start = torch.tensor(config.first_temperature)
        self.log_temperature = nn.Parameter(start.log())

    def forward(self, left, right):
        a, b = self.left(left).mean(1), self.right(right).mean(1)
        return a @ b.T / self.log_temperature.exp()


@pytest.fixture(autouse=True)
def _known():
    """Registers the models of this file, and forgets them after each test."""
    before = dict(REGISTRY)
    registered(Looker)
    registered(Pair)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def looker(**options):
    torch.manual_seed(0)
    return Looker(LookerConfig(**options)).eval()


def pair():
    torch.manual_seed(0)
    config = PairConfig(left=SMALL, right=replace(SMALL, n_heads=4, d_ff=8))
    return Pair(config).eval()


PATCHES = torch.linspace(-1, 1, 2 * 9 * 4).view(2, 9, 4)
MADE = {"looker": (looker, (PATCHES,)), "pair": (pair, (PROMPTS, PROMPTS))}


@pytest.mark.parametrize("name", MADE)
def test_a_model_with_parts_of_its_own_is_built_as_it_was_saved(name, tmp_path):
    make, given = MADE[name]
    model, path = make(), tmp_path / "m.safetensors"
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.1)
    save_checkpoint(model, path)
    found, _ = load_checkpoint(path)
    assert type(found) is type(model)
    assert found.config == model.config
    assert not found.training
    assert found(*given).equal(model(*given))


@pytest.mark.parametrize("name", MADE)
def test_half_the_room_is_float32_again_once_it_is_read(name, tmp_path):
    make, given = MADE[name]
    model = make()
    whole, half = tmp_path / "whole", tmp_path / "half"
    save_checkpoint(model, whole)
    save_checkpoint(model, half, half=True)
    with safe_open(half, framework="pt") as file:
        kept = {file.get_tensor(n).dtype for n in file.keys()}  # noqa: SIM118
    assert kept == {torch.float16}
    numbers = 2 * sum(x.numel() for x in model.state_dict().values())
    assert whole.stat().st_size - half.stat().st_size == pytest.approx(numbers, abs=99)
    found, _ = load_checkpoint(half)
    for p, rounded in zip(model.parameters(), found.parameters(), strict=True):
        assert rounded.dtype == torch.float32
        assert rounded.equal(p.half().float())
    assert found(*given).dtype == torch.float32
    torch.testing.assert_close(found(*given), model(*given), atol=0.01, rtol=0.01)


def test_fixed_waves_are_not_rounded_with_the_weights(tmp_path):
    model = build(DecoderOnlyTransformer)
    save_checkpoint(model, tmp_path / "m", half=True)
    found, _ = load_checkpoint(tmp_path / "m")
    assert found.positions.table.equal(model.positions.table)


def test_what_has_no_half_is_not_saved(tmp_path):
    model = looker()
    with torch.no_grad():
        model.row[1] = 7e4
    with pytest.raises(ValueError, match=r"^row must be at most 65504, got 70000"):
        save_checkpoint(model, tmp_path / "m", half=True)
    with pytest.raises(ValueError, match=r"must be float32, to be halved, got torch.f"):
        save_checkpoint(looker().double(), tmp_path / "m", half=True)
    assert not (tmp_path / "m").exists()


def test_a_model_that_was_not_imported_is_named(tmp_path):
    save_checkpoint(looker(), tmp_path / "m")
    del REGISTRY["Looker"]
    with pytest.raises(
        ValueError, match=r"^path must be of a model that is imported, "
    ) as said:
        load_checkpoint(tmp_path / "m")
    assert "'Looker'" in str(said.value)
    assert str(tmp_path / "m") in str(said.value)
    with pytest.raises(TypeError, match=r"^model must be a Transformer or a .*Looker$"):
        save_checkpoint(looker(), tmp_path / "m")


def test_a_kind_of_one_of_ours_has_a_name_of_its_own(tmp_path):
    class Reader(EncoderOnlyTransformer):
        pass

    model = Reader(SMALL).eval()
    with pytest.raises(TypeError, match=r"^model must be a .*, got Reader$"):
        save_checkpoint(model, tmp_path / "m")
    registered(Reader)
    save_checkpoint(model, tmp_path / "m")
    found, _ = load_checkpoint(tmp_path / "m")
    assert type(found) is Reader
    assert found(PROMPTS).equal(model(PROMPTS))


def test_what_only_bears_the_name_of_a_model_is_not_saved(tmp_path):
    other = type("Looker", (Looker,), {})(LookerConfig())
    with pytest.raises(TypeError, match=r"^model must be a .*, got Looker$"):
        save_checkpoint(other, tmp_path / "m")


def test_a_cell_may_run_again_and_another_model_may_not_take_the_name():
    def again():
        class Looker(Assembly):
            def __init__(self, config: LookerConfig) -> None:
                super().__init__()

        return Looker

    with pytest.raises(ValueError, match=r"^Looker must be the name of one model, got"):
        registered(again())
    other = again()
    other.__qualname__ = "Looker"  # as the same cell makes it
    assert registered(other) is other
    assert REGISTRY["Looker"] == (other, LookerConfig)


@pytest.mark.parametrize("model", [nn.Linear, nn.Identity, Assembly])
def test_a_model_without_a_configuration_is_not_registered(model):
    with pytest.raises(TypeError, match=r" must be built of one config, a dataclass"):
        registered(model)


@pytest.mark.parametrize("value", [(2, 2), {2}, torch.float16, [SMALL]])
def test_a_configuration_that_a_file_cannot_hold_is_refused(value, tmp_path):
    """Found when it is saved, and not by whoever wants to read it."""
    model = looker()
    model.config = replace(model.config, patch=value)
    with pytest.raises(ValueError, match=r"^model.config must be a LookerConfig of "):
        save_checkpoint(model, tmp_path / "m")
    assert not (tmp_path / "m").exists()


TOLD = asdict(LookerConfig())
LESS = {name: x for name, x in TOLD.items() if name != "patch"}
BROKEN = {
    "a field is missing": LESS,
    "one too many": TOLD | {"d_model": 3},
    "no sizes of the encoder": TOLD | {"encoder": 3},
    "a size of the encoder missing": TOLD | {"encoder": {"d_model": 12}},
    "a size of the encoder below 1": TOLD | {"encoder": TOLD["encoder"] | {"d_ff": 0}},
    "other sizes": TOLD | {"kinds": 4},
    "a size that is text": TOLD | {"kinds": "3"},
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_configuration_of_parts_that_is_broken_is_named(name, tmp_path):
    path = tmp_path / "m"
    made = {"model": "Looker", "config": BROKEN[name]}
    write_weights(looker().state_dict(), path, json.loads(json.dumps(made)))
    with pytest.raises(ValueError, match=r"^path must be a checkpoint, ") as said:
        load_checkpoint(path)
    assert str(path) in str(said.value)
    assert len(str(said.value).splitlines()) == 1


def test_a_model_with_parts_of_its_own_prints_its_tree_and_is_recorded():
    model = looker()
    assert "encoder: Encoder" in repr(model)
    with record(model) as tensors:
        model(PATCHES)
    assert tensors["encoder.blocks.0.self_attention.weights"].shape == (2, 3, 10, 10)

"""Kept files say how they were made, and a file that was made otherwise is refused."""

import json
import math
from dataclasses import asdict, dataclass, replace

import pytest
import torch
from safetensors.torch import save_file
from small import build

from transformer_lib import DecoderOnlyTransformer, load_checkpoint, save_checkpoint
from transformer_lib.checkpoints import Provenance, read_weights, write_weights
from transformer_lib.model.config import NEWER


@dataclass(frozen=True)
class Rate:
    peak: float = 0.01
    falls: bool = True


@dataclass(frozen=True)
class Recipe:
    rate: Rate = Rate()
    batch: int = 64
    lengths: tuple[int, int] = (4, 8)


MADE = Provenance(recipe=Recipe(), seed=0, steps=600, words=["⟨EOS⟩", "a", "an"])
OTHERS = {
    "another seed": (replace(MADE, seed=1), "seed must be 1, got 0"),
    "another number of steps": (replace(MADE, steps=10), "steps must be 10, got 600"),
    "swapped words": (
        replace(MADE, words=["⟨EOS⟩", "an", "a"]),
        r"words\[1\] must be 'an', got 'a'",
    ),
    "one more word": (
        replace(MADE, words=[*MADE.words, "AI"]),
        r"words\[3\] must be 'AI', got nothing",
    ),
    "another rate": (
        replace(MADE, recipe=Recipe(Rate(peak=0.1))),
        r"recipe\.rate\.peak must be 0\.1, got 0\.01",
    ),
    "another length": (
        replace(MADE, recipe=Recipe(lengths=(4, 9))),
        r"recipe\.lengths\[1\] must be 9, got 8",
    ),
    "a setting of its own": (
        replace(MADE, recipe=MADE.recipe | {"clip": None}),
        r"recipe\.clip must be None, got nothing",
    ),
    "a setting less": (
        replace(MADE, recipe={k: v for k, v in MADE.recipe.items() if k != "batch"}),
        r"recipe\.batch must be nothing, got 64",
    ),
    "no recipe": (replace(MADE, recipe=None), "recipe must be None, got nothing"),
    "a flag that is a number": (
        replace(MADE, recipe=Recipe(Rate(falls=1))),
        r"recipe\.rate\.falls must be 1, got True",
    ),
}


@pytest.fixture
def path(tmp_path):
    kept = replace(MADE, figures={"loss": 0.25})
    save_checkpoint(build(DecoderOnlyTransformer), tmp_path / "m.safetensors", kept)
    return tmp_path / "m.safetensors"


def test_a_file_made_as_expected_is_read_with_its_figures_and_versions(path):
    _, found = load_checkpoint(path, expected=MADE)
    assert found == replace(MADE, figures={"loss": 0.25})
    assert found.recipe["lengths"] == [4, 8]
    assert found.versions["torch"] == torch.__version__
    assert found.versions.keys() == {"torch", "transformer_lib"}
    assert load_checkpoint(path)[1] == found  # nothing is compared


@pytest.mark.parametrize("name", OTHERS)
def test_a_file_that_was_made_otherwise_is_refused_by_name(name, path):
    expected, said = OTHERS[name]
    for read in (load_checkpoint, read_weights):
        with pytest.raises(ValueError, match=f"^{said} in ") as refused:
            read(path, expected)
        assert str(path) in str(refused.value)


def test_a_file_from_before_an_option_existed_is_one_without_it(tmp_path):
    """Its configuration does not say the option, nor does its recipe."""
    model, path = build(DecoderOnlyTransformer), tmp_path / "m"
    older = {n: x for n, x in asdict(model.config).items() if n not in NEWER}
    assert asdict(model.config) == older | NEWER
    made = {"model": "DecoderOnlyTransformer", "config": older}
    write_weights(model.state_dict(), path, made, Provenance(recipe={"sizes": older}))
    expected = Provenance(recipe={"sizes": model.config})
    found, _ = load_checkpoint(path, expected)
    assert found.config == model.config
    other = Provenance(recipe={"sizes": replace(model.config, window=3)})
    with pytest.raises(ValueError, match=r"^recipe.sizes.window must be 3, got None"):
        load_checkpoint(path, other)


def test_the_same_contents_make_the_same_file_to_the_byte(path):
    before = path.read_bytes()
    for _ in range(10):
        model, found = load_checkpoint(path)
        save_checkpoint(model, path, found)
        assert path.read_bytes() == before


def test_another_version_of_torch_and_other_figures_are_not_refused(path):
    other = replace(MADE, figures={"loss": 9.0}, versions={"torch": "1.0"})
    load_checkpoint(path, expected=other)


def test_a_file_that_says_nothing_loads_only_if_nothing_is_expected(tmp_path):
    model, path = build(DecoderOnlyTransformer), tmp_path / "old"
    save_checkpoint(model, path)
    weights, made, _ = read_weights(path)
    write_weights(weights, path, made)
    _, found = load_checkpoint(path)
    assert found == Provenance(versions={})
    said = r"^recipe\.rate\.peak must be 0\.01, got nothing in "
    with pytest.raises(ValueError, match=said):
        load_checkpoint(path, expected=MADE)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("recipe", {"rate": lambda n: 0.1}),
        ("recipe", {"rate": math.nan}),
        ("words", {"a", "b"}),
        ("figures", {"loss": math.inf}),
        ("figures", {"loss": torch.ones(())}),
    ],
)
def test_what_json_cannot_say_is_refused_when_it_is_made(name, value):
    with pytest.raises(ValueError, match=f"^{name} must hold what JSON can say, got "):
        Provenance(**{name: value})


@pytest.mark.parametrize("told", [[], 3, {"sead": 0}])
def test_a_provenance_that_is_none_is_named_with_its_file(told, tmp_path):
    path = tmp_path / "m"
    save_file({"x": torch.ones(1)}, path, {"made": json.dumps({"provenance": told})})
    with pytest.raises(ValueError, match="provenance must be an object with") as said:
        load_checkpoint(path)
    assert str(path) in str(said.value)

"""The explorers of notebook 17: what they show is what their functions compute."""

import numpy as np
import pytest
import torch

from course import explorers
from course.explorers.inference.cache_costs import GIB, cache_bytes
from course.explorers.inference.online_softmax import ORDERS, TILES
from course.models.dictionary import GPT
from course.models.real_models import REAL_MODELS
from transformer_lib import caching

#: V, d_ff, and whether the output projection has a matrix of its own.
REST = {
    "Llama 2 7B": (32_000, 11_008, True),
    "Llama 3 8B": (128_256, 14_336, True),
    "Mistral 7B": (32_000, 14_336, True),
    "Qwen3 8B": (151_936, 12_288, True),
}


def test_cache_bytes_are_those_of_a_cache_that_is_filled():
    gpt = GPT.trained()
    with caching(gpt) as cache:
        gpt(torch.tensor([[1, 5, 7], [1, 9, 2]]))
    stored = sum(x.nbytes for kept in cache.values() for x in kept.filled())
    assert stored == cache_bytes(4, 5, 32, 3, sequences=2, bytes_per_number=4)


@pytest.mark.parametrize("name", REST)
def test_the_parameters_of_a_real_model_follow_from_its_sizes(name):
    real = REAL_MODELS[name]
    V, d_ff, own_output = REST[name]
    D = real.heads * real.head_size
    own = 2 * real.head_size if name.startswith("Qwen3") else 0  # QK-norm
    kv = real.kv_heads * real.head_size
    layer = 2 * D * D + 2 * D * kv + 3 * D * d_ff + 2 * D + own
    assert real.parameters == real.layers * layer + D + V * D * (1 + own_output)


def test_a_window_bounds_the_cache_and_sharing_divides_it():
    costs = explorers.cache_costs("Llama 2 7B", tokens=131_072, window="4,096")
    mha, gqa, mqa = costs.values["growth"].T
    assert np.allclose(mha / gqa, 4)
    assert np.allclose(mha / mqa, 32)
    assert len({*mha[2:]}) == 1  # from 4,096 tokens on
    costs.controls["window"].value = "none"
    assert np.allclose(np.diff(np.log2(costs.values["growth"]), axis=0), 1)


@pytest.mark.parametrize("name", REAL_MODELS)
def test_a_model_as_it_is_built_is_one_of_the_bars(name):
    real = REAL_MODELS[name]
    costs = explorers.cache_costs(name, tokens=32_768, sequences=4)
    sizes = real.layers, real.kv_heads, real.head_size, 32_768, 4
    built = cache_bytes(*sizes, window=real.window)
    parameters, *_, shown = costs.values["sizes"][:, 0]
    assert np.isclose(shown, built / GIB)
    assert np.isclose(parameters, 2 * real.parameters / GIB)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("tile", TILES)
def test_the_last_tile_gives_the_output_of_the_whole_softmax(tile, order):
    explorer = explorers.online_softmax(tile, order=order)
    explorer.go(12)
    rows = explorer.values["output"]
    assert len(rows) == 12 // tile + 1
    assert np.abs(rows[-1] - rows[-2]).max() < 1e-6
    factors = explorer.values["running"][1:, 1]
    if order == "rising":
        assert (factors < 1).all()
    if order == "falling":
        assert (factors == 1).all()


def test_rounds_hold_the_text_and_counts_add_up():
    explorer = explorers.speculative("moonling", draft_length=3, seed=5)
    explorer.go(99)
    this, so_far = explorer.values["counts"]
    assert explorer.settings["step"] == len(explorer.way)
    assert so_far[3] > len(explorer.way)  # more tokens than passes of the GPT
    assert (this <= so_far).all()
    assert so_far[1] <= so_far[0]
    assert explorer.values["draft"].max() <= 1
    p, q, rest = explorer.values["choice"][:, [1, 0, 2]].T
    assert np.isclose(p.sum(), 1)
    assert np.isclose(q.sum(), 1)
    assert rest.sum() <= 1.001


def test_the_same_seed_writes_the_same_text_and_a_model_beyond_the_list_is_refused():
    assert explorers.speculative(seed=4).text() == explorers.speculative(seed=4).text()
    with pytest.raises(ValueError, match="model must be one of"):
        explorers.cache_costs("GPT-5")

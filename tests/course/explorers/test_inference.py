"""The explorers of notebook 17: what they show is what their functions compute."""

import numpy as np
import pytest

from course import explorers
from course.data.configurations import REAL_MODELS
from course.explorers.inference.online_softmax import ORDERS, TILES
from course.models.costs import costs

GIB = 1024**3


def test_a_window_bounds_the_cache_and_sharing_divides_it():
    explorer = explorers.cache_costs("Llama 2 7B", tokens=131_072, window="4,096")
    mha, gqa, mqa, parameters = explorer.values["growth"].T
    assert {*parameters} == {explorer.values["sizes"][-1, 0]}  # a level to compare with
    assert np.allclose(mha / gqa, 4)
    assert np.allclose(mha / mqa, 32)
    assert len({*mha[2:]}) == 1  # from 4,096 tokens on
    explorer.controls["window"].value = "none"
    assert np.allclose(np.diff(np.log2(explorer.values["growth"][:, :3]), axis=0), 1)


@pytest.mark.parametrize("name", REAL_MODELS)
def test_a_model_as_it_is_built_is_one_of_the_bars(name):
    real = REAL_MODELS[name]
    explorer = explorers.cache_costs(name, tokens=32_768, sequences=4)
    built = costs(real, 32_768, bytes_per_number=2)
    *shown, parameters = explorer.values["sizes"][:, 0]
    labels = next(d for d in explorer.drawings if d.name == "sizes").labels
    [own] = [n for n, label in enumerate(labels) if label.endswith("as built")]
    assert np.isclose(shown[own], 4 * built.cache_bytes / GIB)
    assert np.isclose(parameters, 2 * built.parameters / GIB)


def test_what_takes_as_much_for_the_same_reason_is_one_bar():
    explorer = explorers.cache_costs("GPT-2 124M")

    def labels():
        return next(d for d in explorer.drawings if d.name == "sizes").labels

    assert labels() == ["this, as built", "parameters"]
    explorer.controls["heads"].value = "MQA"
    assert labels() == ["this cache", "MHA, as built", "parameters"]


@pytest.mark.parametrize("heads", ["MHA", "GQA", "MQA"])
def test_where_the_cache_outgrows_the_parameters_is_marked(heads):
    explorer = explorers.cache_costs("GPT-2 124M", heads=heads, tokens=2048)
    curves = next(d for d in explorer.drawings if d.name == "growth")
    [(here, _), (over, word)] = curves.marks
    assert word == f"{heads} > parameters"
    cache = explorer.values["growth"][:, ["MHA", "GQA", "MQA"].index(heads)]
    parameters = explorer.values["growth"][:, 3]
    assert here == 1
    assert cache[over - 1] <= parameters[0] < cache[over]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("tile", TILES)
def test_the_last_tile_gives_the_output_of_the_whole_softmax(tile, order):
    explorer = explorers.online_softmax(tile, order=order)
    explorer.go(12)
    rows = explorer.values["output"]
    assert len(rows) == 12 // tile + 1
    assert np.abs(rows[-1] - rows[-2]).max() < 1e-6
    largest, factors, sums = explorer.values["running"].T
    assert np.allclose(explorer.values["terms"].sum(1), sums)
    assert (np.diff(largest) >= 0).all()
    factors = factors[1:]
    if order == "rising":
        assert (factors < 1).all()
    if order == "falling":
        assert (factors == 1).all()


def test_rounds_hold_the_text_and_counts_add_up():
    explorer = explorers.speculative("moonling", draft_length=3, seed=5)
    explorer.go(99)
    this, so_far = explorer.values["counts"]
    assert explorer.settings["step"] == len(explorer.way)
    assert so_far[2] > len(explorer.way)  # more tokens than passes of the GPT
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

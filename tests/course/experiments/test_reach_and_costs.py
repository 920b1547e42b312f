"""What is measured of layers that read word after word, and of one that looks."""

import numpy as np
import pytest
import torch

from course.experiments import copying, costs, reach
from course.models.sequence_layer import KINDS, SequenceLayer
from transformer_lib.training import seeded


# ── how far back ──────────────────────────────────────────────────────────────
def test_the_gradient_of_an_rnn_is_the_product_of_its_steps():
    with seeded(3):
        layer = SequenceLayer("RNN", 5).double()
    x = torch.randn(1, 7, 5).double()
    x.requires_grad_()
    h = layer(x)[0].detach()
    W_h, W_x = layer.layer.weight_hh_l0, layer.layer.weight_ih_l0
    product = torch.eye(5).double()
    for state in h.flip(0)[:4]:
        product = product @ ((1 - state**2)[:, None] * W_h)
    expected = product @ ((1 - h[2] ** 2)[:, None] * W_x)
    found = [torch.autograd.grad(layer(x)[0, -1, i], x)[0][0, 2] for i in range(5)]
    assert torch.allclose(torch.stack(found), expected)


@pytest.mark.parametrize("kind", KINDS)
def test_the_shares_of_the_gradient_sum_to_1(kind):
    shares = reach.gradient_back(kind, 12, 8)
    assert shares.shape == (12,)
    assert shares.sum() == pytest.approx(1)
    np.testing.assert_array_equal(shares, reach.gradient_back(kind, 12, 8))


@pytest.mark.parametrize("d_model", [3, 8, 16])
def test_a_state_of_d_numbers_tells_d_numbers(d_model):
    told = reach.readable(d_model, 6 * d_model, keep=1 - 2 / d_model)
    assert told.sum() == pytest.approx(d_model, rel=0.05)
    assert told[0] > 0.9
    assert told[d_model // 3] > 0.8
    assert told[2 * d_model :].max() < 0.15


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("keep", [0.5, 0.9, 0.97])
def test_the_shares_sum_to_d_however_much_a_step_keeps(keep, seed):
    told = reach.readable(16, 80, keep, seed)
    assert 14 < told.sum() < 16.5


@pytest.mark.parametrize(
    ("call", "naming"),
    [
        (lambda: reach.gradient_back("RNN", 0, 4), "length must be at least 1"),
        (lambda: reach.gradient_back("GRU", 3, 4), "kind must be one of"),
        (lambda: reach.readable(2, 5, 0.9), "d_model must be at least 3"),
        (lambda: reach.readable(4, 0, 0.9), "farthest must be at least 1"),
        (lambda: reach.readable(4, 1001, 0.9), "farthest must be .* at most 1000"),
        (lambda: reach.readable(4, 5, 1.0), "keep must be above 0 and at most 0.99"),
        (lambda: costs.measure("recurrent", 0, 4), "length must be at least 1"),
        (lambda: costs.race(0), "length must be at least 1"),
        (lambda: costs.race(2, sentences=0), "sentences must be at least 1"),
        (lambda: copying.run("RNN", 0), "distance must be at least 1"),
        (lambda: copying.run("GRU", 2), "variant must be one of"),
        (lambda: copying.run("RNN", 2, steps=0), "steps must be at least 1"),
    ],
)
def test_what_means_nothing_is_refused(call, naming):
    with pytest.raises(ValueError, match=naming):
        call()


# ── what it costs: Table 1 ────────────────────────────────────────────────────
W = costs.WIDTH
TABLE_1 = {
    "self-attention": lambda n, d: (2 * n * n * d, 2, 1, n * n + n * d),
    "recurrent": lambda n, d: (2 * n * d * d, n, n, 2 * n * d + 2 * d * d + d),
    "convolution": lambda n, d: (W * n * d * d, 1, int(np.ceil(np.log(n) / np.log(W)))),
    "restricted": lambda n, d: (2 * W * n * d, 2, -(-(n - 1) // (W - 1))),
}


@pytest.mark.parametrize("name", costs.LAYERS)
@pytest.mark.parametrize(("n", "d"), [(5, 3), (16, 8), (17, 8), (30, 4)])
def test_every_entry_of_the_table_is_as_the_paper_says(name, n, d):
    cost, expected = costs.measure(name, n, d), TABLE_1[name](n, d)
    found = (cost.products, cost.sequential, cost.path, cost.stored)
    assert found[: len(expected)] == expected


@pytest.mark.parametrize("kind", KINDS)
def test_real_layers_multiply_as_often_as_is_said(kind):
    layer, x = SequenceLayer(kind, 6).double(), torch.randn(1, 5, 6).double()
    assert costs.products(lambda: layer(x)) == sum(costs.multiplications(kind, 5, 6))


def test_calls_are_timed_in_turn_and_each_as_often():
    called, x = [], torch.ones(2, requires_grad=True)

    def call(name):
        called.append(name)
        return x * 2

    taken = costs.seconds({name: lambda n=name: call(n) for name in "ab"}, rounds=3)
    assert "".join(called) == "abababab"  # the first round warms up
    assert min(taken.values()) > 0


def test_layers_race_on_the_same_words():
    taken = costs.race(3)
    assert [*taken] == ["RNN", "LSTM", "attention"]
    assert min(taken.values()) > 0


def test_the_table_shows_how_products_grow():
    lines = costs.table("self-attention", "recurrent").split("\n")
    assert lines[1].split() == ["self-attention", "32,768", "×4", "×2", "2", "1"]
    assert lines[2].split() == ["recurrent", "16,384", "×2", "×4", "32", "32"]

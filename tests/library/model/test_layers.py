"""Norms, networks and blocks against the oracle and the laws they obey."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.embedding import PositionalEncoding, TokenEmbedding
from transformer_lib.model.layers import (
    AddNorm,
    DecoderBlock,
    EncoderBlock,
    FeedForward,
)
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.norms import LayerNorm, layer_norm
from transformer_lib.oracles import numpy_reference as reference
from transformer_lib.runtime.recording import record

SMALL = {"d_model": 6, "n_heads": 2, "d_ff": 10, "dropout": 0.0}
ODD = {"d_model": 5, "n_heads": 1, "d_ff": 3, "dropout": 0.0}


def random(module, dtype=torch.float64):
    torch.manual_seed(0)
    for p in module.parameters():
        torch.nn.init.normal_(p, mean=0.1, std=0.5)
    return module.to(dtype)


def vectors(*size, seed=0):
    made = torch.Generator().manual_seed(seed)
    return torch.randn(*size, generator=made, dtype=torch.float64)


def arrays(module):
    return {name: w.numpy() for name, w in module.state_dict().items()}


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("size", [(2, 3, 5), (4, 1), (0, 2, 5), (6,)])
def test_the_norms_formula_its_kernel_and_the_oracle_agree(size, bias):
    norm = random(LayerNorm(size[-1], bias=bias))
    x = vectors(*size)
    theirs = reference.layer_norm(x.numpy(), arrays(norm))
    np.testing.assert_allclose(norm(x).detach().numpy(), theirs, atol=1e-12)
    by_formula = layer_norm(x, norm.gamma, norm.beta).detach().numpy()
    np.testing.assert_allclose(by_formula, theirs, atol=1e-12)


def test_the_norms_formula_and_its_kernel_have_the_same_gradients():
    norm = random(LayerNorm(5))
    x = vectors(3, 5).requires_grad_()
    leaves = [x, *norm.parameters()]
    loss = vectors(3, 5, seed=1)
    formula = layer_norm(x, norm.gamma, norm.beta)
    grads = [torch.autograd.grad((y * loss).sum(), leaves) for y in (norm(x), formula)]
    for kernel, by_formula in zip(*grads, strict=True):
        torch.testing.assert_close(kernel, by_formula)
    assert torch.autograd.gradcheck(layer_norm, (x, norm.gamma, norm.beta))


def test_a_watched_norm_runs_by_the_formula(monkeypatch):
    norm = LayerNorm(5)
    monkeypatch.delattr(torch, "layer_norm")
    with record(norm):
        norm(torch.ones(2, 5))
    with pytest.raises(AttributeError):
        norm(torch.ones(2, 5))


def test_a_fresh_norm_gives_mean_0_and_biased_variance_1():
    y = LayerNorm(64).double()(3 + 5 * vectors(10, 64))
    torch.testing.assert_close(y.mean(-1), torch.zeros(10).double())
    variance = y.var(-1, correction=0)
    torch.testing.assert_close(variance, torch.ones(10).double(), rtol=0, atol=1e-5)


@pytest.mark.parametrize("offset", [1e4, -1e4])
def test_the_norm_does_not_lose_its_digits_far_from_zero(offset):
    x = vectors(4, 64).float() + offset
    exact = layer_norm(x.double(), torch.ones(64).double())
    for y in (LayerNorm(64)(x), layer_norm(x, torch.ones(64))):
        torch.testing.assert_close(y.double(), exact, rtol=0, atol=2e-3)


@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh"])
@pytest.mark.parametrize("bias", [True, False])
def test_the_network_is_that_of_the_oracle(activation, bias):
    network = random(FeedForward(5, 7, activation=activation, bias=bias))
    x = vectors(2, 3, 5)
    theirs = reference.feed_forward(x.numpy(), arrays(network), activation)
    np.testing.assert_allclose(network(x).detach().numpy(), theirs, atol=1e-12)


def test_the_network_sees_each_token_by_itself():
    network = random(FeedForward(4, 8))
    x = vectors(1, 5, 4)
    alone = torch.cat([network(x[:, i : i + 1]) for i in range(5)], dim=1)
    torch.testing.assert_close(network(x), alone)


def test_without_a_sublayer_add_and_norm_is_a_norm_or_nothing():
    x = vectors(2, 3, 6)
    post, pre = (
        AddNorm(TransformerConfig(**SMALL, norm_first=first)).double()
        for first in (False, True)
    )
    expected = F.layer_norm(x, (6,))
    torch.testing.assert_close(post(x, torch.zeros_like), expected)
    assert torch.equal(pre(x, torch.zeros_like), x)
    torch.testing.assert_close(pre(x, lambda y: y), x + expected)


@pytest.mark.parametrize("sizes", [SMALL, ODD])
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("watched", [False, True])
def test_the_encoder_block_is_that_of_the_oracle(
    sizes, norm_first, activation, bias, watched
):
    options = {"norm_first": norm_first, "activation": activation}
    config = TransformerConfig(**sizes, **options, bias=bias)
    block = random(EncoderBlock(config))
    x = vectors(2, 4, config.d_model)
    mask = padding_mask(torch.tensor([4, 2]))
    oracle = (x.numpy(), arrays(block), config.n_heads, mask.numpy())
    theirs = reference.block(*oracle, **options)
    if watched:
        with record(block):
            ours = block(x, mask)
    else:
        ours = block(x, mask)
    np.testing.assert_allclose(ours.detach().numpy(), theirs, atol=1e-11)


@pytest.mark.parametrize("sizes", [SMALL, ODD])
@pytest.mark.parametrize("lengths", [(3, 5), (5, 3), (1, 1)])
def test_the_decoder_block_is_that_of_the_oracle(sizes, lengths):
    config = TransformerConfig(**sizes)
    block = random(DecoderBlock(config))
    T, S = lengths
    x, memory = vectors(2, T, config.d_model), vectors(2, S, config.d_model, seed=1)
    source = padding_mask(torch.tensor([S, 1]))
    inputs = (x.numpy(), arrays(block), config.n_heads, causal_mask(T).numpy())
    theirs = reference.block(*inputs, memory.numpy(), source.numpy())
    ours = block(x, memory, causal_mask(T)[None, None], source).detach().numpy()
    np.testing.assert_allclose(ours, theirs, atol=1e-11)


def test_a_block_drops_in_training_alone():
    config = TransformerConfig(d_model=6, n_heads=2, d_ff=10, dropout=0.5)
    block = random(EncoderBlock(config))
    x = vectors(2, 4, 6)
    assert not torch.equal(block(x), block(x))
    block.eval()
    assert torch.equal(block(x), block(x))


@pytest.mark.parametrize("where", ["hidden", "sum"])
def test_the_network_and_the_sum_are_dropped_too(where):
    torch.manual_seed(0)
    if where == "hidden":
        network = FeedForward(4, 1000, dropout=0.5)
        assert not torch.equal(
            network(torch.ones(1, 1, 4)), network(torch.ones(1, 1, 4))
        )
        return
    config = TransformerConfig(d_model=1000, n_heads=1, dropout=0.25, norm_first=True)
    total = AddNorm(config)(torch.zeros(1, 1, 1000), torch.ones_like)
    assert (total == 0).float().mean().item() == pytest.approx(0.25, abs=0.05)
    assert total.max().item() == pytest.approx(4 / 3)


X = torch.zeros(2, 3, 6)
CONFIG = TransformerConfig(**SMALL)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: LayerNorm(0), ValueError, "d_model must be at least 1, got 0"),
        (lambda: LayerNorm(4, eps=0.0), ValueError, "eps must be above 0 .* got 0.0"),
        (lambda: LayerNorm(4)(X), ValueError, r"x must .*4\), got \(2, 3, 6\)"),
        (lambda: LayerNorm(1)(X), ValueError, r"x must .*1\), got \(2, 3, 6\)"),
        (lambda: LayerNorm(6)(X.half()), TypeError, "float32, got torch.float16"),
        (lambda: LayerNorm(6)(3), TypeError, "x must be a torch.Tensor, got int"),
        (lambda: FeedForward(4, -1), ValueError, "d_ff must be at least 1, got -1"),
        (lambda: FeedForward(4, 4, 2), ValueError, "dropout must .* got 2"),
        (
            lambda: FeedForward(4, 4, activation="swish"),
            ValueError,
            "activation must be one of .* got 'swish'",
        ),
        (lambda: FeedForward(4, 4)(X), ValueError, r"x must .* got \(2, 3, 6\)"),
        (lambda: EncoderBlock(CONFIG)(X[0]), ValueError, r"x must .* got \(3, 6\)"),
        (lambda: EncoderBlock(CONFIG)(X[:, :0]), ValueError, r"got \(2, 0, 6\)"),
        (lambda: DecoderBlock(CONFIG)(X, None), TypeError, "memory must .* NoneType"),
        (
            lambda: DecoderBlock(CONFIG)(X, X[..., :2]),
            ValueError,
            r"memory must .* got \(2, 3, 2\)",
        ),
    ],
)
def test_what_no_layer_can_take_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        (MultiHeadAttention(6, 3), "D = 6, 3 heads of 2"),
        (TokenEmbedding(5, 4), "5 → 4"),
        (PositionalEncoding(7, 4, "learned"), "learned, 7 → 4"),
        (LayerNorm(4, eps=1e-3), "D = 4, ε = 0.001"),
        (FeedForward(4, 8, activation="gelu"), "4 → 8 → 4, gelu"),
        (AddNorm(CONFIG), "post-norm"),
        (AddNorm(replace(CONFIG, norm_first=True)), "pre-norm"),
    ],
)
def test_a_part_prints_its_sizes(part, shown):
    assert part.extra_repr() == shown


def test_a_norm_has_a_shift_unless_told():
    assert LayerNorm(4).beta is not None
    assert LayerNorm(4, bias=False).beta is None


def test_a_norm_that_is_recorded_keeps_its_eps():
    norm, x = random(LayerNorm(5, eps=0.5)), vectors(2, 3, 5)
    alone = norm(x)
    with record(norm):
        torch.testing.assert_close(norm(x), alone)

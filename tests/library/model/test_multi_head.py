"""Multi-head attention, watched and unwatched, against oracles and its own laws."""

import re

import numpy as np
import pytest
import torch

from transformer_lib.model.attention import (
    MultiHeadAttention,
    scaled_dot_product_attention,
)
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.oracles import numpy_reference as reference
from transformer_lib.runtime.caching import caching
from transformer_lib.runtime.fast_attention import QUERIES_AT_ONCE, fused_attention
from transformer_lib.runtime.recording import record

SIZES = [(2, 4, 6), (1, 5, 2), (3, 1, 4), (2, 3, 1), (1, 1, 1), (0, 3, 2)]  # B, T, S


def layer(d_model=6, n_heads=3, *, dtype=torch.float64, **options):
    torch.manual_seed(0)
    attention = MultiHeadAttention(d_model, n_heads, **options)
    for p in attention.parameters():
        torch.nn.init.normal_(p, std=0.5)
    return attention.to(dtype)


def pair(B=2, T=4, S=6, D=6, dtype=torch.float64):
    made = torch.Generator().manual_seed(B + 10 * T + 100 * S)
    x = torch.randn(B, T + S, D, generator=made, dtype=torch.float64).to(dtype)
    return x[:, :T].clone(), x[:, T:].clone()


def watched(module, *args, **kwargs):
    with record(module):
        return module(*args, **kwargs)


def some_mask(B, T, S):
    return torch.rand(B, 1, T, S, generator=torch.Generator().manual_seed(1)) < 0.6


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("n_heads", "bias"), [(1, True), (3, False), (6, True)])
def test_both_paths_give_what_the_oracle_gives(size, masked, n_heads, bias):
    attention = layer(n_heads=n_heads, bias=bias)
    query, memory = pair(*size)
    mask = some_mask(*size) if masked else None
    weights = {name: w.numpy() for name, w in attention.state_dict().items()}
    arrays = (query.numpy(), memory.numpy(), weights, n_heads)
    theirs = reference.multi_head_attention(*arrays, None if mask is None else mask)
    ours = attention(query, memory, mask).detach().numpy()
    np.testing.assert_allclose(ours, theirs, atol=1e-12)
    seen = watched(attention, query, memory, mask).detach().numpy()
    np.testing.assert_allclose(seen, theirs, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_both_paths_agree_in_short_types(dtype):
    attention = layer(dtype=dtype)
    query, memory = pair(dtype=dtype)
    mask = some_mask(2, 4, 6)
    exact = layer()(*pair(), mask)
    for result in (
        attention(query, memory, mask),
        watched(attention, query, memory, mask),
    ):
        assert result.dtype == dtype
        near = 20 * torch.finfo(dtype).eps
        torch.testing.assert_close(result.double(), exact, rtol=near, atol=near)


def test_both_paths_have_the_same_gradients():
    attention = layer()
    query, memory = pair()
    mask = some_mask(2, 4, 6)
    grads = []
    for call in (attention, lambda *args: watched(attention, *args)):
        x, y = query.clone().requires_grad_(), memory.clone().requires_grad_()
        loss = call(x, y, mask).square().sum()
        grads.append(torch.autograd.grad(loss, [x, y, *attention.parameters()]))
    for fused, formula in zip(*grads, strict=True):
        torch.testing.assert_close(fused, formula, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("path", ["fused", "formula"])
def test_gradients_are_those_of_small_differences(path):
    attention = layer(4, 2)
    query, memory = (x.requires_grad_() for x in pair(1, 2, 3, 4))
    mask = torch.tensor([[True, False, True], [True, True, True]])[None, None]

    def call(query, memory):
        if path == "fused":
            return attention(query, memory, mask)
        return watched(attention, query, memory, mask)

    assert torch.autograd.gradcheck(call, (query, memory))


@pytest.mark.parametrize("path", ["fused", "formula"])
@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_a_query_that_may_look_nowhere_gets_nothing_and_harms_nothing(path, dropout):
    attention = layer(bias=False, dropout=dropout)
    x = pair()[0].requires_grad_()
    mask = torch.ones(1, 1, 4, 4, dtype=torch.bool)
    mask[..., 1, :] = False
    out = attention(x, x, mask) if path == "fused" else watched(attention, x, x, mask)
    assert not out[:, 1].any()
    assert out[:, 0].any()
    out.square().sum().backward()
    assert x.grad.isfinite().all()
    assert all(p.grad.isfinite().all() for p in attention.parameters())


@pytest.mark.parametrize("rows", [None, 1, "T"])
def test_many_queries_go_in_parts_that_fit_together(rows, monkeypatch):
    q, k, v = (torch.randn(2, 2, n, 4) for n in (7, 9, 9))
    mask = None if rows is None else torch.rand(2, 1, 7 if rows == "T" else 1, 9) < 0.7
    whole = fused_attention(q, k, v, mask)
    monkeypatch.setattr("transformer_lib.runtime.fast_attention.QUERIES_AT_ONCE", 3)
    torch.testing.assert_close(fused_attention(q, k, v, mask), whole)


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_queries_in_any_number_of_parts_are_all_answered(parts, monkeypatch):
    monkeypatch.setattr("transformer_lib.runtime.fast_attention.QUERIES_AT_ONCE", 2)
    x = torch.randn(1, 2, 2 * parts, 4, generator=torch.Generator().manual_seed(1))
    mask = causal_mask(2 * parts)
    expected, _ = scaled_dot_product_attention(x, x, x, mask)
    torch.testing.assert_close(fused_attention(x, x, x, mask), expected)


def test_the_kernel_alone_hides_nothing_and_drops_nothing():
    x = torch.randn(2, 3, 5, 4, generator=torch.Generator().manual_seed(1))
    expected, _ = scaled_dot_product_attention(x, x, x)
    torch.testing.assert_close(fused_attention(x, x, x), expected)


@pytest.mark.parametrize("padded", [False, True])
def test_beside_a_mask_memory_grows_with_the_length_and_not_its_square(padded):
    attention = MultiHeadAttention(8, 2).eval()
    largest = []
    for n in (2 * QUERIES_AT_ONCE, 4 * QUERIES_AT_ONCE):
        x, mask = torch.randn(1, n, 8), causal_mask(n)[None, None]
        if padded:
            mask = mask & padding_mask(torch.tensor([n - 5]), length=n)
        with torch.no_grad(), torch.profiler.profile(profile_memory=True) as seen:
            attention(x, x, mask)
        largest.append(max(event.cpu_memory_usage for event in seen.events()))
    assert largest[1] < 2.5 * largest[0]


@pytest.mark.parametrize("S", [1, 3, 15, 16, 17])
@pytest.mark.parametrize("d_k", [1, 16, 64])
def test_a_nan_in_a_query_or_in_every_key_shows_in_the_heads(S, d_k):
    q, k = torch.ones(1, 1, 2, d_k), torch.ones(1, 1, S, d_k)
    q[0, 0, 0, -1] = torch.nan
    heads = fused_attention(q, k, torch.ones_like(k))
    assert heads[0, 0].isnan().any(-1).tolist() == [True, False]
    k[..., 0] = torch.nan
    assert fused_attention(q, k, torch.ones_like(k)).isnan().any(-1).all()


def test_heads_may_change_places():
    attention, shuffled = layer(), layer()
    order = torch.tensor([2, 0, 1])
    rows = torch.arange(6).view(3, 2)[order].flatten()
    with torch.no_grad():
        for W in (shuffled.W_Q, shuffled.W_K, shuffled.W_V):
            W.weight.copy_(W.weight[rows])
            W.bias.copy_(W.bias[rows])
        shuffled.W_O.weight.copy_(shuffled.W_O.weight[:, rows])
    query, memory = pair()
    torch.testing.assert_close(shuffled(query, memory), attention(query, memory))


def test_permuted_queries_get_permuted_answers_and_permuted_keys_change_nothing():
    attention = layer()
    query, memory = pair()
    to, keys = torch.randperm(4), torch.randperm(6)
    expected = attention(query, memory)[:, to]
    torch.testing.assert_close(attention(query[:, to], memory[:, keys]), expected)


def test_a_query_does_not_see_its_neighbours_in_the_batch():
    attention = layer()
    query, memory = pair(3, 4, 6)
    alone = torch.cat(
        [attention(query[i : i + 1], memory[i : i + 1]) for i in range(3)]
    )
    torch.testing.assert_close(attention(query, memory), alone)


def test_input_need_not_be_contiguous():
    attention = layer()
    query, memory = pair()
    turned = query.transpose(0, 1).contiguous().transpose(0, 1)
    wide = torch.stack([memory, memory], dim=-1)[..., 0]
    torch.testing.assert_close(attention(turned, wide), attention(query, memory))


def test_dropout_is_for_training_and_repeats_under_a_seed():
    attention = layer(dropout=0.5)
    query, memory = pair()
    torch.manual_seed(1)
    first = attention(query, memory)
    torch.manual_seed(1)
    assert torch.equal(attention(query, memory), first)
    assert not torch.equal(attention(query, memory), first)
    attention.eval()
    assert torch.equal(attention(query, memory), layer()(query, memory))


@pytest.mark.parametrize("path", ["fused", "formula"])
def test_dropping_every_weight_leaves_nothing(path):
    attention = layer(dropout=1.0, bias=False)
    x, memory = pair()
    out = attention(x, memory) if path == "fused" else watched(attention, x, memory)
    assert not out.any()


def test_projections_start_within_glorots_bound_and_without_bias():
    torch.manual_seed(0)
    attention = MultiHeadAttention(64, 4)
    bound = (6 / 128) ** 0.5
    for W in (attention.W_Q, attention.W_K, attention.W_V, attention.W_O):
        assert 0.98 * bound < W.weight.abs().max().item() <= bound
        assert not W.bias.any()


def test_watched_attention_runs_by_the_formula(monkeypatch):
    attention = layer()
    monkeypatch.delattr(torch.nn.functional, "scaled_dot_product_attention")
    watched(attention, *pair())
    with pytest.raises(AttributeError):
        attention(*pair())


@pytest.mark.parametrize("chunks", [(1,) * 5, (2, 3), (1, 4), (5,)])
@pytest.mark.parametrize("path", ["fused", "formula"])
def test_reading_in_chunks_with_a_cache_is_reading_at_once(chunks, path):
    attention = layer()
    x, _ = pair(2, 5, 1)
    call = attention if path == "fused" else lambda *a: watched(attention, *a)
    with caching(attention) as cache:
        parts = []
        for chunk in x.split(chunks, dim=1):
            mask = causal_mask(chunk.size(1), cache.length)[None, None]
            parts.append(call(chunk, chunk, mask))
    expected = attention(x, x, causal_mask(5)[None, None])
    torch.testing.assert_close(torch.cat(parts, dim=1), expected)
    assert cache.length == 5


X = torch.zeros(2, 3, 4)
SQUARE = torch.ones(3, 3, dtype=torch.bool)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda a: MultiHeadAttention(6, 4), ValueError, "n_heads=4 and d_model=6"),
        (lambda a: MultiHeadAttention(-2, 1), ValueError, "d_model must .* got -2"),
        (lambda a: MultiHeadAttention(4, 0), ValueError, "n_heads must .* got 0"),
        (lambda a: MultiHeadAttention(4, 2.0), TypeError, "n_heads must .* got 2.0"),
        (lambda a: MultiHeadAttention(4, 2, 1.5), ValueError, "dropout must .* 1.5"),
        (lambda a: MultiHeadAttention(4, 2, -0.1), ValueError, "dropout must .* -0.1"),
        (lambda a: MultiHeadAttention(4, 2, float("nan")), ValueError, "got nan"),
        (lambda a: MultiHeadAttention(4, 2, "0"), TypeError, "dropout .* got '0'"),
        (lambda a: a(X[0], X), ValueError, r"query .* 4\), got \(3, 4\)"),
        (lambda a: a(X[..., :3], X), ValueError, r"query .* got \(2, 3, 3\)"),
        (lambda a: a(X, X[:, :0]), ValueError, r"memory .* got \(2, 0, 4\)"),
        (lambda a: a(X, X[:1]), ValueError, "query and memory .* 2 and 1"),
        (lambda a: a(X.long(), X), TypeError, "query .*float32, got torch.int64"),
        (lambda a: a(X, X.double()), TypeError, "memory .* got torch.float64"),
        (lambda a: a(X.numpy(), X), TypeError, "query .* got ndarray"),
        (lambda a: a(X, None), TypeError, "memory must .* NoneType"),
        (lambda a: a(X, X, SQUARE.float()), TypeError, "mask .* got torch.float32"),
        (lambda a: a(X, X, [[True]]), TypeError, "mask .* got list"),
        (lambda a: a(X, X, SQUARE[:, :2]), ValueError, r"mask .* got \(3, 2\)"),
        (
            lambda a: a(X, X, SQUARE[None, None, None]),
            ValueError,
            "mask must broadcast",
        ),
        (
            lambda a: a(X[:, :2], X[:, :2], SQUARE[:2, :2]),
            ValueError,
            r"could be \(T, S\) or \(B, S\), for B = T = 2: write mask\[None, None\]",
        ),
        (
            lambda a: a(X, X, SQUARE.expand(2, 3, 3)),
            ValueError,
            r"could be \(H, T, S\) or \(B, T, S\), for B = H = 2",
        ),
    ],
)
def test_what_attention_cannot_mean_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call(MultiHeadAttention(4, 2))


def test_a_mask_with_its_axes_is_not_ambiguous():
    attention = MultiHeadAttention(4, 2)
    x = X[:, :2]
    clear = SQUARE[None, None, :2, :2], SQUARE[:2, None, None, :2], SQUARE[0, :2]
    for mask in (*clear, SQUARE[0, 0], SQUARE[None, :2, :2]):
        assert attention(x, x, mask).shape == x.shape
        assert attention(x, x, mask & causal_mask(2)[None, None]).shape == x.shape


def test_two_batch_sizes_are_shown_as_they_are():
    attention, x = MultiHeadAttention(4, 2), torch.zeros(3, 5, 4)
    with pytest.raises(ValueError, match=r"one batch size, got 3 and 1$"):
        attention(x, x[:1])


def test_a_mask_for_one_text_is_not_ambiguous():
    x, yes = torch.zeros(1, 1, 4), torch.ones(1, 1, dtype=torch.bool)
    assert MultiHeadAttention(4, 1)(x, x, yes).shape == x.shape
    assert MultiHeadAttention(4, 1)(x, x, yes[None]).shape == x.shape


@pytest.mark.parametrize("size", [(2, 2), (2, 3, 3)])
def test_what_an_ambiguous_mask_should_be_written_as_is_taken(size):
    T, mask = size[-1], torch.ones(size, dtype=torch.bool)
    attention, x = MultiHeadAttention(4, 2), X[:, :T]
    with pytest.raises(ValueError, match="could be") as told:
        attention(x, x, mask)
    ways = re.findall(r"mask(\[[^]]*\])", str(told.value))
    assert len(ways) == 2
    for way in ways:
        mask_4 = eval(f"mask{way}", {"mask": mask})
        assert mask_4.dim() in (3, 4)
        assert attention(x, x, mask_4).shape == x.shape
    assert eval(f"mask{ways[1]}", {"mask": mask}).shape[:2] == (2, 1)

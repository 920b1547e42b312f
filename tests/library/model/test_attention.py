"""Attention against torch, against the NumPy oracle and against the laws it obeys."""

import pytest
import torch
import torch.nn.functional as F

from transformer_lib.model.attention import masked_softmax, scaled_dot_product_attention
from transformer_lib.oracles import numpy_reference as reference

# T, S, d_k, d_v: square, more keys than queries, the reverse, and single ones.
SIZES = [(4, 4, 8, 8), (3, 7, 5, 2), (7, 3, 2, 5), (1, 6, 4, 4), (6, 1, 4, 3), (1,) * 4]
LEADS = [(), (1,), (2,), (2, 3)]


def qkv(T=4, S=6, d_k=3, d_v=5, lead=(), dtype=torch.float64):
    made = torch.Generator().manual_seed(T + 10 * S + 100 * d_k)
    sizes = ((T, d_k), (S, d_k), (S, d_v))
    return tuple(
        torch.randn(*lead, *size, generator=made, dtype=torch.float64).to(dtype)
        for size in sizes
    )


def random_mask(T=4, S=6, lead=()):
    """Hide about half of the keys, and all of them from the first query."""
    made = torch.Generator().manual_seed(T * S)
    mask = torch.rand(*lead, T, S, generator=made) < 0.5
    mask[..., 0, :] = False
    return mask


def close(a, b, tolerance=1e-12):
    torch.testing.assert_close(a, torch.as_tensor(b), rtol=0, atol=tolerance)


every_size = pytest.mark.parametrize(("T", "S", "d_k", "d_v"), SIZES)
every_lead = pytest.mark.parametrize("lead", LEADS)
masked_or_not = pytest.mark.parametrize("masked", [False, True])


# ── it is the formula ─────────────────────────────────────────────────────────
def test_the_three_token_example_gives_the_documents_numbers():
    Q = K = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    V = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    output, weights = scaled_dot_product_attention(Q, K, V)
    expected = [
        [0.4011, 0.1978, 0.4011],
        [0.1978, 0.4011, 0.4011],
        [0.2483, 0.2483, 0.5035],
    ]
    close(weights, torch.tensor(expected), 5e-5)
    expected = [[3.0000, 4.0000], [3.4067, 4.4067], [3.5105, 4.5105]]
    close(output, torch.tensor(expected), 5e-5)


@every_size
@every_lead
@masked_or_not
def test_torch_computes_the_same_output(T, S, d_k, d_v, lead, masked):
    q, k, v = qkv(T, S, d_k, d_v, lead)
    mask = random_mask(T, S, lead) if masked else None
    output, _ = scaled_dot_product_attention(q, k, v, mask)
    close(output, F.scaled_dot_product_attention(q, k, v, attn_mask=mask))


@every_size
@every_lead
@masked_or_not
def test_the_numpy_reference_computes_the_same(T, S, d_k, d_v, lead, masked):
    q, k, v = qkv(T, S, d_k, d_v, lead)
    mask = random_mask(T, S, lead) if masked else None
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    oracle = reference.scaled_dot_product_attention(q, k, v, mask)
    close(output, oracle[0])
    close(weights, oracle[1])


@masked_or_not
def test_its_gradients_are_those_of_the_formula(masked):
    q, k, v = (x.requires_grad_() for x in qkv(T=3, S=4, d_k=2, d_v=2, lead=(2,)))
    mask = random_mask(3, 4, lead=(2,)) if masked else None
    assert torch.autograd.gradcheck(
        lambda *x: scaled_dot_product_attention(*x, mask), (q, k, v)
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_smaller_type_is_kept_and_costs_only_its_own_precision(dtype):
    q, k, v = qkv(dtype=dtype)
    output, weights = scaled_dot_product_attention(q, k, v)
    assert output.dtype == weights.dtype == dtype
    exact = reference.scaled_dot_product_attention(*(x.double() for x in (q, k, v)))
    close(output.double(), exact[0], 8 * torch.finfo(dtype).eps)
    close(weights.double(), exact[1], 8 * torch.finfo(dtype).eps)


def test_leading_sizes_broadcast_as_torch_broadcasts_them():
    q, _, _ = qkv(lead=(2, 1))
    _, k, v = qkv(lead=(3,))
    mask = random_mask(lead=(2, 1))
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    assert output.shape == (2, 3, 4, 5)
    assert weights.shape == (2, 3, 4, 6)
    close(
        output[1, 2], scaled_dot_product_attention(q[1, 0], k[2], v[2], mask[1, 0])[0]
    )


def test_an_empty_batch_gives_an_empty_batch():
    output, weights = scaled_dot_product_attention(*qkv(lead=(0,)))
    assert output.shape == (0, 4, 5)
    assert weights.shape == (0, 4, 6)


# ── the laws it obeys ─────────────────────────────────────────────────────────
@every_size
@every_lead
def test_every_row_of_weights_is_positive_and_sums_to_one(T, S, d_k, d_v, lead):
    _, weights = scaled_dot_product_attention(*qkv(T, S, d_k, d_v, lead))
    assert (weights > 0).all()
    close(weights.sum(-1), torch.ones(*lead, T, dtype=torch.float64))


@every_size
def test_every_output_lies_within_the_values(T, S, d_k, d_v):
    q, k, v = qkv(T, S, d_k, d_v)
    output, _ = scaled_dot_product_attention(q, k, v)
    assert (output >= v.amin(-2) - 1e-12).all()
    assert (output <= v.amax(-2) + 1e-12).all()


@masked_or_not
def test_reordering_the_queries_reorders_the_outputs(masked):
    q, k, v = qkv()
    mask = random_mask() if masked else torch.ones(4, 6, dtype=torch.bool)
    order = torch.tensor([2, 0, 3, 1])
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    moved = scaled_dot_product_attention(q[order], k, v, mask[order])
    close(moved[0], output[order])
    close(moved[1], weights[order])


@masked_or_not
def test_reordering_keys_with_their_values_changes_no_output(masked):
    q, k, v = qkv()
    mask = random_mask() if masked else torch.ones(4, 6, dtype=torch.bool)
    order = torch.tensor([5, 2, 0, 3, 1, 4])
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    moved = scaled_dot_product_attention(q, k[order], v[order], mask[:, order])
    close(moved[0], output)
    close(moved[1], weights[:, order])


def test_moving_every_key_by_the_same_vector_changes_no_weight():
    q, k, v = qkv()
    shift = torch.tensor([3.0, -2.0, 1.0], dtype=torch.float64)
    close(
        scaled_dot_product_attention(q, k + shift, v)[1],
        scaled_dot_product_attention(q, k, v)[1],
    )


def test_adding_a_constant_to_a_row_of_scores_changes_no_weight():
    scores, mask = qkv(4, 4, 6)[0], random_mask()
    shift = torch.tensor([[500.0], [-500.0], [1.0], [0.0]], dtype=torch.float64)
    close(masked_softmax(scores + shift, mask), masked_softmax(scores, mask))


def test_a_single_key_takes_all_the_weight():
    q, k, v = qkv(T=5, S=1)
    output, weights = scaled_dot_product_attention(q, k, v)
    assert (weights == 1).all()
    assert (output == v).all()


def test_equal_scores_share_the_weight_equally():
    q, k, v = qkv()
    output, weights = scaled_dot_product_attention(q, torch.zeros_like(k), v)
    close(weights, torch.full((4, 6), 1 / 6, dtype=torch.float64))
    close(output, v.mean(-2).expand(4, 5))


def test_scores_in_the_thousands_do_not_overflow():
    q = torch.tensor([[4000.0, 0.0]])
    output, weights = scaled_dot_product_attention(q, q.T * torch.eye(2), torch.eye(2))
    assert weights.tolist() == output.tolist() == [[1.0, 0.0]]


# ── masks ─────────────────────────────────────────────────────────────────────
def test_true_means_may_look():
    q, k, v = qkv()
    mask = torch.zeros(4, 6, dtype=torch.bool)
    mask[:, 2] = True
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    assert (weights == mask).all()
    assert (output == v[2]).all()


def test_a_mask_that_hides_nothing_changes_nothing():
    q, k, v = qkv()
    all_seen = scaled_dot_product_attention(q, k, v, torch.ones(6, dtype=torch.bool))
    close(all_seen[0], scaled_dot_product_attention(q, k, v)[0])


def test_a_hidden_key_weighs_nothing_and_its_value_is_never_seen():
    q, k, v = qkv()
    mask = random_mask()
    mask[:, 3] = False
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    assert (weights[~mask] == 0).all()
    k[3], v[3] = 1e6, -1e6
    assert (scaled_dot_product_attention(q, k, v, mask)[0] == output).all()


def test_a_hidden_key_stays_hidden_however_low_the_other_scores():
    q, k = torch.tensor([[-1e6]]), torch.tensor([[1e6], [0.0]])
    mask = torch.tensor([[True, False]])
    _, weights = scaled_dot_product_attention(q, k, torch.ones(2, 1), mask)
    assert weights.tolist() == [[1.0, 0.0]]


def test_a_query_that_may_look_nowhere_gets_zeros_and_no_gradient():
    q, k, v = (x.requires_grad_() for x in qkv())
    output, weights = scaled_dot_product_attention(q, k, v, random_mask())
    assert (output[0] == 0).all()
    assert (weights[0] == 0).all()
    with torch.autograd.set_detect_anomaly(True):  # no NaN on the way, either
        (output.sum() + weights.square().sum()).backward()
    assert all(torch.isfinite(x.grad).all() for x in (q, k, v))
    assert (q.grad[0] == 0).all()
    assert (q.grad[1:] != 0).any()


@pytest.mark.parametrize("shape", [(), (1,), (6,), (4, 1), (1, 6), (2, 1, 4, 6)])
def test_every_mask_that_broadcasts_means_its_broadcast_self(shape):
    q, k, v = qkv(lead=(2, 3))
    made = torch.Generator().manual_seed(1)
    mask = torch.rand(shape, generator=made) < 0.5
    whole = mask.expand(2, 3, 4, 6)
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    expected = scaled_dot_product_attention(q, k, v, whole)
    assert (output == expected[0]).all()
    assert (weights == expected[1]).all()

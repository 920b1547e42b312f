"""The oracle itself, held against plain Python and against torch."""

import math

import numpy as np
import pytest
import torch

from transformer_lib.oracles import numpy_reference as reference


def by_hand(q, k, v, allowed):
    """Attention of one query in plain Python: no array, no library."""
    scores = [
        sum(a * b for a, b in zip(q, key, strict=True)) / math.sqrt(len(q)) for key in k
    ]
    e = [math.exp(s) if seen else 0.0 for s, seen in zip(scores, allowed, strict=True)]
    weights = [x / sum(e) for x in e]
    return weights, [
        sum(w * row[i] for w, row in zip(weights, v, strict=True))
        for i in range(len(v[0]))
    ]


def test_attention_agrees_with_plain_python():
    made = np.random.default_rng(5)
    q, k, v = (
        made.normal(size=(4, 3)),
        made.normal(size=(6, 3)),
        made.normal(size=(6, 2)),
    )
    mask = made.random((4, 6)) < 0.6
    mask[:, 0] = True
    output, weights = reference.scaled_dot_product_attention(q, k, v, mask)
    for i in range(4):
        expected = by_hand(q[i].tolist(), k.tolist(), v.tolist(), mask[i].tolist())
        np.testing.assert_allclose(weights[i], expected[0], rtol=0, atol=1e-15)
        np.testing.assert_allclose(output[i], expected[1], rtol=0, atol=1e-14)


def test_the_three_token_example_gives_the_documents_numbers():
    Q = K = [[1, 0], [0, 1], [1, 1]]
    output, weights = reference.scaled_dot_product_attention(
        Q, K, [[1, 2], [3, 4], [5, 6]]
    )
    assert weights.round(4).tolist() == [
        [0.4011, 0.1978, 0.4011],
        [0.1978, 0.4011, 0.4011],
        [0.2483, 0.2483, 0.5035],
    ]
    assert output.round(4).tolist() == [[3.0, 4.0], [3.4067, 4.4067], [3.5105, 4.5105]]


def test_softmax_of_the_documents_scores_is_not_the_documents_table():
    weights = reference.softmax([[3, 1, 0], [2, 4, 1], [1, 3, 5]])
    assert weights.round(2).tolist() == [
        [0.84, 0.11, 0.04],
        [0.11, 0.84, 0.04],
        [0.02, 0.12, 0.87],
    ]


@pytest.mark.parametrize("shape", [(1,), (5,), (3, 4), (2, 3, 1), (0, 4)])
def test_softmax_agrees_with_torch(shape):
    scores = np.random.default_rng(2).normal(scale=30, size=shape)
    expected = torch.softmax(torch.from_numpy(scores), dim=-1)
    np.testing.assert_allclose(reference.softmax(scores), expected, rtol=0, atol=1e-15)


def test_softmax_neither_overflows_nor_vanishes():
    assert reference.softmax([1e308, 1e308]).tolist() == [0.5, 0.5]
    assert reference.softmax([-1e308, -1e308]).tolist() == [0.5, 0.5]


def test_a_hidden_score_gets_nothing_and_a_row_of_them_gets_zeros():
    hidden = -np.inf
    weights = reference.softmax([[0, hidden, 0], [hidden, hidden, hidden]])
    assert weights.tolist() == [[0.5, 0, 0.5], [0, 0, 0]]


def test_small_types_are_computed_in_float64():
    small = np.random.default_rng(4).normal(size=(3, 5, 8)).astype(np.float16)
    exact = reference.scaled_dot_product_attention(*small.astype(np.float64))
    for ours, expected in zip(
        reference.scaled_dot_product_attention(*small), exact, strict=True
    ):
        assert ours.dtype == np.float64
        assert (ours == expected).all()


def test_leading_sizes_broadcast():
    made = np.random.default_rng(7)
    q, k, v = (made.normal(size=s) for s in [(2, 1, 4, 3), (5, 6, 3), (5, 6, 2)])
    output, weights = reference.scaled_dot_product_attention(q, k, v)
    assert output.shape == (2, 5, 4, 2)
    assert weights.shape == (2, 5, 4, 6)
    alone = reference.scaled_dot_product_attention(q[1, 0], k[3], v[3])
    np.testing.assert_allclose(output[1, 3], alone[0], rtol=0, atol=1e-14)


def test_the_causal_mask_is_the_lower_triangle():
    assert reference.causal_mask(3).tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]

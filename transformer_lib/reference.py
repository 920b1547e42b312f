"""The formulas once more, in NumPy and float64: the oracle of the tests.

It shares no code with the rest of the library, and prefers the textbook's loop or
index to anything clever, so that reading it is checking it.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def softmax(scores: ArrayLike) -> Array:
    """Turn the last axis into weights that sum to 1.

        softmax(x)_j = exp(x_j) / Σ_k exp(x_k)

    Args:
        scores: (..., S), with S at least 1; −∞ stands for a hidden score.

    Returns:
        weights (..., S); a row of nothing but −∞ gets zeros.
    """
    x = np.asarray(scores, dtype=np.float64)
    top = x.max(axis=-1, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top)
    e = np.exp(x - top)
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total > 0, total, 1.0)


def scaled_dot_product_attention(
    q: ArrayLike, k: ArrayLike, v: ArrayLike, mask: ArrayLike | None = None
) -> tuple[Array, Array]:
    """Average the values by how well each query matches each key.

        output_i = Σ_j softmax_j(q_i · k_j / √d_k) v_j

    Args:
        q: (..., T, d_k).
        k: (..., S, d_k).
        v: (..., S, d_v).
        mask: boolean, broadcasts to (..., T, S); True where a query may look.

    Returns:
        output (..., T, d_v) and weights (..., T, S).

    Source: Vaswani et al. (2017), §3.2.1.
    """
    Q, K, V = (np.asarray(x, dtype=np.float64) for x in (q, k, v))
    scores = np.einsum("...td,...sd->...ts", Q, K) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(np.asarray(mask, dtype=bool), scores, -np.inf)
    weights = softmax(scores)
    return np.einsum("...ts,...sd->...td", weights, V), weights


def causal_mask(length: int) -> NDArray[np.bool_]:
    """(length, length), True where the key is not later than the query."""
    return np.array([[j <= i for j in range(length)] for i in range(length)])

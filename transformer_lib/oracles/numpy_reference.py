"""The formulas once more, in NumPy and float64: the oracle of tests and exercises.

It shares no code with the rest of the library, and prefers the textbook's loop or
index to anything clever, so that reading it is checking it.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Weights = Mapping[str, ArrayLike]


def softmax(scores: ArrayLike) -> Array:
    """Turn the last axis into weights that sum to 1.

        softmax(x)_j = exp(x_j) / Σ_k exp(x_k)

    Shapes: scores and weights (..., S), with S at least 1. A masked score is −∞, and a
    row of only −∞ gets zeros.
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

    Shapes: q (..., T, d_k), k (..., S, d_k), v (..., S, d_v), output (..., T, d_v) and
    weights (..., T, S), to which the mask broadcasts; True where a query may attend.

    Source: Vaswani et al. (2017), §3.2.1.
    """
    Q, K, V = (np.asarray(x, dtype=np.float64) for x in (q, k, v))
    scores = np.einsum("...td,...sd->...ts", Q, K) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(np.asarray(mask, dtype=bool), scores, -np.inf)
    weights = softmax(scores)
    return np.einsum("...ts,...sd->...td", weights, V), weights


def causal_mask(length: int, window: int | None = None) -> NDArray[np.bool_]:
    """Build (length, length), True where the key is not later than the query.

    With a window, the key must also be fewer than `window` positions earlier.
    """
    far = length if window is None else window
    return np.array([[i - far < j <= i for j in range(length)] for i in range(length)])


def sinusoidal_encoding(length: int, d_model: int, base: float = 10_000.0) -> Array:
    """Fill (length, d_model) with sines at even columns and cosines at odd ones.

        PE[p, 2i] = sin(p / base^(2i/d_model)),  PE[p, 2i+1] = cos(the same)

    Source: Vaswani et al. (2017), §3.5.
    """
    table = np.zeros((length, d_model))
    for p in range(length):
        for column in range(d_model):
            angle = p / base ** (2 * (column // 2) / d_model)
            table[p, column] = math.cos(angle) if column % 2 else math.sin(angle)
    return table


def rotary(
    x: ArrayLike,
    positions: ArrayLike,
    base: float = 10_000.0,
    pairs: str = "neighbors",
) -> Array:
    """Turn each pair of features of each position p by the angle p / base^(2i/d_k).

        (a, b) → (a cos θ − b sin θ, a sin θ + b cos θ)

    Pair i is features 2i and 2i + 1 of "neighbors", or i and i + d_k/2 of "halves".
    Shapes: x and the result (B, T, d_k), positions (T,) or (B, T).

    Source: Su et al. (2021), equations 14 and 15.
    """
    x = np.asarray(x, dtype=np.float64)
    B, T, d_k = x.shape
    turned, at = np.empty_like(x), np.broadcast_to(positions, (B, T))
    for b, t, i in np.ndindex(B, T, d_k // 2):
        pair = [2 * i, 2 * i + 1] if pairs == "neighbors" else [i, i + d_k // 2]
        angle = at[b, t] / base ** (2 * i / d_k)
        c, s = math.cos(angle), math.sin(angle)
        turned[b, t, pair] = np.array([[c, -s], [s, c]]) @ x[b, t, pair]
    return turned


def layer_norm(x: ArrayLike, weights: Weights, eps: float = 1e-5) -> Array:
    """Normalize the last axis, with weights `gamma` and, if any, `beta`.

        y = γ (x − μ) / √(σ² + ε) + β

    Source: Ba, Kiros and Hinton (2016).
    """
    x = np.asarray(x, dtype=np.float64)
    mu, sigma = x.mean(axis=-1, keepdims=True), x.std(axis=-1, keepdims=True)
    y = np.asarray(weights["gamma"]) * (x - mu) / np.sqrt(sigma**2 + eps)
    return np.asarray(y + np.asarray(weights.get("beta", 0.0)))


def _gelu(x: Array) -> Array:
    erf = np.vectorize(math.erf, otypes=[np.float64])
    return np.asarray(x * 0.5 * (1 + erf(x / math.sqrt(2))))


def _gelu_tanh(x: Array) -> Array:
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return np.asarray(x * 0.5 * (1 + np.tanh(inner)))


ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, 0.0),
    "gelu": _gelu,
    "gelu_tanh": _gelu_tanh,
    "silu": lambda x: x / (1 + np.exp(-x)),
}

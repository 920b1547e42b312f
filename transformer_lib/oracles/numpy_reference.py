"""The formulas once more, in NumPy and float64: the oracle of the tests.

It shares no code with the rest of the library, and prefers the textbook's loop or
index to anything clever, so that reading it is checking it.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

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


def linear(x: ArrayLike, weights: Weights) -> Array:
    """Multiply by `weight` (out, in) and add any `bias`: y_j = Σ_i W_ji x_i + b_j."""
    W = np.asarray(weights["weight"], dtype=np.float64)
    y: Array = np.einsum("...i,ji->...j", np.asarray(x, dtype=np.float64), W)
    return y + np.asarray(weights["bias"]) if "bias" in weights else y


def layer_norm(x: ArrayLike, weights: Weights, eps: float = 1e-5) -> Array:
    """Normalize the last axis, with weights `gamma` and, if any, `beta`.

        y = γ (x − μ) / √(σ² + ε) + β

    Source: Ba, Kiros and Hinton (2016).
    """
    x = np.asarray(x, dtype=np.float64)
    mu, sigma = x.mean(axis=-1, keepdims=True), x.std(axis=-1, keepdims=True)
    y = np.asarray(weights["gamma"]) * (x - mu) / np.sqrt(sigma**2 + eps)
    return np.asarray(y + np.asarray(weights.get("beta", 0.0)))


def rms_norm(x: ArrayLike, weights: Weights, eps: float = 1e-5) -> Array:
    """Divide the last axis by its root mean square, and multiply it by `gamma`.

        y = γ x / √(mean(x²) + ε)

    Source: Zhang and Sennrich (2019).
    """
    x = np.asarray(x, dtype=np.float64)
    size = np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps)
    y: Array = np.asarray(weights["gamma"]) * x / size
    return y


def feed_forward(x: ArrayLike, weights: Weights, activation: str = "relu") -> Array:
    """Expand each vector, apply f, and project back, by weights under `W_1.`, `W_2.`.

        y = f(x W_1 + b_1) W_2 + b_2

    If there are weights under `W_3.`, f's result is multiplied by x W_3 + b_3.

    Source: Vaswani et al. (2017), §3.3; Hendrycks and Gimpel (2016) for GELU; Shazeer
    (2020) for gates.
    """
    hidden: Array = linear(x, _part(weights, "W_1"))
    hidden = ACTIVATIONS[activation](hidden)
    if "W_3.weight" in weights:
        hidden = hidden * linear(x, _part(weights, "W_3"))
    return linear(hidden, _part(weights, "W_2"))


def multi_head_attention(
    query: ArrayLike,
    memory: ArrayLike,
    weights: Weights,
    n_heads: int,
    mask: ArrayLike | None = None,
    *,
    positions: ArrayLike | None = None,
    base: float = 10_000.0,
    pairs: str = "neighbors",
    eps: float = 1e-5,
) -> Array:
    """Attend with each head's columns, concatenate the heads, and project.

    The weights are under `W_Q.`, `W_K.`, `W_V.` and `W_O.`, and of any norms of queries
    and keys under `q_norm.` and `k_norm.`. If K and V have fewer heads than Q, the
    first of them serves the first heads of Q, and so on. With positions, queries and
    keys are turned by `rotary`. Shapes: query and result (B, T, D), memory (B, S, D);
    the mask broadcasts to (B, H, T, S).

    Source: Vaswani et al. (2017), §3.2.2; Ainslie et al. (2023), §2.2.
    """
    Q = linear(query, _part(weights, "W_Q"))
    K, V = (linear(memory, _part(weights, name)) for name in ("W_K", "W_V"))
    if mask is not None:
        mask = np.broadcast_to(mask, (len(Q), n_heads, Q.shape[1], K.shape[1]))
    heads = []
    d_k = Q.shape[-1] // n_heads
    n_kv_heads = K.shape[-1] // d_k
    for h in range(n_heads):
        g = h * n_kv_heads // n_heads
        q = Q[..., h * d_k : (h + 1) * d_k]
        k, v = (x[..., g * d_k : (g + 1) * d_k] for x in (K, V))
        if "q_norm.gamma" in weights:
            q = rms_norm(q, _part(weights, "q_norm"), eps)
            k = rms_norm(k, _part(weights, "k_norm"), eps)
        if positions is not None:
            q, k = (rotary(x, positions, base, pairs) for x in (q, k))
        seen = None if mask is None else np.asarray(mask)[:, h]
        heads.append(scaled_dot_product_attention(q, k, v, seen)[0])
    return linear(np.concatenate(heads, axis=-1), _part(weights, "W_O"))


def block(
    x: ArrayLike,
    weights: Weights,
    n_heads: int,
    mask: ArrayLike | None = None,
    memory: ArrayLike | None = None,
    memory_mask: ArrayLike | None = None,
    *,
    norm_first: bool = False,
    activation: str = "relu",
    norm: str = "layer",
    eps: float = 1e-5,
    **rotary: Any,
) -> Array:
    """Apply self-attention and the feed-forward network, each in Add & Norm.

    With a memory, attention to it comes between them: the block of a decoder. The norm
    is "layer" or "rms"; any positions, base and pairs of `rotary` are those of
    `multi_head_attention`.

    Source: Vaswani et al. (2017), §3.1; Xiong et al. (2020) for pre-norm.
    """

    def attend(x: Array) -> Array:
        own = _part(weights, "self_attention")
        return multi_head_attention(x, x, own, n_heads, mask, eps=eps, **rotary)

    def look(x: Array) -> Array:
        across, y = _part(weights, "cross_attention"), x if memory is None else memory
        return multi_head_attention(x, y, across, n_heads, memory_mask)

    def transform(x: Array) -> Array:
        return feed_forward(x, _part(weights, "feed_forward"), activation)

    normalize = rms_norm if norm == "rms" else layer_norm
    x = np.asarray(x, dtype=np.float64)
    sublayers = [attend, transform] if memory is None else [attend, look, transform]
    for i, f in enumerate(sublayers, 1):
        n_i = _part(weights, f"add_norm_{i}.norm")
        x = (
            x + f(normalize(x, n_i, eps))
            if norm_first
            else normalize(x + f(x), n_i, eps)
        )
    return x


def _part(weights: Weights, name: str) -> Weights:
    """Pick the weights under a name, and take the name off."""
    start = name + "."
    return {k[len(start) :]: w for k, w in weights.items() if k.startswith(start)}


def _gelu_tanh(x: Array) -> Array:
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return np.asarray(x * 0.5 * (1 + np.tanh(inner)))


erf = np.vectorize(math.erf, otypes=[np.float64])
ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, 0.0),
    "gelu": lambda x: x * 0.5 * (1 + erf(x / math.sqrt(2))),
    "gelu_tanh": _gelu_tanh,
    "silu": lambda x: x / (1 + np.exp(-x)),
}

"""The layers once more, in NumPy and float64, as loops and indices of the textbook.

They are built of the library's own oracle, and share no code with what they judge.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from transformer_lib.oracles.numpy_reference import (
    ACTIVATIONS,
    Array,
    Weights,
    causal_mask,
    layer_norm,
    rotary,
    scaled_dot_product_attention,
    sinusoidal_encoding,
    softmax,
)

__all__ = [
    "causal_mask",
    "decoder_block",
    "encoder_block",
    "feed_forward",
    "layer_norm",
    "linear",
    "multi_head_attention",
    "rms_norm",
    "rotary",
    "scaled_dot_product_attention",
    "sinusoidal_encoding",
    "softmax",
]


def linear(x: ArrayLike, weights: Weights) -> Array:
    """Multiply by `weight` (out, in) and add any `bias`: y_j = Σ_i W_ji x_i + b_j."""
    W = np.asarray(weights["weight"], dtype=np.float64)
    y: Array = np.einsum("...i,ji->...j", np.asarray(x, dtype=np.float64), W)
    return y + np.asarray(weights["bias"]) if "bias" in weights else y


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


def encoder_block(
    x: ArrayLike,
    weights: Weights,
    n_heads: int,
    mask: ArrayLike | None = None,
    *,
    norm_first: bool = False,
    activation: str = "relu",
    norm: str = "layer",
    eps: float = 1e-5,
    **rotary: Any,
) -> Array:
    """Apply self-attention, then the feed-forward network, each in Add & Norm.

    The norm is "layer" or "rms"; any positions, base and pairs of `rotary` are those of
    `multi_head_attention`.

    Source: Vaswani et al. (2017), §3.1; Xiong et al. (2020) for pre-norm.
    """
    normalize = rms_norm if norm == "rms" else layer_norm
    n_1, n_2 = (_part(weights, f"add_norm_{i}.norm") for i in (1, 2))

    def attend(x: Array) -> Array:
        own = _part(weights, "self_attention")
        return multi_head_attention(x, x, own, n_heads, mask, eps=eps, **rotary)

    def transform(x: Array) -> Array:
        return feed_forward(x, _part(weights, "feed_forward"), activation)

    x = np.asarray(x, dtype=np.float64)
    if norm_first:
        x = x + attend(normalize(x, n_1, eps))
        return x + transform(normalize(x, n_2, eps))
    x = normalize(x + attend(x), n_1, eps)
    return normalize(x + transform(x), n_2, eps)


def decoder_block(
    x: ArrayLike,
    memory: ArrayLike,
    weights: Weights,
    n_heads: int,
    mask: ArrayLike | None = None,
    memory_mask: ArrayLike | None = None,
) -> Array:
    """Apply self-attention, attention to the memory and the network, post-norm, ReLU.

    Source: Vaswani et al. (2017), §3.1.
    """
    own = _part(weights, "self_attention")
    cross = _part(weights, "cross_attention")
    n_1, n_2, n_3 = (_part(weights, f"add_norm_{i}.norm") for i in (1, 2, 3))
    x = np.asarray(x, dtype=np.float64)
    x = layer_norm(x + multi_head_attention(x, x, own, n_heads, mask), n_1)
    across = multi_head_attention(x, memory, cross, n_heads, memory_mask)
    x = layer_norm(x + across, n_2)
    return layer_norm(x + feed_forward(x, _part(weights, "feed_forward")), n_3)


def _part(weights: Weights, name: str) -> Weights:
    """Pick the weights under a name, and take the name off."""
    start = name + "."
    return {k[len(start) :]: w for k, w in weights.items() if k.startswith(start)}

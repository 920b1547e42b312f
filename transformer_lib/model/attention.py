"""Attention: every query takes a weighted average of the values."""

import math
from typing import cast

import torch
from torch import Tensor, nn

from ..support.cache_checks import check_look
from ..support.caching import KVCache
from ..support.dropout import dropout
from ..support.fast_attention import causal_rows, fused_attention
from ..support.shapes import check_attention, check_scores, check_vectors
from ..support.validation import check_flag, check_number, check_size
from ..support.watching import keep, watchers


def scaled_dot_product_attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Average the values, weighted by how well each query matches each key.

        output = softmax(q kᵀ / √d_k) v

    Args:
        q: queries (..., T, d_k).
        k: keys (..., S, d_k).
        v: values (..., S, d_v).
        mask: boolean, broadcasts to (..., T, S); True where a query may look.

    Returns:
        output (..., T, d_v) and weights (..., T, S). Rows of weights sum to 1;
        a query that may look nowhere gets zeros.

    Raises:
        TypeError: an argument is no tensor, the three are not of one floating-point
            type, or the mask is not boolean.
        ValueError: shapes do not fit, a length or d_k is 0, a number is not finite,
            or a score is too large for the type of q.

    Source: Vaswani et al. (2017), §3.2.1; D0.3.2, D2.3.2, D3.4.2.
    """
    check_attention(q, k, v, mask)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., T, S)
    check_scores(scores)
    weights = masked_softmax(scores, mask)  # (..., T, S)
    return weights @ v, weights  # (..., T, d_v), (..., T, S)


def masked_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Turn each row of scores into weights that sum to 1 over the allowed keys.

        weights_j = exp(score_j) / Σ_allowed exp(score)

    A hidden score becomes −∞ before the softmax, so its weight is exactly 0. A row
    with no allowed key has no such weights: it gets zeros, and gradients of zero.

    Args:
        scores: (..., T, S).
        mask: boolean, broadcasts to (..., T, S); True where a query may look.

    Returns:
        weights (..., T, S).

    Source: Vaswani et al. (2017), §3.2.3; D2.8, D3.4.3.
    """
    if mask is None:
        return torch.softmax(scores, dim=-1)
    blind = ~mask.any(dim=-1, keepdim=True)  # (..., T, 1)
    scores = scores.masked_fill(~mask, -torch.inf).masked_fill(blind, 0.0)
    return torch.softmax(scores, dim=-1).masked_fill(blind, 0.0)


class MultiHeadAttention(nn.Module):
    """Attend H times side by side, each head in its own d_k = D/H dimensions.

        head_h = attention(X W_Q^h, M W_K^h, M W_V^h),  output = [head_1 … head_H] W_O

    While nobody is watching and no weight is to be dropped, a fused kernel gives the
    same and holds no weights.

    Args:
        d_model: D, the size of a vector.
        n_heads: H, the number of heads.
        dropout: the share of weights dropped in training.
        bias: whether the four projections add one.

    Raises:
        TypeError, ValueError: a size is no integer or below 1, H does not divide D, or
            dropout is outside [0, 1].

    Source: Vaswani et al. (2017), §3.2.2; D0.3.3, D1.15.1, D2.3.3, D3.5.
    """

    def __init__(
        self, d_model: int, n_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        check_size("d_model", d_model)
        check_size("n_heads", n_heads)
        if d_model % n_heads:
            raise ValueError(
                f"n_heads must divide d_model, got {n_heads=} and {d_model=}"
            )
        check_number("dropout", dropout, 0, 1)
        check_flag("bias", bias)
        self.d_model, self.n_heads, self.d_k = d_model, n_heads, d_model // n_heads
        self.dropout = dropout
        self.W_Q, self.W_K, self.W_V, self.W_O = (
            nn.Linear(d_model, d_model, bias) for _ in range(4)
        )
        for W in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.xavier_uniform_(W.weight)
            if bias:
                nn.init.zeros_(W.bias)

    def forward(
        self,
        query: Tensor,
        memory: Tensor | None,
        mask: Tensor | None = None,
        *,
        causal: bool = False,
        cache: KVCache | None = None,
    ) -> Tensor:
        """Let every query gather what it asks for from the memory.

        Args:
            query: (B, T, D).
            memory: (B, S, D); the query itself in self-attention. None looks only at
                what the cache holds.
            mask: boolean, broadcasts to (B, H, T, S); True where a query may look.
            causal: hide the future as well: the last query stands at the last key.
            cache: the past's keys and values; the memory's are added behind them, and
                S counts them all.

        Returns:
            (B, T, D). A query that may look nowhere gets heads of zeros.

        Raises:
            TypeError: an argument is no floating-point tensor of the layer's type, or
                the mask is not boolean.
            ValueError: shapes do not fit, or could be meant in two ways.
        """
        check_vectors("query", query, self.W_Q.weight)
        size = (query.size(0), self.n_heads, query.size(1))
        check_look(size, memory, mask, cache, self.W_Q.weight)
        q = self._split(self.W_Q(query))  # (B, H, T, d_k)
        k, v = self._keys_and_values(memory, cache)  # (B, H, S, d_k)
        if mask is not None:
            mask = mask[(None,) * (4 - mask.dim())]  # (B or 1, H or 1, T or 1, S or 1)
        drops = self.training and self.dropout > 0  # on CPUs torch's kernel is slower
        if watchers.get() or drops:
            heads = self._by_formula(q, k, v, mask, causal)
        else:
            heads = fused_attention(q, k, v, mask, causal=causal)
        out: Tensor = self.W_O(heads.transpose(1, 2).flatten(2))  # (B, T, D)
        return out

    def new_cache(self, batch: int, room: int) -> KVCache:
        """Make room for the keys and values of `room` positions, all still empty."""
        check_size("batch", batch, least=0)
        check_size("room", room)
        size = (2, batch, self.n_heads, room, self.d_k)
        keys, values = self.W_K.weight.new_zeros(size)  # (B, H, room, d_k)
        return KVCache(keys, values)

    def remember(self, memory: Tensor) -> KVCache:
        """Project a memory (B, S, D) once, for queries that come one by one."""
        check_vectors("memory", memory, self.W_K.weight)
        k, v = self._keys_and_values(memory, None)
        return KVCache(k, v, length=k.size(2))

    def _keys_and_values(
        self, memory: Tensor | None, cache: KVCache | None
    ) -> tuple[Tensor, Tensor]:
        if memory is None:
            return cast(KVCache, cache).filled()
        k = self._split(self.W_K(memory))  # (B, H, S, d_k)
        v = self._split(self.W_V(memory))  # (B, H, S, d_k)
        if cache is None:
            return k, v
        cache.append(k, v)  # the last that can be refused: a refusal leaves no trace
        return cache.filled()

    def _split(self, x: Tensor) -> Tensor:
        B, T, _ = x.shape
        return x.view(B, T, self.n_heads, self.d_k).transpose(1, 2)  # (B, H, T, d_k)

    def _by_formula(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool
    ) -> Tensor:
        """Attend in steps that can be seen, as `scaled_dot_product_attention` does."""
        if causal:
            past = causal_rows(0, q.size(2), q.size(2), k.size(2), q.device)
            mask = past if mask is None else mask & past
        for name, x in (("q", q), ("k", k), ("v", v)):
            keep(self, name, x)
        given, exact = q.dtype, torch.promote_types(q.dtype, torch.float32)
        q, k, v = q.to(exact), k.to(exact), v.to(exact)  # as the fused kernel does
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)  # (B, H, T, S)
        weights = masked_softmax(scores, mask)
        heads = dropout(weights, self.dropout, self.training) @ v  # (B, H, T, d_k)
        heads = heads.to(given)
        for name, x in (("scores", scores), ("weights", weights), ("heads", heads)):
            keep(self, name, x)
        return heads

    def extra_repr(self) -> str:
        """Show D, H and d_k."""
        return f"D = {self.d_model}, {self.n_heads} heads of {self.d_k}"

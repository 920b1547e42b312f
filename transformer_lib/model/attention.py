"""Attention: every query takes a weighted average of the values."""

import math

import torch
from torch import Tensor, nn

from ..checks.validation import check_arguments, check_attention, checked_by
from ..runtime.caching import cache_of
from ..runtime.fast_attention import dropout, fused_attention, per_head
from ..runtime.module import Part, glorot
from ..runtime.recording import hook_point, step, steps_of, tensors_of, watchers_of
from .config import Pairs
from .embedding import Rotation, apply_rotary
from .masks import Mask
from .norms import RMSNorm


@step("scores")
def attention_scores(q: Tensor, k: Tensor) -> Tensor:
    """Compare every query with every key: scores = q kᵀ / √d_k.

    Shapes: q (..., T, d_k), k (..., S, d_k), scores (..., T, S).
    Source: Vaswani et al. (2017), §3.2.1; D0.3.2, D2.3.2, D3.4.2.
    """
    return q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))


@step("weights")
def masked_softmax(scores: Tensor, mask: Mask = None) -> Tensor:
    """Turn each row of scores into weights that sum to 1 over the allowed keys.

        weights_j = exp(score_j) / Σ_allowed exp(score)

    A masked score becomes −∞ before the softmax, so its weight is exactly 0. If a row
    has no allowed key, all of its weights and gradients are 0. Scores and weights have
    shape (..., T, S); the mask is boolean and broadcasts to it.

    Source: Vaswani et al. (2017), §3.2.3; D2.8, D3.4.3.
    """
    if mask is None:
        return torch.softmax(scores, dim=-1)
    all_masked = ~mask.any(dim=-1, keepdim=True)  # (..., T, 1)
    scores = scores.masked_fill(~mask, -torch.inf).masked_fill(all_masked, 0.0)
    return torch.softmax(scores, dim=-1).masked_fill(all_masked, 0.0)


@checked_by(check_attention)
def scaled_dot_product_attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Mask = None, dropout_rate: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Average the values, weighted by how well each query matches each key.

        output = softmax(q kᵀ / √d_k) v

    Args:
        q: queries (..., T, d_k).
        k: keys (..., S, d_k).
        v: values (..., S, d_v).
        mask: boolean, broadcasts to (..., T, S); True where a query may attend.
        dropout_rate: the fraction of weights that each call sets to 0 at random; 0
            outside training.

    Returns:
        output (..., T, d_v), and weights (..., T, S) as they were before dropout. Each
        row of weights sums to 1; a query that may attend to no key gets zeros.

    Raises:
        TypeError, ValueError: q, k and v do not share a floating-point type, their
            shapes do not fit, a length or d_k is 0, the mask is not boolean, an input
            or a score is not finite, or dropout_rate is not in [0, 1].

    Source: Vaswani et al. (2017), §3.2.1; D0.3.2, D2.3.2, D3.4.2.
    """
    weights = masked_softmax(attention_scores(q, k), mask)  # (..., T, S)
    return dropout(weights, dropout_rate, training=True) @ v, weights  # (..., T, d_v)


class MultiHeadAttention(Part):
    """Run H attention heads in parallel, each in its own d_k = D/H dimensions.

        head_h = attention(X W_Q^h, M W_K^h, M W_V^h),  output = [head_1 … head_H] W_O

    X is the query and M the memory; in self-attention they are the same tensor. H must
    divide D = `d_model`, unless `d_k` is given. `dropout` is the fraction of attention
    weights that are set to 0 in training, and `bias` says whether the four projections
    have a bias.

    The other options are those of `TransformerConfig`. With `n_kv_heads` = G, H/G heads
    of queries share each head of keys and values. A `window` hides nothing by itself,
    which is the task of the mask: with it, a cache keeps only the keys that later
    queries may attend to. Unless `rotary_pairs` is None, each call's rotation turns the
    queries and keys.

    Source: Vaswani et al. (2017), §3.2.2; D0.3.3, D1.15.1, D2.3.3, D3.5; Ainslie et al.
    (2023), §2.2; for the others see `TransformerConfig`.
    """

    printed = "D = {0.d_model}, {0.n_heads} heads of {0.d_k}"

    @check_arguments
    def __init__(
        self,
        d_model: int,
        n_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        *,
        d_k: int | None = None,
        n_kv_heads: int | None = None,
        qkv_bias: bool | None = None,
        qk_norm: bool = False,
        norm_eps: float = 1e-5,
        window: int | None = None,
        rotary_pairs: Pairs | None = None,
    ) -> None:
        super().__init__()
        self.d_model = d_model
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads or n_heads
        self.d_k = d_k or d_model // n_heads
        self.dropout = dropout
        self.window = window
        self.rotary_pairs = rotary_pairs
        inside, shared = n_heads * self.d_k, self.n_kv_heads * self.d_k
        own_bias = bias if qkv_bias is None else qkv_bias
        self.W_Q = nn.Linear(d_model, inside, own_bias)
        self.W_K = nn.Linear(d_model, shared, own_bias)
        self.W_V = nn.Linear(d_model, shared, own_bias)
        self.W_O = nn.Linear(inside, d_model, bias)
        glorot(self.W_Q, self.W_K, self.W_V, self.W_O)
        self.q_norm = RMSNorm(self.d_k, norm_eps) if qk_norm else None
        self.k_norm = RMSNorm(self.d_k, norm_eps) if qk_norm else None

    @check_arguments
    def forward(
        self,
        query: Tensor,
        memory: Tensor,
        mask: Mask = None,
        rotation: Rotation | None = None,
    ) -> Tensor:
        """Let every position of the query attend to the memory: (B, T, D).

        `record` gives the weights.

        Args:
            query: (B, T, D).
            memory: (B, S, D); in self-attention, the same tensor as the query.
            mask: boolean, broadcasts to (B, H, T, S), where S includes cached keys;
                True where a query may attend. If that is nowhere, its heads are 0.
            rotation: what `apply_rotary` takes, for the positions of the query, which
                must be the memory too; needed if positions are rotary.

        Raises:
            TypeError, ValueError: an input or the mask has the wrong type or shape, or
                the rotation is missing.
        """
        q = self._split(self.W_Q(query))  # (B, H, T, d_k)
        q = self._placed(q, self.q_norm, rotation)
        cache = cache_of(self)
        if cache is None:
            k, v = self.keys_and_values(memory, rotation)  # (B, G, S, d_k)
        else:  # inside `caching`, those of earlier passes come first
            k, v = cache.extend(self, query, memory, rotation)
        inputs = query, memory, mask
        if mask is not None and self.window is not None:
            mask = mask[..., -k.size(2) :]  # a cache may have dropped the first keys
        # PyTorch's fused kernel returns the same heads faster, but without weights.
        if watchers_of(self) or (self.training and self.dropout > 0):
            heads = self._attend(q, k, v, mask, *tensors_of(inputs))  # (B, H, T, d_k)
        else:
            heads = fused_attention(q, k, v, mask)
        output: Tensor = self.W_O(heads.transpose(1, 2).flatten(2))  # (B, T, D)
        return output

    def _attend(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Mask, *inputs: Tensor
    ) -> Tensor:
        """Attend as `fused_attention` does, but by the formula, step by step.

        Each step is a hook point. The inputs are those that q, k and v were made from.
        """
        if cache_of(self) is not None:  # what a cache holds may change after the pass
            k, v = k.clone(), v.clone()
        given = zip("qkv", (q, k, v), strict=True)
        q, k, v = (hook_point(self, name, x, *inputs) for name, x in given)
        exact = torch.promote_types(q.dtype, torch.float32)  # as the kernel computes
        Q, K, V = (per_head(x.to(exact), self.n_heads) for x in (q, k, v))
        rate = self.dropout if self.training else 0.0
        with steps_of(self):
            heads, weights = scaled_dot_product_attention(Q, K, V, mask, rate)
        return hook_point(self, "heads", heads.to(q.dtype), weights, V)

    def keys_and_values(
        self, memory: Tensor, rotation: Rotation | None = None
    ) -> tuple[Tensor, Tensor]:
        """Project a memory (B, S, D) to its keys and values, each (B, G, S, d_k)."""
        k, v = self._split(self.W_K(memory)), self._split(self.W_V(memory))
        return self._placed(k, self.k_norm, rotation), v

    def _split(self, x: Tensor) -> Tensor:
        """Split vectors (B, T, H · d_k) into the heads' parts: (B, H, T, d_k)."""
        B, T, H = x.size(0), x.size(1), x.size(2) // self.d_k
        return x.view(B, T, H, self.d_k).transpose(1, 2)  # (B, H, T, d_k)

    def _placed(
        self, x: Tensor, norm: RMSNorm | None, rotation: Rotation | None
    ) -> Tensor:
        """Normalize queries or keys (B, H, T, d_k), and turn them by position."""
        x = x if norm is None else norm(x)
        if self.rotary_pairs is None:
            return x
        if rotation is None:
            raise ValueError("rotation must be given for rotary positions, got None")
        return apply_rotary(x, rotation, self.rotary_pairs)

"""The layers around attention, and the blocks that are stacked."""

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..support.cache_checks import check_across
from ..support.caching import DecoderCache, KVCache
from ..support.dropout import dropout
from ..support.shapes import check_features, check_vectors
from ..support.validation import check_flag, check_number, check_option, check_size
from ..support.watching import keep, watchers
from .activations import ACTIVATIONS, Activation
from .attention import MultiHeadAttention
from .config import TransformerConfig, check_config


def layer_norm(
    x: Tensor, gamma: Tensor, beta: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Bring each vector to mean 0 and variance 1, then stretch and shift it.

        y = γ (x − μ) / √(σ² + ε) + β

    μ and σ² are over the features of one vector; the variance is the biased one, and
    is taken of the differences, since E[x²] − μ² loses its digits far from 0.

    Args:
        x: (..., D).
        gamma: (D,).
        beta: (D,), or None.
        eps: keeps the root away from 0.

    Returns:
        (..., D).

    Source: Ba, Kiros and Hinton (2016); D1.16.3, D2.4, D3.6.
    """
    result = torch.promote_types(x.dtype, gamma.dtype)
    x = x.to(torch.promote_types(x.dtype, torch.float32))  # a half's square overflows
    difference = x - x.mean(dim=-1, keepdim=True)
    variance = difference.square().mean(dim=-1, keepdim=True)  # (..., 1)
    y = gamma * difference / torch.sqrt(variance + eps)  # (..., D)
    return (y if beta is None else y + beta).to(result)


class LayerNorm(nn.Module):
    """Normalise each vector by `layer_norm`, with γ and β that are learned.

    While nobody is watching, torch's own kernel gives the same.

    Args:
        d_model: D, the size of a vector.
        eps: ε.
        bias: whether there is a β.

    Raises:
        TypeError, ValueError: d_model is no integer or below 1, or eps not above 0.
    """

    def __init__(self, d_model: int, eps: float = 1e-5, bias: bool = True) -> None:
        super().__init__()
        check_size("d_model", d_model)
        check_flag("bias", bias)
        check_number("eps", eps, 0, above=True)
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model)) if bias else None
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """Normalise x (..., D) to (..., D)."""
        check_features("x", x, self.gamma)
        if watchers.get():
            return layer_norm(x, self.gamma, self.beta, self.eps)
        return F.layer_norm(x, self.gamma.shape, self.gamma, self.beta, self.eps)

    def extra_repr(self) -> str:
        """Show D and ε."""
        return f"D = {self.gamma.numel()}, ε = {self.eps:g}"


class FeedForward(nn.Module):
    """Widen each vector, bend it, and narrow it again, each token by itself.

        y = f(x W_1 + b_1) W_2 + b_2

    Args:
        d_model: D.
        d_ff: the hidden size.
        dropout: the share of hidden features dropped in training.
        activation: f: "relu", "gelu" or "gelu_tanh".
        bias: whether there are b_1 and b_2.

    Raises:
        TypeError, ValueError: an argument is of the wrong type or out of its range.

    Source: Vaswani et al. (2017), §3.3; D1.16.4, D2.5, D3.7.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        dropout: float = 0.0,
        activation: Activation = "relu",
        bias: bool = True,
    ) -> None:
        super().__init__()
        check_size("d_model", d_model)
        check_size("d_ff", d_ff)
        check_number("dropout", dropout, 0, 1)
        check_option("activation", activation, list(ACTIVATIONS))
        check_flag("bias", bias)
        self.W_1 = nn.Linear(d_model, d_ff, bias)
        self.W_2 = nn.Linear(d_ff, d_model, bias)
        self.dropout = dropout
        self.activation = activation
        for W in (self.W_1, self.W_2):
            nn.init.xavier_uniform_(W.weight)
            if bias:
                nn.init.zeros_(W.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Turn x (B, T, D) into (B, T, D)."""
        check_features("x", x, self.W_1.weight)
        hidden = ACTIVATIONS[self.activation](self.W_1(x))  # (B, T, d_ff)
        keep(self, "hidden", hidden)
        y: Tensor = self.W_2(dropout(hidden, self.dropout, self.training))
        return y

    def extra_repr(self) -> str:
        """Show the sizes and the activation."""
        D, d_ff = self.W_1.in_features, self.W_1.out_features
        return f"{D} → {d_ff} → {D}, {self.activation}"


class AddNorm(nn.Module):
    """Add a sub-layer's output to its input, and normalise: after it, or before it.

        post-norm: norm(x + f(x))        pre-norm: x + f(norm(x))

    Source: Vaswani et al. (2017), §3.1, §5.4; D0.3.4, D1.16.3, D2.4, D3.6;
    Xiong et al. (2020) for pre-norm.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.norm = LayerNorm(config.d_model, bias=config.bias)
        self.norm_first = config.norm_first
        self.dropout = config.dropout

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Wrap a sub-layer (B, T, D) → (B, T, D) around x (B, T, D)."""
        y = sublayer(self.norm(x) if self.norm_first else x)
        total = x + dropout(y, self.dropout, self.training)
        keep(self, "sum", total)
        return total if self.norm_first else self.norm(total)

    def extra_repr(self) -> str:
        """Show on which side of the sub-layer the norm stands."""
        return "pre-norm" if self.norm_first else "post-norm"


class EncoderBlock(nn.Module):
    """Let every token look at every token, then think: each step inside Add & Norm.

    Under a causal mask this is the block of a decoder-only model too.

    Source: Vaswani et al. (2017), §3.1; D0.2.1, D2.6, D3.8.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = _attention(config)
        self.add_norm_1 = AddNorm(config)
        self.feed_forward = _feed_forward(config)
        self.add_norm_2 = AddNorm(config)

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        *,
        causal: bool = False,
        cache: KVCache | None = None,
    ) -> Tensor:
        """Turn x (B, T, D) into (B, T, D); the rest as in `MultiHeadAttention`."""
        check_vectors("x", x, self.add_norm_1.norm.gamma)
        look = partial(self.self_attention, mask=mask, causal=causal, cache=cache)
        x = self.add_norm_1(x, lambda x: look(x, x))
        y: Tensor = self.add_norm_2(x, self.feed_forward)
        return y


class DecoderBlock(nn.Module):
    """Look at the target so far, then at the memory, then think.

    Source: Vaswani et al. (2017), §3.1; D0.2.2, D2.7, D2.9, D2.10, D3.9.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = _attention(config)
        self.n_heads = config.n_heads
        self.add_norm_1 = AddNorm(config)
        self.cross_attention = _attention(config)
        self.add_norm_2 = AddNorm(config)
        self.feed_forward = _feed_forward(config)
        self.add_norm_3 = AddNorm(config)

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        *,
        causal: bool = False,
        cache: DecoderCache | None = None,
    ) -> Tensor:
        """Turn x (B, T, D), given the memory (B, S, D), into (B, T, D).

        With a cache the memory is None: its keys and values lie in `cache.memory`. Both
        masks broadcast to (B, H, T, keys): the target's own, and the memory's.
        """
        gamma = self.add_norm_1.norm.gamma
        check_vectors("x", x, gamma)
        size = (x.size(0), self.n_heads, x.size(1))
        check_across(size, memory, memory_mask, cache, gamma)
        target, source = cache or (None, None)
        look_back = partial(self.self_attention, mask=mask, causal=causal, cache=target)
        look_across = partial(self.cross_attention, mask=memory_mask, cache=source)
        x = self.add_norm_1(x, lambda x: look_back(x, x))
        x = self.add_norm_2(x, lambda x: look_across(x, memory))
        y: Tensor = self.add_norm_3(x, self.feed_forward)
        return y


def _attention(config: TransformerConfig) -> MultiHeadAttention:
    c = check_config(config)
    return MultiHeadAttention(c.d_model, c.n_heads, c.dropout, c.bias)


def _feed_forward(c: TransformerConfig) -> FeedForward:
    return FeedForward(c.d_model, c.d_ff, c.dropout, c.activation, c.bias)

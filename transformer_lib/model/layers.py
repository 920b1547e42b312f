"""Layer norm, feed-forward networks and residuals, and the blocks made of them."""

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..checks.arguments import check_arguments
from ..runtime.fast_attention import dropout
from ..runtime.hooks import hook_point, is_watched
from ..runtime.module import Part, glorot
from .attention import MultiHeadAttention
from .config import Activation, TransformerConfig
from .masks import Mask

ACTIVATIONS: dict[Activation, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
}


def layer_norm(
    x: Tensor, gamma: Tensor, beta: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Normalize each vector to mean 0 and variance 1, then scale and shift it.

        y = γ (x − μ) / √(σ² + ε) + β

    μ and σ² are the mean and the biased variance of one vector's D features. We compute
    σ² as the mean of (x − μ)², because E[x²] − μ² is inaccurate if μ is large. Shapes:
    x and y (..., D), gamma and beta (D,).

    Source: Ba, Kiros and Hinton (2016); D1.16.3, D2.4, D3.6.
    """
    dtype = torch.promote_types(x.dtype, gamma.dtype)
    x = x.to(torch.promote_types(x.dtype, torch.float32))  # float16 squares overflow
    difference = x - x.mean(dim=-1, keepdim=True)
    variance = difference.square().mean(dim=-1, keepdim=True)  # (..., 1)
    y = gamma * difference / torch.sqrt(variance + eps)  # (..., D)
    return (y if beta is None else y + beta).to(dtype)


class LayerNorm(Part):
    """Apply `layer_norm` with a learned γ and, if `bias` is True, a learned β.

    Unless `record` or `patch` watches the model, PyTorch's kernel computes the same.

    Source: Ba, Kiros and Hinton (2016); D1.16.3, D2.4, D3.6.
    """

    @check_arguments
    def __init__(self, d_model: int, eps: float = 1e-5, bias: bool = True) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model)) if bias else None
        self.d_model = d_model
        self.eps = eps

    @check_arguments
    def forward(self, x: Tensor) -> Tensor:
        """Normalize each vector of x (..., D); the result is (..., D)."""
        if is_watched(self):
            return layer_norm(x, self.gamma, self.beta, self.eps)
        return torch.layer_norm(x, (self.d_model,), self.gamma, self.beta, self.eps)


class FeedForward(Part):
    """Expand each vector to d_ff features, apply an activation f, and project back.

        y = f(x W_1 + b_1) W_2 + b_2

    Every position is computed separately. f is "relu", "gelu" or "gelu_tanh", and
    `dropout` is the fraction of hidden features that are set to 0 in training.

    Source: Vaswani et al. (2017), §3.3; D1.16.4, D2.5, D3.7.
    """

    @check_arguments
    def __init__(
        self,
        d_model: int,
        d_ff: int,
        dropout: float = 0.0,
        activation: Activation = "relu",
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_ff, bias)
        self.W_2 = nn.Linear(d_ff, d_model, bias)
        glorot(self.W_1, self.W_2)
        self.d_model = d_model
        self.d_ff = d_ff
        self.dropout = dropout
        self.activation = activation

    @check_arguments
    def forward(self, x: Tensor) -> Tensor:
        """Apply the network to each vector of x (..., D); the result is (..., D)."""
        hidden = ACTIVATIONS[self.activation](self.W_1(x))  # (..., d_ff)
        hidden = hook_point(self, "hidden", hidden, x)
        y: Tensor = self.W_2(dropout(hidden, self.dropout, self.training))
        return y


class AddNorm(Part):
    """Wrap a sub-layer f in a residual connection and a layer norm.

        post-norm: norm(x + f(x))        pre-norm: x + f(norm(x))

    Source: Vaswani et al. (2017), §5.4; Xiong et al. (2020); D0.3.4, D1.16.3, D2.4.
    """

    @check_arguments
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.norm = LayerNorm(config.d_model, config.norm_eps, config.bias)
        self.norm_first = config.norm_first
        self.dropout = config.dropout
        self.kind = "pre-norm" if self.norm_first else "post-norm"  # as it is printed

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Apply the sub-layer, a function of (B, T, D), to x (B, T, D)."""
        y = sublayer(self.norm(x) if self.norm_first else x)
        total = x + dropout(y, self.dropout, self.training)
        total = hook_point(self, "sum", total, x, y)
        return total if self.norm_first else self.norm(total)


class EncoderBlock(Part):
    """Apply self-attention, then a feed-forward network, each inside Add & Norm.

    Source: Vaswani et al. (2017), §3.1; D0.2.1, D2.6, D3.8.
    """

    @check_arguments
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        c = config
        D = self.d_model = c.d_model
        H = self.n_heads = c.n_heads
        self.self_attention = MultiHeadAttention(D, H, c.dropout, c.bias)
        self.add_norm_1 = AddNorm(c)
        self.feed_forward = FeedForward(D, c.d_ff, c.dropout, c.activation, c.bias)
        self.add_norm_2 = AddNorm(c)

    @check_arguments
    def forward(self, x: Tensor, mask: Mask = None) -> Tensor:
        """Turn x (B, T, D) into (B, T, D).

        The mask is boolean and broadcasts to (B, H, T, S). Raise a TypeError or a
        ValueError if x or the mask has the wrong type or shape.
        """
        x = self.add_norm_1(x, lambda x: self.self_attention(x, x, mask))
        return self.add_norm_2(x, self.feed_forward)


class DecoderBlock(Part):
    """Apply self-attention, cross-attention and a feed-forward network, in this order.

    Each is inside Add & Norm. The memory of cross-attention is the encoder's output.

    Source: Vaswani et al. (2017), §3.1; D0.2.2, D2.7, D2.9, D2.10, D3.9.
    """

    @check_arguments
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        c = config
        D = self.d_model = c.d_model
        H = self.n_heads = c.n_heads
        self.self_attention = MultiHeadAttention(D, H, c.dropout, c.bias)
        self.add_norm_1 = AddNorm(c)
        self.cross_attention = MultiHeadAttention(D, H, c.dropout, c.bias)
        self.add_norm_2 = AddNorm(c)
        self.feed_forward = FeedForward(D, c.d_ff, c.dropout, c.activation, c.bias)
        self.add_norm_3 = AddNorm(c)

    @check_arguments
    def forward(
        self, x: Tensor, memory: Tensor, mask: Mask = None, memory_mask: Mask = None
    ) -> Tensor:
        """Turn x (B, T, D) into (B, T, D), given the memory (B, S, D).

        The mask broadcasts to (B, H, T, T), the memory mask to (B, H, T, S). Raise a
        TypeError or a ValueError if an input or a mask has the wrong type or shape.
        """
        x = self.add_norm_1(x, lambda x: self.self_attention(x, x, mask))
        x = self.add_norm_2(x, lambda x: self.cross_attention(x, memory, memory_mask))
        return self.add_norm_3(x, self.feed_forward)

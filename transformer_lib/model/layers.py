"""Feed-forward networks and residual connections, and the blocks made of them."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any, TypeVar

import torch.nn.functional as F
from torch import Tensor, nn

from ..checks.validation import check_arguments
from ..runtime.fast_attention import dropout
from ..runtime.module import Part, glorot
from ..runtime.recording import hook_point
from .attention import MultiHeadAttention
from .config import Activation, TransformerConfig
from .embedding import Rotation
from .masks import Mask
from .norms import new_norm

Layer = TypeVar("Layer", bound=Part)
ACTIVATIONS: dict[Activation, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
    "silu": F.silu,
}


class FeedForward(Part):
    """Expand each vector to d_ff features, apply an activation f, and project back.

        y = f(x W_1 + b_1) W_2 + b_2
        y = (f(x W_1 + b_1) ⊙ (x W_3 + b_3)) W_2 + b_2     if it is `gated`

    Every position is computed separately. f is "relu", "gelu", "gelu_tanh" or "silu",
    and `dropout` is the fraction of hidden features that are set to 0 in training.

    Source: Vaswani et al. (2017), §3.3; D1.16.4, D2.5, D3.7; Shazeer (2020), §2.
    """

    printed = "{0.d_model} → {0.d_ff} → {0.d_model}, {0.activation}"

    @check_arguments
    def __init__(
        self,
        d_model: int,
        d_ff: int,
        dropout: float = 0.0,
        activation: Activation = "relu",
        bias: bool = True,
        *,
        gated: bool = False,
    ) -> None:
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_ff, bias)
        self.W_2 = nn.Linear(d_ff, d_model, bias)
        glorot(self.W_1, self.W_2)
        self.W_3: nn.Linear | None = None
        if gated:
            self.W_3 = nn.Linear(d_model, d_ff, bias)
            glorot(self.W_3)
        self.d_model = d_model
        self.d_ff = d_ff
        self.dropout = dropout
        self.activation = activation

    @check_arguments
    def forward(self, x: Tensor) -> Tensor:
        """Apply the network to each vector of x (..., D); the result is (..., D)."""
        hidden = ACTIVATIONS[self.activation](self.W_1(x))  # (..., d_ff)
        if self.W_3 is not None:
            hidden = hook_point(self, "gate", hidden, x) * self.W_3(x)
        hidden = hook_point(self, "hidden", hidden, x)
        y: Tensor = self.W_2(dropout(hidden, self.dropout, self.training))
        return y


class AddNorm(Part):
    """Wrap a sub-layer f in a residual connection and a norm.

        post-norm: norm(x + f(x))        pre-norm: x + f(norm(x))

    Source: Vaswani et al. (2017), §5.4; Xiong et al. (2020); D0.3.4, D1.16.3, D2.4.
    """

    printed = "{0.kind}"

    @check_arguments
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.norm = new_norm(config)
        self.norm_first = config.norm_first
        self.dropout = config.dropout
        self.kind = "pre-norm" if self.norm_first else "post-norm"  # as it is printed

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Apply the sub-layer, a function of (B, T, D), to x (B, T, D)."""
        y = sublayer(self.norm(x) if self.norm_first else x)
        total = x + dropout(y, self.dropout, self.training)
        total = hook_point(self, "sum", total, x, y)
        return total if self.norm_first else self.norm(total)


def _layer(kind: type[Layer], config: TransformerConfig, **others: Any) -> Layer:
    """Build a layer by the options of a configuration that it takes; others win."""
    taken = signature(kind).parameters.keys() & vars(config).keys()
    return kind(**{name: getattr(config, name) for name in taken} | others)


def _self_attention(config: TransformerConfig) -> MultiHeadAttention:
    pairs = config.rotary_pairs if config.positions == "rotary" else None
    return _layer(MultiHeadAttention, config, rotary_pairs=pairs)


class EncoderBlock(Part):
    """Apply self-attention, then a feed-forward network, each inside Add & Norm.

    Source: Vaswani et al. (2017), §3.1; D0.2.1, D2.6, D3.8.
    """

    @check_arguments
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.d_model = config.d_model
        self.n_heads = config.n_heads
        self.self_attention = _self_attention(config)
        self.add_norm_1 = AddNorm(config)
        self.feed_forward = _layer(FeedForward, config)
        self.add_norm_2 = AddNorm(config)

    @check_arguments
    def forward(
        self, x: Tensor, mask: Mask = None, rotation: Rotation | None = None
    ) -> Tensor:
        """Turn x (B, T, D) into (B, T, D).

        The mask is boolean and broadcasts to (B, H, T, S). With rotary positions, the
        rotation is that of `apply_rotary`. Raise a TypeError or a ValueError if an
        argument is missing, or has the wrong type or shape.
        """
        # A module that replaces our attention need not know about rotations.
        given = (mask,) if rotation is None else (mask, rotation)
        x = self.add_norm_1(x, lambda x: self.self_attention(x, x, *given))
        return self.add_norm_2(x, self.feed_forward)


class DecoderBlock(Part):
    """Apply self-attention, cross-attention and a feed-forward network, in this order.

    Each is inside Add & Norm. The memory of cross-attention is the encoder's output.

    Source: Vaswani et al. (2017), §3.1; D0.2.2, D2.7, D2.9, D2.10, D3.9.
    """

    @check_arguments
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.d_model = config.d_model
        self.n_heads = config.n_heads
        self.self_attention = _self_attention(config)
        self.add_norm_1 = AddNorm(config)
        # Positions and a window say something within one sequence only.
        within = {"window": None, "rotary_pairs": None}
        self.cross_attention = _layer(MultiHeadAttention, config, **within)
        self.add_norm_2 = AddNorm(config)
        self.feed_forward = _layer(FeedForward, config)
        self.add_norm_3 = AddNorm(config)

    @check_arguments
    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Mask = None,
        memory_mask: Mask = None,
        rotation: Rotation | None = None,
    ) -> Tensor:
        """Turn x (B, T, D) into (B, T, D), given the memory (B, S, D).

        The mask broadcasts to (B, H, T, T), the memory mask to (B, H, T, S). Rotations
        and errors are as in `EncoderBlock.forward`.
        """
        given = (mask,) if rotation is None else (mask, rotation)
        x = self.add_norm_1(x, lambda x: self.self_attention(x, x, *given))
        x = self.add_norm_2(x, lambda x: self.cross_attention(x, memory, memory_mask))
        return self.add_norm_3(x, self.feed_forward)

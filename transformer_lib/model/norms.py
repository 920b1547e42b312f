"""Norms: scale each vector, so that its size carries no information.

Unless `record` or `patch` watches a model, its norms run PyTorch's kernels, which
compute the same as the functions do.
"""

import torch
from torch import Tensor, nn

from ..checks.validation import check_arguments
from ..runtime.module import Part
from ..runtime.recording import watchers_of
from .config import TransformerConfig


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
    """Apply `layer_norm` with a learned γ and, if `bias` is True, a learned β."""

    printed = "D = {0.d_model}, ε = {0.eps:g}"

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
        if watchers_of(self):
            return layer_norm(x, self.gamma, self.beta, self.eps)
        return torch.layer_norm(x, (self.d_model,), self.gamma, self.beta, self.eps)


def rms_norm(x: Tensor, gamma: Tensor, eps: float = 1e-5) -> Tensor:
    """Divide each vector by the root of its mean square, then scale it.

        y = γ x / √(mean(x²) + ε)

    It is layer norm without subtracting the mean and without β. Shapes: x and y
    (..., D), gamma (D,).

    Source: Zhang and Sennrich (2019), §4.
    """
    dtype = torch.promote_types(x.dtype, gamma.dtype)
    x = x.to(torch.promote_types(x.dtype, torch.float32))  # float16 squares overflow
    mean_square = x.square().mean(dim=-1, keepdim=True)  # (..., 1)
    return (gamma * x / torch.sqrt(mean_square + eps)).to(dtype)


class RMSNorm(Part):
    """Apply `rms_norm` with a learned γ."""

    printed = "D = {0.d_model}, ε = {0.eps:g}"

    @check_arguments
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.d_model = d_model
        self.eps = eps

    @check_arguments
    def forward(self, x: Tensor) -> Tensor:
        """Normalize each vector of x (..., D); the result is (..., D)."""
        if watchers_of(self):
            return rms_norm(x, self.gamma, self.eps)
        x = x.to(self.gamma.dtype)  # under autocast, x may be shorter
        return torch.rms_norm(x, (self.d_model,), self.gamma, self.eps)


Norm = LayerNorm | RMSNorm


def new_norm(config: TransformerConfig) -> Norm:
    """Build a norm of the kind that a configuration says."""
    if config.norm == "rms":
        return RMSNorm(config.d_model, config.norm_eps)
    return LayerNorm(config.d_model, config.norm_eps, config.bias)

"""LoRA: fine-tune a model by a few numbers beside its frozen matrices."""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lib.checks.validation import check_size, require


class LoRA(nn.Module):
    """Add a matrix of rank r to a linear layer, and train nothing but the addition.

        y = x Wᵀ + b + x Aᵀ Bᵀ

    W and b are frozen. B starts at 0, so at first the layer computes what it did.

    Args:
        linear: the layer with W (D_out, D_in).
        rank: r. A is (r, D_in) and B is (D_out, r): r · (D_in + D_out) numbers.

    Raises:
        TypeError, ValueError: rank is not in 1 … the smaller side of W.

    Source: Hu et al. (2022), §4.1.
    """

    def __init__(self, linear: nn.Linear, rank: int) -> None:
        super().__init__()
        D_out, D_in = linear.weight.shape
        check_size("rank", rank, most=min(D_out, D_in))
        self.linear = linear.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(rank, D_in) / math.sqrt(D_in))
        self.B = nn.Parameter(torch.zeros(D_out, rank))

    def forward(self, x: Tensor) -> Tensor:
        """Turn x (..., D_in) into (..., D_out)."""
        low = F.linear(x, self.A)  # (..., r)
        added: Tensor = self.linear(x) + F.linear(low, self.B)
        return added


def add_lora(
    model: nn.Module, rank: int, names: Sequence[str] = ("W_Q", "W_V")
) -> None:
    """Freeze a model, and put a `LoRA` in the place of some of its linear layers.

    Args:
        model: changed in place.
        rank: of each addition.
        names: of the layers.

    Raises:
        TypeError, ValueError: rank is not in 1 … the smaller side of a layer, or the
            model has no linear layer of one of the names.
    """
    linear = [
        (part, name, layer)
        for part in model.modules()
        for name in names
        if isinstance(layer := getattr(part, name, None), nn.Linear)
    ]
    missing = [name for name in names if name not in {own for _, own, _ in linear}]
    require(not missing, "names", "name linear layers of the model", missing)
    model.requires_grad_(False)
    for part, name, layer in linear:
        setattr(part, name, LoRA(layer, rank))


def trained_parameters(model: nn.Module) -> int:
    """Count the numbers that a training would change."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)

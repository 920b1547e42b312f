"""Flips of a fair coin: nobody can know the next one."""

import torch
from torch import Tensor

FLIPS = 8  # what a model reads; at each it says the next


def sequences(count: int, draw: torch.Generator) -> Tensor:
    """Draw sequences (count, FLIPS + 1) of flips, each 0 or 1."""
    return torch.randint(2, (count, FLIPS + 1), generator=draw)

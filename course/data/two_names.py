"""Who thanks whom: every sentence of two different names."""

from itertools import permutations

import torch
from torch import Tensor

NAMES = ("Ajish", "Mia", "Tom", "Ada", "Sam", "Eva")
EXAMPLE = ("Mia", "Tom")


def sentences() -> Tensor:
    """Return the ids (30, 2) of all pairs: who, and whom."""
    return torch.tensor(list(permutations(range(len(NAMES)), 2)))

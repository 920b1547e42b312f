"""Who thanks whom: a question that one head cannot answer and two can."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..data.two_names import EXAMPLE, NAMES, sentences
from ..models.asker import trained


@dataclass(frozen=True)
class TwoHeads:
    """What a layer came to, on every sentence of two names.

    Args:
        accuracy: the share of sentences with both names right.
        who: the share with the first name right.
        whom: the share with the second name right.
        weights: what each head looks at in EXAMPLE, (H, 2).
    """

    accuracy: float
    who: float
    whom: float
    weights: Tensor


def run(n_heads: int, *, steps: int, seed: int) -> TwoHeads:
    """Train one layer with so many heads on all sentences of two different names.

    All sentences are learned and asked alike, so what stays wrong was not forgotten
    or unseen: it cannot be said.

    Args:
        n_heads: H, which divides 16.
        steps: passes over all 30 sentences.
        seed: of the weights. From some, as from 0, two heads learn to look at the same
            name.

    Raises:
        TypeError, ValueError: the number of heads does not fit, or steps is below 1.

    Source: D1.15.2.
    """
    model, _ = trained(n_heads, steps=steps, seed=seed)
    ids = sentences()  # (30, 2)
    example = torch.tensor([[NAMES.index(name) for name in EXAMPLE]])  # (1, 2)
    with torch.no_grad():
        weights = model.look(example)[1][:, 0]  # (H, 2)
        right = model(ids).argmax(-1) == ids  # (30, 2)
    who, whom = right.float().mean(0).tolist()
    return TwoHeads(float(right.all(-1).float().mean()), who, whom, weights)

"""Who thanks whom: a question that one head cannot answer and two can."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..data.two_names import EXAMPLE, NAMES, sentences
from ..models.asker import trained


@dataclass(frozen=True)
class TwoHeads:
    """What one head and two heads came to, on every sentence of two names.

    Args:
        accuracy: for each number of heads, the share of sentences with both right.
        each: for each number of heads, the share with who right, and with whom right.
        losses: for each number of heads, the loss at every step.
        weights: for each number of heads, what each looks at in EXAMPLE, (H, 2).
        answers: for each number of heads, its (who, whom) for EXAMPLE and its swap.
    """

    accuracy: dict[int, float]
    each: dict[int, tuple[float, float]]
    losses: dict[int, list[float]]
    weights: dict[int, Tensor]
    answers: dict[int, tuple[tuple[str, str], tuple[str, str]]]


def run(
    n_heads: Sequence[int] = (1, 2), *, steps: int = 300, seed: int = 1
) -> TwoHeads:
    """Train one layer for each number of heads on all sentences of two different names.

    All sentences are learned and asked alike, so what stays wrong was not forgotten
    or unseen: it cannot be said.

    Args:
        n_heads: the numbers of heads to compare; each divides 16.
        steps: passes over all 30 sentences.
        seed: of the weights. From some, as from 0, two heads learn to look at the same
            name.

    Returns:
        accuracies, losses, and the weights on the example.

    Raises:
        TypeError, ValueError: a number of heads does not fit, or steps is below 1.

    Source: D1.15.2.
    """
    ids = sentences()  # (30, 2)
    example = torch.tensor([[NAMES.index(name) for name in EXAMPLE]])  # (1, 2)
    result = TwoHeads({}, {}, {}, {}, {})
    for H in n_heads:
        model, result.losses[H] = trained(H, steps=steps, seed=seed)
        with torch.no_grad():
            looked = model.look(example)[1][:, 0]  # (H, 2)
            right = model(ids).argmax(-1) == ids  # (30, 2)
            swap = torch.cat([example, example.flip(1)])  # (2, 2)
            said = [tuple(NAMES[i] for i in row) for row in model(swap).argmax(-1)]
        result.accuracy[H] = float(right.all(-1).float().mean())
        who, whom = right.float().mean(0).tolist()
        result.each[H] = who, whom
        result.weights[H] = looked
        result.answers[H] = ((said[0][0], said[0][1]), (said[1][0], said[1][1]))
    return result

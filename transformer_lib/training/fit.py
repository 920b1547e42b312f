"""Training: draw a batch, measure the loss, step down its slope; again."""

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import Tensor, nn

from ..checks.validation import check_number, check_size

Batch = TypeVar("Batch")


def fit(
    model: nn.Module,
    batch: Callable[[torch.Generator], Batch],
    loss: Callable[[Batch], Tensor],
    steps: int,
    *,
    lr: float = 3e-3,
    seed: int = 0,
    watch: Callable[[int, float], None] | None = None,
) -> list[float]:
    """Repeat: draw a batch, measure the loss, let Adam step down its slope.

        θ ← θ − lr · Adam(∂ loss(batch) / ∂θ)

    The batches come from a generator of their own, so the same seed draws the same
    ones whatever else is drawn. The model trains in training mode and is left in
    evaluation mode, also when something is raised on the way.

    Args:
        model: whose parameters θ move.
        batch: draws a batch with the generator it is given.
        loss: measures the model on a batch; a scalar.
        steps: how many batches.
        lr: the learning rate, η.
        seed: of the generator of batches.
        watch: hears each step's number, from 0, and its loss.

    Returns:
        the loss of every step, before that step's change.

    Raises:
        TypeError, ValueError: steps is no integer or below 1, or lr not above 0.
        FloatingPointError: the loss is no longer finite.

    Source: Kingma and Ba (2015), algorithm 1.
    """
    check_size("steps", steps)
    check_number("lr", lr, 0, above=True)
    adam = torch.optim.Adam(model.parameters(), lr)
    draw = torch.Generator().manual_seed(seed)
    model.train()
    try:
        return [_step(n, adam, loss(batch(draw)), watch) for n in range(steps)]
    finally:
        model.eval()


def _step(
    n: int,
    adam: torch.optim.Optimizer,
    loss: Tensor,
    watch: Callable[[int, float], None] | None,
) -> float:
    value = loss.item()
    if not torch.isfinite(loss):
        raise FloatingPointError(f"loss must stay finite, got {value} at step {n}")
    adam.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    adam.step()
    if watch is not None:
        watch(n, value)
    return value

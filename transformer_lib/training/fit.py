"""Training: draw a batch, measure the loss, step down its slope; again."""

from collections.abc import Callable, Iterator
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
) -> list[float]:
    """Take all the steps of `fit_steps`, which says what they are, one after another.

    Returns:
        the loss of every step, before that step's change.
    """
    return list(fit_steps(model, batch, loss, steps, lr=lr, seed=seed))


def fit_steps(
    model: nn.Module,
    batch: Callable[[torch.Generator], Batch],
    loss: Callable[[Batch], Tensor],
    steps: int,
    *,
    lr: float = 3e-3,
    seed: int = 0,
) -> Iterator[float]:
    """Repeat: draw a batch, measure the loss, let Adam step down its slope.

        θ ← θ − lr · Adam(∂ loss(batch) / ∂θ)

    A step is taken when its loss is asked for: whoever asks may do something else
    between two steps, or stop. The batches come from a generator of their own, so the
    same seed draws the same ones whatever else is drawn. The model trains in training
    mode; before the first step, between steps and after the last, also when something
    is raised on the way, it is in evaluation mode.

    Args:
        model: whose parameters θ move.
        batch: draws a batch with the generator it is given.
        loss: measures the model on a batch; a scalar.
        steps: how many batches.
        lr: the learning rate, η.
        seed: of the generator of batches.

    Returns:
        one after another, the loss of every step, before that step's change.

    Raises:
        TypeError, ValueError: steps is no integer or below 1, or lr not above 0.
        FloatingPointError: the loss is no longer finite.

    Source: Kingma and Ba (2015), algorithm 1.
    """
    check_size("steps", steps)
    check_number("lr", lr, 0, above=True)
    adam = torch.optim.Adam(model.parameters(), lr)
    draw = torch.Generator().manual_seed(seed)
    model.eval()

    def step(n: int) -> float:
        model.train()
        try:
            return _step(n, adam, loss(batch(draw)))
        finally:
            model.eval()

    return map(step, range(steps))


def _step(n: int, adam: torch.optim.Optimizer, loss: Tensor) -> float:
    value = loss.item()
    if not torch.isfinite(loss):
        raise FloatingPointError(f"loss must stay finite, got {value} at step {n}")
    adam.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    adam.step()
    return value

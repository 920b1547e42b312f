"""Training: draw a batch, measure the loss, step down its slope; again."""

import math
from collections.abc import Callable, Iterator
from typing import TypeVar

import torch
from torch import Tensor, nn

from ..checks.validation import (
    check_function,
    check_number,
    check_size,
    check_type,
    require,
)
from ..runtime.seed import check_seed

Batch = TypeVar("Batch")
Rate = float | Callable[[int], float]


def fit(
    model: nn.Module,
    batch: Callable[[torch.Generator], Batch],
    loss: Callable[[Batch], Tensor],
    steps: int,
    *,
    lr: Rate = 3e-3,
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
    lr: Rate = 3e-3,
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
        lr: the learning rate, η; or a function that gives it for step 0, 1, ….
        seed: of the generator of batches, 0 to 2⁶⁴ − 1.

    Returns:
        one after another, the loss of every step, before that step's change.

    Raises:
        TypeError: model is no module, steps or seed no integer, batch or loss no
            function of what it is given, or what loss gives no tensor; or lr is no
            number, or gives none.
        ValueError: model has nothing to learn, steps is below 1, lr not above 0, seed
            below 0 or too large; or the loss is no scalar, or has no gradient for any
            parameter of the model; or gradients are off, or there is no other batch.
        FloatingPointError: the loss, or its gradient, is no longer finite; then the
            model is as it was before that step.

    Source: Kingma and Ba (2015), algorithm 1.
    """
    check_type("model", model, nn.Module)
    check_function("batch", batch, "a generator")
    check_function("loss", loss, "a batch")
    check_size("steps", steps)
    if callable(lr):
        check_function("lr", lr, "a step")
    else:
        check_number("lr", lr, 0, above=True)
    check_seed(seed)
    learned = [p for p in model.parameters() if p.requires_grad]
    require(bool(learned), "model", "have parameters to learn", "none")
    adam = torch.optim.Adam(learned)
    draw = torch.Generator().manual_seed(seed)
    model.eval()

    def step(n: int) -> float:
        on = torch.is_grad_enabled()
        require(on, "gradients", "be on while a model learns", "them off")
        rate = lr(n) if callable(lr) else lr
        check_number(f"lr of step {n}", rate, 0, above=True)
        adam.param_groups[0]["lr"] = rate
        model.train()
        try:
            return _step(n, adam, loss(batch(draw)))
        except StopIteration:
            raise ValueError(f"batch must draw one for step {n}, got its end") from None
        finally:
            model.eval()

    return (step(n) for n in range(steps))  # none is left after one that fails


def _step(n: int, adam: torch.optim.Optimizer, loss: Tensor) -> float:
    value = _value(loss, n)
    adam.zero_grad()
    if loss.requires_grad:
        loss.backward()  # type: ignore[no-untyped-call]
    learned = adam.param_groups[0]["params"]
    reached = any(p.grad is not None for p in learned)
    wanted = "depend on the model's parameters"
    require(reached, "loss", wanted, "one with no gradient for any of them")
    gradients = [p.grad for p in learned if p.grad is not None]
    size = nn.utils.get_total_norm(gradients).item()
    if not math.isfinite(size):
        raise FloatingPointError(f"gradient must stay finite, got {size} at step {n}")
    adam.step()
    return value


def _value(loss: Tensor, n: int) -> float:
    """The number that a loss is, if it is one that can be followed down."""
    is_tensor = isinstance(loss, Tensor)
    require(is_tensor, "loss", "give a torch.Tensor", repr(loss), TypeError)
    real = loss.dim() == 0 and loss.is_floating_point()
    got = f"shape {tuple(loss.shape)} of {loss.dtype}"
    require(real, "loss", "be a real scalar", got)
    value = loss.item()
    if not math.isfinite(value):
        raise FloatingPointError(f"loss must stay finite, got {value} at step {n}")
    return value

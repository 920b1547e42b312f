"""Training: draw a batch, measure the loss, step down its slope; again."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

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
from . import keeping
from .processes import bare, mean_of_all, share, together

Batch = TypeVar("Batch")
Rate = float | Callable[[int], float]


def fit(
    model: nn.Module,
    batch: Callable[[torch.Generator], Batch],
    loss: Callable[[Batch], Tensor],
    steps: int,
    *,
    lr: Rate = 3e-3,
    beta2: float = 0.999,
    clip: float | None = None,
    seed: int = 0,
) -> list[float]:
    """Take all the steps of `fit_steps`, which says what they are, one after another.

    Returns:
        the loss of every step, before that step's change.
    """
    how: dict[str, Any] = {"lr": lr, "beta2": beta2, "clip": clip, "seed": seed}
    return list(fit_steps(model, batch, loss, steps, **how))


def fit_steps(
    model: nn.Module,
    batch: Callable[[torch.Generator], Batch],
    loss: Callable[[Batch], Tensor],
    steps: int,
    *,
    lr: Rate = 3e-3,
    beta2: float = 0.999,
    clip: float | None = None,
    seed: int = 0,
) -> "Training":
    """Repeat: draw a batch, measure the loss, let Adam step down its slope.

        θ ← θ − lr · Adam(g),   g = ∂ loss(batch) / ∂θ, no longer than `clip`

    A step is taken when its loss is asked for: whoever asks may do something else
    between two steps, or stop. The batches come from a generator of their own, so the
    same seed draws the same ones whatever else is drawn, and are moved to where the
    model is. The model trains in training mode; before the first step, between steps
    and after the last, also when something is raised on the way, it is in evaluation
    mode.

    Wrapped by `processes.across`, it is trained by several processes: each draws the
    whole batch, and measures its own rows.

    Args:
        model: whose parameters θ move.
        batch: draws a batch with the generator it is given.
        loss: measures the model on a batch; a scalar.
        steps: how many batches.
        lr: the learning rate, η; or a function that gives it for step 0, 1, ….
        beta2: β₂, how slowly Adam forgets how large gradients were.
        clip: the most that the gradient of all parameters together may measure, in
            length; a longer one is scaled down.
        seed: of the generator of batches, 0 to 2⁶⁴ − 1.

    Returns:
        one after another, the loss of every step, before that step's change.

    Raises:
        TypeError: model is no module, steps or seed no integer, batch or loss no
            function of what it is given, or what loss gives no tensor; or lr, beta2 or
            clip is no number, or lr gives none.
        ValueError: model has nothing to learn, steps is below 1, lr or clip not above
            0, beta2 not in [0, 1), seed below 0 or too large; or the loss is no scalar,
            or has no gradient for any parameter of the model; or gradients are off, or
            there is no other batch.
        FloatingPointError: the loss, or its gradient, is no longer finite; then the
            model is as it was before that step.

    Source: Kingma and Ba (2015), algorithm 1; Pascanu et al. (2013), algorithm 1, for
        the clipping.
    """
    check_type("model", model, nn.Module)
    check_function("batch", batch, "a generator")
    check_function("loss", loss, "a batch")
    check_size("steps", steps)
    if callable(lr):
        check_function("lr", lr, "a step")
    else:
        check_number("lr", lr, 0, above=True)
    check_number("beta2", beta2, 0, 1)
    require(beta2 < 1, "beta2", "be below 1", beta2)
    if clip is not None:
        check_number("clip", clip, 0, above=True)
    check_seed(seed)
    learned = [p for p in model.parameters() if p.requires_grad]
    require(bool(learned), "model", "have parameters to learn", "none")
    adam = torch.optim.Adam(learned, betas=(0.9, beta2), foreach=True)  # in one call
    draw = torch.Generator().manual_seed(seed)

    def measure() -> Tensor:
        return loss(share(batch(draw), learned[0].device))

    return Training(model, measure, adam, draw, steps, lr=lr, clip=clip)


class Training(Iterator[float]):
    """The steps of `fit_steps`, which makes it: each is taken when it is asked for.

    `len` counts those that are left; after one that fails there is none.

    Attributes:
        model: what learns.
        taken: how many steps were taken.
    """

    def __init__(
        self,
        model: nn.Module,
        measure: Callable[[], Tensor],
        adam: torch.optim.Optimizer,
        draw: torch.Generator,
        steps: int,
        *,
        lr: Rate,
        clip: float | None,
    ) -> None:
        self.model = model.eval()
        self.taken = 0
        self._measure = measure
        self._adam = adam
        self._draw = draw
        self._steps = steps
        self._lr = lr
        self._clip = clip
        self._failed = False

    def __len__(self) -> int:
        return 0 if self._failed else self._steps - self.taken

    def __next__(self) -> float:
        if not len(self):
            raise StopIteration
        self._failed = True  # unless it comes to its end
        value = self._step(self.taken)
        self._failed = False
        self.taken += 1
        return value

    def save(self, path: Path | str) -> None:
        """Write all that the next steps depend on, as safetensors.

        These are the model, Adam's memory, and where the generators stand: that of the
        batches, and torch's own, which draws dropout. Of several processes the first
        one writes, its own.

        Raises:
            TypeError: path is neither a Path nor a string.
        """
        keeping.save(path, bare(self.model), self._adam, self._draw, self.taken)

    def resume(self, path: Path | str) -> None:
        """Go on from where another training was when it was saved: as if it were it.

        The steps that follow are those that it would have taken, to the bit, if both
        were begun with the same arguments. torch's own generator is set, too.

        Raises:
            TypeError: path is neither a Path nor a string.
            FileNotFoundError: there is no such file.
            ValueError: the file is broken, or holds no training, one of another model
                or one that has taken more steps than there are here. Then all is as it
                was before.
        """
        taken = keeping.load(
            path, bare(self.model), self._adam, self._draw, self._steps
        )
        self.taken = taken
        self._failed = False

    def _step(self, n: int) -> float:
        on = torch.is_grad_enabled()
        require(on, "gradients", "be on while a model learns", "them off")
        rate = self._lr(n) if callable(self._lr) else self._lr
        check_number(f"lr of step {n}", rate, 0, above=True)
        self._adam.param_groups[0]["lr"] = rate
        self.model.train()
        try:
            with together(self.model):
                return self._follow(n, self._measure())
        except StopIteration:
            raise ValueError(f"batch must draw one for step {n}, got its end") from None
        finally:
            self.model.eval()

    def _follow(self, n: int, loss: Tensor) -> float:
        """Let Adam step down the slope of a loss, and give what it was."""
        value = _value(loss, n)
        self._adam.zero_grad()
        if loss.requires_grad:
            loss.backward()  # type: ignore[no-untyped-call]
        learned = self._adam.param_groups[0]["params"]
        reached = [p for p in learned if p.grad is not None]
        wanted = "depend on the model's parameters"
        require(bool(reached), "loss", wanted, "one with no gradient for any of them")
        size = nn.utils.get_total_norm([p.grad for p in reached])
        if not math.isfinite(size.item()):
            got = f"{size.item()} at step {n}"
            raise FloatingPointError(f"gradient must stay finite, got {got}")
        if self._clip is not None:
            nn.utils.clip_grads_with_norm_(reached, self._clip, size)
        self._adam.step()
        return value


def _value(loss: Tensor, n: int) -> float:
    """The number that a loss is, if it is one that can be followed down."""
    if not isinstance(loss, Tensor):  # to write a tensor takes long
        raise TypeError(f"loss must give a torch.Tensor, got {loss!r}")
    real = loss.dim() == 0 and loss.is_floating_point()
    got = f"shape {tuple(loss.shape)} of {loss.dtype}"
    require(real, "loss", "be a real scalar", got)
    value = mean_of_all(loss).item()
    if not math.isfinite(value):
        raise FloatingPointError(f"loss must stay finite, got {value} at step {n}")
    return value

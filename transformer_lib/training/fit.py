"""The training loop, and learning rates: how large each of its steps is."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from ..checkpoints.files import Provenance, read_weights, reading, write_weights
from ..checks.validation import (
    brief,
    check_arguments,
    check_function,
    check_number,
    require,
)
from . import processes

Batch = TypeVar("Batch")
Tensors = dict[str, Tensor]
Rate = float | Callable[[int], float]


@check_arguments
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
    """Repeat: draw a batch, compute the loss, take a step of Adam.

        θ ← θ − lr · Adam(g),   g = ∂ loss(batch) / ∂θ, no longer than `clip`

    A step is taken when its loss is requested, so you can do something else between two
    steps, or stop; `list` takes them all. The batches have a generator of their own, so
    the same seed draws the same batches whatever else is drawn; they are moved to the
    model's device. The model is in training mode during a step, and in evaluation mode
    otherwise, even after an error.

    If `processes.across` has wrapped the model, several processes train it: each draws
    the whole batch and computes the loss of its own rows.

    Args:
        model: whose parameters θ are trained.
        batch: draws a batch with the generator it is given.
        loss: computes the loss of the model on a batch, a scalar.
        steps: how many batches.
        lr: the learning rate, η; or a function that returns it for step 0, 1, ….
        beta2: β₂, the decay rate of Adam's average of squared gradients.
        clip: the largest norm of the gradient of all parameters together; a longer
            gradient is scaled down to it.
        seed: of the generator of batches, 0 to 2⁶⁴ − 1; see `derive_seed`.

    Returns:
        an iterator over the loss of every step, before that step's change.

    Raises:
        TypeError: an argument is of the wrong type, batch or loss is not a function of
            one argument, loss does not return a tensor, or lr a number.
        ValueError: model has no parameters to train, steps is below 1, lr or clip is
            not above 0, or beta2 is not in [0, 1); or the loss is not a scalar, or has
            no gradient; or gradients are off, or there is no next batch.
        FloatingPointError: the loss or its gradient is not finite. The model is then as
            it was before that step.

    Source: Kingma and Ba (2015), algorithm 1; Pascanu et al. (2013), algorithm 1, for
        the clipping.
    """
    check_function("batch", batch, "a generator")
    check_function("loss", loss, "a batch")
    if callable(lr):
        check_function("lr", lr, "a step")
    else:
        check_number("lr", lr, 0, above=True)
    require(beta2 < 1, "beta2", "be below 1", beta2)
    learned = [p for p in model.parameters() if p.requires_grad]
    require(bool(learned), "model", "have parameters to learn", "none")
    adam = torch.optim.Adam(learned, betas=(0.9, beta2), foreach=True)  # in one call
    draw = torch.Generator().manual_seed(seed)

    def measure() -> Tensor:
        return loss(processes.share(batch(draw), learned[0].device))

    rate = lr if callable(lr) else lambda n: lr
    how = {"lr": rate, "beta2": beta2, "clip": clip, "seed": seed}
    return Training(model.eval(), measure, adam, draw, steps, how)


@dataclass(eq=False, repr=False)
class Training(Iterator[float]):
    """The steps of `fit_steps`, each taken when its loss is requested.

    `len` counts the steps that are left. If a step is interrupted, its batch is lost,
    and the next request raises a RuntimeError.

    Attributes:
        model: the model that is trained.
        taken: how many steps were taken.
    """

    model: nn.Module
    _measure: Callable[[], Tensor]
    _adam: torch.optim.Optimizer
    _draw: torch.Generator
    _steps: int
    _how: Mapping[str, Any]
    taken: int = 0
    _broken: bool = False

    def __len__(self) -> int:
        return self._steps - self.taken

    def __next__(self) -> float:
        if not len(self):
            raise StopIteration
        if self._broken:
            cure = "resume a saved state, or begin another training"
            raise RuntimeError(f"step {self.taken} was not completed: {cure}")
        self._broken = True  # unless it is completed
        value = self._step(self.taken)
        self._broken = False
        self.taken += 1
        return value

    def save(self, path: Path | str) -> None:
        """Write all that the next steps depend on, as safetensors.

        These are the model, Adam's averages, and the states of the generator of batches
        and of torch's own generator, which draws dropout. If several processes train
        the model, all of them call this, and the first one writes. Raise a TypeError if
        path is neither a Path nor a string.
        """
        with processes.together(self.model):
            tensors, taken = self._tensors(), {"training": self.taken}
            if processes.is_first():
                write_weights(tensors, path, taken, self._provenance())
            processes.wait_for_all()  # so that each process can read the file

    def resume(self, path: Path | str) -> None:
        """Continue from where another training was when it was saved.

        If batch and loss are the same too, the next steps are exactly those that it
        would have taken. torch's own generator is set in each process.

        Raises:
            TypeError: path is neither a Path nor a string.
            FileNotFoundError: there is no such file.
            ValueError: the file is broken, or holds no training with the same learning
                rates, β₂, clipping, seed, number of steps, configuration, trained
                parameters and number of processes. Then nothing has changed.
        """
        with processes.together(self.model):
            tensors, made, _ = read_weights(path, self._provenance())
            ours, theirs = _shapes(self._tensors()), _shapes(tensors)
            with reading(path):
                taken = made.get("training")
                whole = isinstance(taken, int) and 0 <= taken <= self._steps
                wanted = f"be 0 to {self._steps} steps"
                require(whole, "training", wanted, brief(taken))
                for name in ours | theirs:
                    wanted, got = (x.get(name, "nothing") for x in (ours, theirs))
                    require(wanted == got, name, f"be {wanted}", got)
            processes.bare(self.model).load_state_dict(_of("model", tensors))
            names = self._trained().values()
            memory = {n: _of(f"adam.{name}", tensors) for n, name in enumerate(names)}
            groups = self._adam.state_dict()["param_groups"]
            self._adam.load_state_dict({"state": memory, "param_groups": groups})
            self._draw.set_state(tensors["batches"])
            torch.set_rng_state(processes.own(tensors["chance"]))
            if "chance there" in tensors:
                self._device().set_rng_state(processes.own(tensors["chance there"]))
        self.taken, self._broken = int(made["training"]), False

    def _provenance(self) -> Provenance:
        """Return all settings of this training that a file can hold."""
        config = getattr(processes.bare(self.model), "config", None)
        recipe = {
            **self._how,
            "lr": [self._how["lr"](n) for n in range(self._steps)],
            "config": config if is_dataclass(config) else None,
            "trained": [*self._trained().values()],
            "processes": processes.count(),
        }
        return Provenance(recipe=recipe, steps=self._steps)

    def _tensors(self) -> Tensors:
        """Return the weights, Adam's averages and the generators' states, by name."""
        model = processes.bare(self.model)
        tensors = {f"model.{n}": x for n, x in model.state_dict().items()}
        for p, name in self._trained().items():
            memory = self._adam.state.get(p) or _at_first(p)
            tensors |= {f"adam.{name}.{what}": x for what, x in memory.items()}
        tensors["batches"] = self._draw.get_state()
        tensors["chance"] = processes.of_all(torch.get_rng_state())
        if next(model.parameters()).device.type != "cpu":
            tensors["chance there"] = processes.of_all(self._device().get_rng_state())
        return {name: x.contiguous() for name, x in tensors.items()}

    def _trained(self) -> dict[Tensor, str]:
        """Return the parameters that Adam changes, in its order, with their names."""
        trained = {*self._adam.param_groups[0]["params"]}
        model = processes.bare(self.model)
        return {p: name for name, p in model.named_parameters() if p in trained}

    def _device(self) -> Any:
        return torch.get_device_module(next(self.model.parameters()).device)

    def _step(self, n: int) -> float:
        on = torch.is_grad_enabled()
        require(on, "gradients", "be on while a model is trained", "them off")
        rate = self._how["lr"](n)
        check_number(f"lr of step {n}", rate, 0, above=True)
        self._adam.param_groups[0]["lr"] = rate
        self.model.train()
        try:
            with processes.together(self.model):
                return self._follow(n, self._measure())
        except StopIteration:
            raise ValueError(f"batch must draw one for step {n}, got its end") from None
        finally:
            self.model.eval()

    def _follow(self, n: int, loss: Tensor) -> float:
        """Take a step of Adam that decreases the loss, and return what it was."""
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
        if self._how["clip"] is not None:
            nn.utils.clip_grads_with_norm_(reached, self._how["clip"], size)
        self._adam.step()
        return value


def _value(loss: Tensor, n: int) -> float:
    """Return the loss as a number, if it is a finite scalar."""
    if not isinstance(loss, Tensor):
        raise TypeError(f"loss must give a torch.Tensor, got {loss!r}")
    scalar = loss.dim() == 0 and loss.is_floating_point()
    got = f"shape {tuple(loss.shape)} of {loss.dtype}"
    require(scalar, "loss", "be a floating-point scalar", got)
    value = processes.mean_of_all(loss).item()
    if not math.isfinite(value):
        raise FloatingPointError(f"loss must stay finite, got {value} at step {n}")
    return value


def _at_first(p: Tensor) -> Tensors:
    """Return Adam's averages for a parameter before its first step."""
    zeros = torch.zeros_like(p)
    return {"step": torch.zeros(()), "exp_avg": zeros, "exp_avg_sq": zeros.clone()}


def _of(name: str, tensors: Tensors) -> Tensors:
    start = f"{name}."
    return {n.removeprefix(start): x for n, x in tensors.items() if n.startswith(start)}


def _shapes(tensors: Tensors) -> dict[str, str]:
    return {name: f"{tuple(x.shape)} of {x.dtype}" for name, x in tensors.items()}


@check_arguments
def linear_warmup_decay(peak: float, warmup: int, steps: int) -> Callable[[int], float]:
    """Increase the learning rate linearly to its peak, then decrease it towards 0.

        η(n) = peak · min((n + 1) / warmup, (steps − n) / (steps − warmup))

    Args:
        peak: the largest rate.
        warmup: for how many steps the rate increases; 0 for none.
        steps: the number of steps in all. None of them has a rate of 0.

    Returns:
        the rate of step n, from 0 to steps − 1.

    Raises:
        TypeError, ValueError: peak is not above 0, warmup is below 0, or no step is
            left after the warm-up.

    Source: Devlin et al. (2019), appendix A.2.
    """
    require(warmup < steps, "warmup", f"be below the {steps} steps", warmup)

    def rate(n: int) -> float:
        rising = (n + 1) / max(warmup, 1)
        falling = (steps - n) / (steps - warmup)
        return peak * min(rising, falling)

    return rate

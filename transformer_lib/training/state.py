"""The state of a training in a file: all that its next steps depend on."""

from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from ..checkpoints.files import read_weights, reading, write_weights
from ..checkpoints.provenance import Provenance
from ..checks.validation import brief, require
from .processes import is_first, of_all, own, wait_for_all

Tensors = dict[str, Tensor]


class State(NamedTuple):
    """What changes from step to step: a model, its Adam, and its batches' generator."""

    model: nn.Module
    adam: torch.optim.Optimizer
    draw: torch.Generator

    def save(self, path: Path | str, provenance: Provenance, taken: int) -> None:
        """Write the state of a training after the steps that were taken."""
        tensors = self._tensors()
        if is_first():
            write_weights(tensors, path, {"training": taken}, provenance)
        wait_for_all()  # so that each process can read the file

    def load(self, path: Path | str, expected: Provenance) -> int:
        """Restore the state of a training, and return how many steps it had taken.

        Raise a ValueError, before anything is changed, if the file is broken or holds
        no training with these settings.
        """
        tensors, made, _ = read_weights(path, expected)
        with reading(path):
            taken = made.get("training")
            most = expected.steps or 0
            whole = isinstance(taken, int) and 0 <= taken <= most
            require(whole, "training", f"be 0 to {most} steps", brief(taken))
            ours, theirs = _shapes(self._tensors()), _shapes(tensors)
            for name in ours | theirs:
                wanted, got = (x.get(name, "nothing") for x in (ours, theirs))
                require(wanted == got, name, f"be {wanted}", got)
        self.model.load_state_dict(_of("model", tensors))
        names = self._trained().values()
        memory = {n: _of(f"adam.{name}", tensors) for n, name in enumerate(names)}
        groups = self.adam.state_dict()["param_groups"]
        self.adam.load_state_dict({"state": memory, "param_groups": groups})
        self.draw.set_state(tensors["batches"])
        torch.set_rng_state(own(tensors["chance"]))
        if "chance there" in tensors:
            self._device().set_rng_state(own(tensors["chance there"]))
        return int(made["training"])

    def _tensors(self) -> Tensors:
        """Return the weights, Adam's averages and the generators' states, by name."""
        tensors = {f"model.{n}": x for n, x in self.model.state_dict().items()}
        for p, name in self._trained().items():
            memory = self.adam.state.get(p) or _at_first(p)
            tensors |= {f"adam.{name}.{what}": x for what, x in memory.items()}
        tensors["batches"] = self.draw.get_state()
        tensors["chance"] = of_all(torch.get_rng_state())
        if next(self.model.parameters()).device.type != "cpu":
            tensors["chance there"] = of_all(self._device().get_rng_state())
        return {name: x.contiguous() for name, x in tensors.items()}

    def _trained(self) -> dict[Tensor, str]:
        """Return the parameters that Adam changes, in its order, with their names."""
        trained = {*self.adam.param_groups[0]["params"]}
        return {p: n for n, p in self.model.named_parameters() if p in trained}

    def _device(self) -> Any:
        return torch.get_device_module(next(self.model.parameters()).device)


def _at_first(p: Tensor) -> Tensors:
    """Return Adam's averages for a parameter before its first step."""
    zeros = torch.zeros_like(p)
    return {"step": torch.zeros(()), "exp_avg": zeros, "exp_avg_sq": zeros.clone()}


def _of(room: str, tensors: Tensors) -> Tensors:
    start = f"{room}."
    return {n.removeprefix(start): x for n, x in tensors.items() if n.startswith(start)}


def _shapes(tensors: Tensors) -> dict[str, str]:
    return {name: f"{tuple(x.shape)} of {x.dtype}" for name, x in tensors.items()}

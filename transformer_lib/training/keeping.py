"""A training in a file: what its next steps depend on, written and read again."""

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from ..checkpoints.files import read_weights, reading, write_weights
from ..checks.validation import brief, require
from .processes import is_first

Tensors = dict[str, Tensor]
REMEMBERED = {"step", "exp_avg", "exp_avg_sq"}  # by Adam, of each parameter
BATCHES, CHANCE, CHANCE_THERE = "batches", "chance", "chance there"


def save(
    path: Path | str,
    model: nn.Module,
    adam: torch.optim.Optimizer,
    draw: torch.Generator,
    taken: int,
) -> None:
    """Write where a training stands after the steps that were taken."""
    memory = {
        f"{n}.{name}": x
        for n, of in adam.state_dict()["state"].items()
        for name, x in of.items()
    }
    tensors = _under("model", model.state_dict()) | _under("adam", memory)
    if is_first():
        tensors |= {BATCHES: draw.get_state()} | _chance(model)
        write_weights(tensors, path, {"training": taken})


def load(
    path: Path | str,
    model: nn.Module,
    adam: torch.optim.Optimizer,
    draw: torch.Generator,
    steps: int,
) -> int:
    """Bring a model, its Adam and the generators to where a training stood.

    Returns:
        how many steps it had taken.

    Raises:
        ValueError: the file is broken, or of no training that can go on here; then
            nothing was changed.
    """
    tensors, made, _ = read_weights(path)
    with reading(path):
        taken = made.get("training")
        if not isinstance(taken, int):
            wanted = "it must say how many steps a training has taken"
            raise ValueError(f"{wanted}, got {brief(taken)}")
        most = f"have taken at most the {steps} steps"
        require(0 <= taken <= steps, "its training", most, taken)
        weights = _of("model", tensors)
        same = _shapes(weights) == _shapes(model.state_dict())
        require(same, "its weights", "be those of this model", "others")
        memory = _memory(_of("adam", tensors), adam)
        states = {BATCHES: draw.get_state()} | _chance(model)
        for name, x in states.items():
            own = tensors.get(name, x[:0])
            require(_like(own, x), name, "be a generator's state", tuple(own.shape))
        model.load_state_dict(weights)
        groups = adam.state_dict()["param_groups"]
        adam.load_state_dict({"state": memory, "param_groups": groups})
        draw.set_state(tensors[BATCHES])
        torch.set_rng_state(tensors[CHANCE])
        if CHANCE_THERE in states:
            there = next(model.parameters()).device
            torch.get_device_module(there).set_rng_state(tensors[CHANCE_THERE])
    return taken


def _chance(model: nn.Module) -> Tensors:
    """Where torch's generators stand: the CPU's, and that of the model's device."""
    there = next(model.parameters()).device
    states = {CHANCE: torch.get_rng_state()}
    if there.type != "cpu":
        states[CHANCE_THERE] = torch.get_device_module(there).get_rng_state()
    return states


def _memory(tensors: Tensors, adam: torch.optim.Optimizer) -> dict[int, Tensors]:
    """Sort Adam's memory by its parameters; raise a ValueError if it is not of them."""
    learned = adam.param_groups[0]["params"]
    memory: dict[int, Tensors] = {}
    for name, x in tensors.items():
        n, _, what = name.partition(".")
        fits = n.isdecimal() and int(n) < len(learned)
        fits = fits and x.shape in ((), learned[int(n)].shape)
        require(fits, "Adam's memory", "be of this model", name)
        memory.setdefault(int(n), {})[what] = x
    for place, own in memory.items():
        wanted = f"hold {sorted(REMEMBERED)} of each parameter"
        require(
            own.keys() == REMEMBERED, "Adam's memory", wanted, f"{[*own]} of {place}"
        )
    return memory


def _under(room: str, tensors: Mapping[str, Tensor]) -> Tensors:
    return {f"{room}.{name}": x.contiguous() for name, x in tensors.items()}


def _of(room: str, tensors: Tensors) -> Tensors:
    start = f"{room}."
    return {n.removeprefix(start): x for n, x in tensors.items() if n.startswith(start)}


def _like(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype


def _shapes(tensors: Mapping[str, Tensor]) -> dict[str, tuple[object, object]]:
    return {name: (x.shape, x.dtype) for name, x in tensors.items()}

"""The state of a training in a file: all that its next steps depend on."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..checkpoints.files import load_weights, read_weights, reading, write_weights
from ..checkpoints.provenance import Provenance
from ..checks.validation import brief, require
from .processes import is_first, of_all, own, wait_for_all

Tensors = dict[str, Tensor]
REMEMBERED = {"step", "exp_avg", "exp_avg_sq"}  # by Adam, for each parameter
BATCHES, CHANCE, CHANCE_THERE = "batches", "chance", "chance there"


class State(NamedTuple):
    """What changes from step to step: a model, its Adam, and who draws its batches."""

    model: nn.Module
    adam: torch.optim.Optimizer
    draw: torch.Generator


def save(path: Path | str, state: State, provenance: Provenance, taken: int) -> None:
    """Write where a training stands after the steps that were taken."""
    names: dict[Tensor, str]
    names = {p: name for name, p in state.model.named_parameters()}
    memory = {
        f"{names[p]}.{what}": x
        for p, remembered in state.adam.state.items()
        for what, x in remembered.items()
    }
    tensors = _under("model", state.model.state_dict()) | _under("adam", memory)
    tensors |= _generators(state)
    if is_first():
        write_weights(tensors, path, {"training": taken}, provenance)
    wait_for_all()  # so that each of them can read the file


def load(path: Path | str, state: State, expected: Provenance) -> int:
    """Bring a model, its Adam and the generators to where a training stood.

    Returns:
        how many steps it had taken.

    Raises:
        ValueError: the file is broken, or holds no training with these settings; then
            nothing was changed.
    """
    tensors, made, found = read_weights(path)
    with reading(path):
        taken = made.get("training")
        if not isinstance(taken, int):
            wanted = "it must say how many steps a training has taken"
            raise ValueError(f"{wanted}, got {brief(taken)}")
    expected.check(found, path)
    model, adam, draw = state
    with reading(path):
        most = f"have taken at most the {expected.steps} steps"
        require(0 <= taken <= (expected.steps or 0), "its training", most, taken)
        weights = _of("model", tensors)
        same = _shapes(weights) == _shapes(model.state_dict())
        require(same, "its weights", "be those of this model", "others")
        memory = _memory(_of("adam", tensors), state)
        for name, x in _generators(state).items():
            kept = tensors.get(name, x[:0])
            fits = kept.shape == x.shape and kept.dtype == x.dtype
            require(fits, name, "be a generator's state", tuple(kept.shape))
        load_weights(model, weights)
    groups = adam.state_dict()["param_groups"]
    adam.load_state_dict({"state": memory, "param_groups": groups})
    draw.set_state(tensors[BATCHES])
    torch.set_rng_state(own(tensors[CHANCE]))
    if CHANCE_THERE in tensors:
        there = next(model.parameters()).device
        torch.get_device_module(there).set_rng_state(own(tensors[CHANCE_THERE]))
    return taken


def _generators(state: State) -> Tensors:
    """Return the states of all generators; those of torch, from every process."""
    there = next(state.model.parameters()).device
    states = {BATCHES: state.draw.get_state(), CHANCE: of_all(torch.get_rng_state())}
    if there.type != "cpu":
        device = torch.get_device_module(there)
        states[CHANCE_THERE] = of_all(device.get_rng_state())
    return states


def _memory(tensors: Tensors, state: State) -> dict[int, Tensors]:
    """Sort Adam's memory by the place of each parameter, as Adam loads it."""
    names = {p: name for name, p in state.model.named_parameters()}
    learned = state.adam.param_groups[0]["params"]
    places = {names[p]: n for n, p in enumerate(learned)}
    memory: dict[int, Tensors] = {}
    for name, x in tensors.items():
        parameter, _, what = name.rpartition(".")
        n = places.get(parameter)
        fits = n is not None and x.shape in ((), learned[n].shape)
        require(fits, "Adam's memory", "be of this model", name)
        memory.setdefault(places[parameter], {})[what] = x
    for n, kept in memory.items():
        wanted = f"hold {sorted(REMEMBERED)} of each parameter"
        got = f"{[*kept]} of {names[learned[n]]}"
        require(kept.keys() == REMEMBERED, "Adam's memory", wanted, got)
    return memory


def _under(room: str, tensors: Mapping[str, Tensor]) -> Tensors:
    return {f"{room}.{name}": x.contiguous() for name, x in tensors.items()}


def _of(room: str, tensors: Tensors) -> Tensors:
    start = f"{room}."
    return {n.removeprefix(start): x for n, x in tensors.items() if n.startswith(start)}


def _shapes(tensors: Mapping[str, Tensor]) -> dict[str, tuple[object, object]]:
    return {name: (x.shape, x.dtype) for name, x in tensors.items()}

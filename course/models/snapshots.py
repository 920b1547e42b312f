"""Snapshots: a model as it was after some of the steps of its training."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple, cast

import torch
from torch import Tensor

from transformer_lib.checkpoints.files import (
    load_weights,
    read_weights,
    reading,
    write_weights,
)
from transformer_lib.checkpoints.registry import configured
from transformer_lib.checks.validation import check_size, check_type
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.masks import padding_mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.runtime.seed import seeded
from transformer_lib.training import Training
from transformer_lib.training import smoothed_cross_entropy as cross_entropy
from transformer_lib.training.processes import bare

from ..data.pairs import Pairs, PairTask
from .pairs import exact

ASKED = 200  # new pairs, by which each snapshot is measured
LOSSES = "losses"


class Measured(NamedTuple):
    """How a model does on pairs that it has not learned from.

    loss: of the target's words, each after the right ones before it.
    words: the share of them that the model finds likeliest.
    texts: the share of targets that it writes by itself without a fault.
    """

    loss: float
    words: float
    texts: float


class Snapshot(NamedTuple):
    """A model after so many steps: its weights by name, and how it did."""

    step: int
    weights: dict[str, Tensor]
    measured: Measured


@dataclass(frozen=True)
class Snapshots:
    """A training as it went: what `watch` keeps of it.

    Attributes:
        task: what is learned.
        config: the model's sizes.
        losses: of every step so far, before its change.
        shots: the snapshots so far, the first before any step.
    """

    task: PairTask
    config: TransformerConfig
    losses: list[float]
    shots: list[Snapshot]

    def model(self) -> Transformer:
        """Build a model of these sizes, with the weights of the last snapshot."""
        with seeded(0):
            model = Transformer(self.config)
        load_weights(model, self.shots[-1].weights)
        return model.eval()

    def save(self, path: Path | str) -> None:
        """Write all but the task, as safetensors.

        Raises:
            TypeError: path is neither a Path nor a string.
        """
        names = self.shots[0].weights
        tensors = {n: torch.stack([s.weights[n] for s in self.shots]) for n in names}
        told = [[shot.step, *shot.measured] for shot in self.shots]
        made = {"config": asdict(self.config), "snapshots": told}
        write_weights(tensors | {LOSSES: torch.tensor(self.losses)}, path, made)


def load_snapshots(path: Path | str, task: PairTask) -> Snapshots:
    """Read what `Snapshots.save` has written.

    Raises:
        TypeError: path is neither a Path nor a string.
        FileNotFoundError: there is no such file.
        ValueError: the file is broken, or holds no snapshots.
    """
    tensors, made, _ = read_weights(path)
    with reading(path):
        losses = tensors.pop(LOSSES).tolist()
        shots = [
            Snapshot(step, {n: x[k] for n, x in tensors.items()}, Measured(*measured))
            for k, (step, *measured) in enumerate(made["snapshots"])
        ]
        config = configured(TransformerConfig, made["config"])
        found = Snapshots(task, config, losses, shots)
        found.model()
    return found


def watch(training: Training, task: PairTask, shots: int = 25) -> Iterator[Snapshots]:
    """Take the steps of a training, and keep the model as it was after some of them.

    The k-th snapshot is taken after steps · (k / shots)² steps, from none to all: early
    ones lie near each other, since a model changes most at first.

    Args:
        training: of a Transformer that has room for what the task holds.
        task: what is learned, and what new pairs the model is asked.
        shots: how many snapshots there are at most, besides the first.

    Yields:
        the same Snapshots, as they stand before the first step, and after each.

    Raises:
        TypeError, ValueError: it is no training of a Transformer, or shots is no
            integer of at least 1.
        FloatingPointError: see `fit_steps`.
    """
    check_type("training", training, Training)
    check_size("shots", shots)
    check_type("training.model", bare(training.model), Transformer)
    total = training.taken + len(training)
    due = {round(total * (k / shots) ** 2) for k in range(shots + 1)}
    return _watched(training, task, due)


def _watched(training: Training, task: PairTask, due: set[int]) -> Iterator[Snapshots]:
    model = cast(Transformer, bare(training.model))
    new = task.new(ASKED)
    found = Snapshots(task, model.config, [], [])
    found.shots.append(_shot(model, training.taken, task, new))
    yield found
    for loss in training:
        found.losses.append(loss)
        if training.taken in due:
            found.shots.append(_shot(model, training.taken, task, new))
        yield found


def _shot(model: Transformer, step: int, task: PairTask, new: Pairs) -> Snapshot:
    weights = {n: x.detach().cpu().clone() for n, x in model.state_dict().items()}
    return Snapshot(step, weights, measure(model, task, new))


def measure(model: Transformer, task: PairTask, pairs: Pairs) -> Measured:
    """Measure a model on pairs: with the right words before each, and by itself."""
    pad_id = task.vocabulary.pad_id
    there = next(model.parameters()).device
    source, target = (x.to(there) for x in pairs)
    asked = target[:, 1:]  # (B, T)
    with torch.inference_mode():
        mask = padding_mask(source, pad_id=pad_id)
        logits = model(source, target[:, :-1], mask)  # (B, T, V)
        loss = cross_entropy(logits, asked, pad_id=pad_id).item()
    right = (logits.argmax(-1) == asked)[asked != pad_id].float().mean().item()
    return Measured(loss, right, exact(model, task, pairs))

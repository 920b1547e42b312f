"""Snapshots: a model as it was after some of the steps of its training."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple, cast

import torch
from torch import Tensor

from transformer_lib.checkpoints import (
    Provenance,
    configured,
    load_weights,
    read_weights,
    reading,
    write_weights,
)
from transformer_lib.checks.validation import check_size, check_type, require
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.transformer import Transformer
from transformer_lib.runtime.seed import seeded
from transformer_lib.training import Training
from transformer_lib.training.processes import bare, is_first

from ..data.pairs import Pairs, PairTask
from ..trained import CHECKPOINTS
from .measures import teacher_forced
from .pairs import exact_match
from .small_model import SmallModel

ASKED = 200  # held-out pairs, on which each snapshot is measured
LOSSES = "losses"


class Measured(NamedTuple):
    """How a model does on held-out pairs.

    loss: of the target's tokens, each after the correct ones before it.
    token_accuracy: the fraction of them that are predicted correctly.
    exact_match: the fraction of targets that the model writes without a mistake.
    """

    loss: float
    token_accuracy: float
    exact_match: float


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

    def save(self, path: Path | str, provenance: Provenance | None = None) -> None:
        """Write all but the task, as safetensors, and how it was made.

        Raises:
            TypeError: path is neither a Path nor a string.
        """
        names = self.shots[0].weights
        tensors = {n: torch.stack([s.weights[n] for s in self.shots]) for n in names}
        told = [[shot.step, *shot.measured] for shot in self.shots]
        made = {"config": asdict(self.config), "snapshots": told}
        losses = {LOSSES: torch.tensor(self.losses)}
        write_weights(tensors | losses, path, made, provenance)


def load_snapshots(
    path: Path | str, task: PairTask, expected: Provenance | None = None
) -> Snapshots:
    """Read what `Snapshots.save` has written.

    Args:
        path: the file.
        task: what was learned.
        expected: how the file must have been made; None takes what is there.

    Raises:
        TypeError: path is neither a Path nor a string.
        FileNotFoundError: there is no such file.
        ValueError: the file is broken, holds no snapshots, says too little of the
            model's configuration, or was made in another way than expected.
    """
    tensors, made, _ = read_weights(path, expected)
    with reading(path):
        told = made.get("snapshots", [])
        counts = {len(told), *(len(x) for n, x in tensors.items() if n != LOSSES)}
        whole = LOSSES in tensors and counts == {len(told)}
        require(whole, "its tensors", f"hold {LOSSES} and {len(told)} of each", counts)
        losses = tensors.pop(LOSSES).tolist()
        config = configured(TransformerConfig, made.get("config"))
        shots = [
            Snapshot(step, {n: x[k] for n, x in tensors.items()}, Measured(*measured))
            for k, (step, *measured) in enumerate(told)
        ]
        found = Snapshots(task, config, losses, shots)
        found.model()
    return found


def watch(training: Training, task: PairTask, shots: int = 25) -> Iterator[Snapshots]:
    """Take the steps of a training, and keep the model as it was after some of them.

    The k-th snapshot is taken after steps · (k / shots)² steps, from none to all: early
    ones lie near each other, since a model changes most at first.

    Args:
        training: of a Transformer that has room for what the task holds.
        task: what is learned, and which held-out pairs measure it.
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
    held_out = task.held_out(ASKED)
    found = Snapshots(task, model.config, [], [])
    found.shots.append(_shot(model, training.taken, task, held_out))
    yield found
    for loss in training:
        found.losses.append(loss)
        if training.taken in due:
            found.shots.append(_shot(model, training.taken, task, held_out))
        yield found


def _shot(model: Transformer, step: int, task: PairTask, held_out: Pairs) -> Snapshot:
    weights = {n: x.detach().cpu().clone() for n, x in model.state_dict().items()}
    return Snapshot(step, weights, measure(model, task, held_out))


def measure(model: Transformer, task: PairTask, pairs: Pairs) -> Measured:
    """Measure a model on pairs: teacher-forced, and by what it writes by itself."""
    found = teacher_forced(model, pairs, task.vocabulary.pad_id)
    own = exact_match(model, task, pairs)
    return Measured(found.loss, found.token_accuracy, own)


@dataclass(frozen=True, kw_only=True, eq=False)
class WatchedModel(SmallModel[Transformer, Pairs]):
    """A small model whose file holds the snapshots of its training.

    Args:
        task: what it learns.
    """

    task: PairTask

    def snapshots(
        self, seed: int | None = None, folder: Path = CHECKPOINTS
    ) -> Snapshots:
        """Read the snapshots of a seed: see `SmallModel.trained`."""
        path = self.path(seed, folder)
        found = load_snapshots(path, self.task, self.provenance(seed))
        self.check_config(found.config, path)
        return found

    def read(self, seed: int, path: Path) -> Transformer:
        """Read the model of the last snapshot."""
        return self.snapshots(seed, path.parent).model()

    def make(
        self,
        folder: Path = CHECKPOINTS,
        seed: int | None = None,
        steps: int | None = None,
    ) -> Mapping[str, float]:
        """Train a model and keep its snapshots.

        Returns:
            the figures of the last one.
        """
        *_, found = watch(self.begin(seed, steps)[1], self.task)
        figures = found.shots[-1].measured._asdict()
        if is_first():  # of several processes
            made = replace(self.provenance(seed, steps), figures=figures)
            found.save(self.path(seed, folder), made)
        return figures

"""Flips of a fair coin: how often a model is right that can see the answer."""

import torch
from torch import Tensor

from transformer_lib.checks.validation import check_size
from transformer_lib.runtime.seed import derive_seed

from ..data import coin_flips
from ..models import leaky
from ..models.guesser import RECIPE, Guesser, model_of
from .experiment import Experiment, grid
from .results import Row

STEPS = RECIPE.steps


def two_models() -> tuple[Guesser, Guesser]:
    """Train models A and B of notebook 06: the second has a mask less."""
    return model_of(leaky.MASKED).train(0), model_of(leaky.UNMASKED).train(0)


def accuracy(model: Guesser, sequences: int = 4000) -> Tensor:
    """Ask a guesser about new sequences, in two ways, and count its right answers.

    Returns:
        (2, FLIPS): the share at each place, with all flips in sight at once, as in
        training; and with the flips up to that place alone, as when it writes.
    """
    check_size("sequences", sequences)
    flips = _asked(sequences)
    with torch.no_grad():  # no dropout: no mode to change
        at_once = model(flips[:, :-1])
        grown = [model(flips[:, : t + 1])[:, -1] for t in range(coin_flips.FLIPS)]
    logits = torch.stack([at_once, torch.stack(grown, dim=1)])  # (2, B, FLIPS, 2)
    return (logits.argmax(-1) == flips[:, 1:]).double().mean(1)


def share_changed(model: Guesser, sequences: int = 1000) -> Tensor:
    """Turn over one flip in the input, and count the answers that change.

    Returns:
        (FLIPS, FLIPS): in row i and column j the share of the answers at place i that
        change when flip j is turned over.
    """
    check_size("sequences", sequences)
    flips = _asked(sequences)[:, :-1]
    changed = []
    with torch.no_grad():
        before = model(flips).argmax(-1)
        for j in range(coin_flips.FLIPS):
            turned = flips.clone()
            turned[:, j] = 1 - turned[:, j]
            after = model(turned).argmax(-1)
            changed.append((after != before).double().mean(0))
    return torch.stack(changed, dim=1)


def _asked(count: int) -> Tensor:
    """Draw sequences (count, FLIPS + 1) with a seed that no training has."""
    draw = torch.Generator().manual_seed(derive_seed(0, "asked"))
    return coin_flips.sequences(count, draw)


def measure(model: Guesser) -> Row:
    """Measure the accuracy at each place, and how often a model copies.

    Returns:
        "whole_sequence" and "prefix_only", see `accuracy`; and "copied": the share of
        answers that change when the flip that they should say is turned over.
    """
    whole, prefix = accuracy(model).tolist()
    copied = share_changed(model).diagonal(1).tolist()
    return {"whole_sequence": whole, "prefix_only": prefix, "copied": copied}


EXPERIMENT = Experiment(
    name="coin_flips",
    runs=[*grid(steps=[STEPS], seed=range(5)), *grid(steps=[2 * STEPS], seed=[0])],
    measure=lambda steps, seed: measure(model_of(leaky.UNMASKED).train(seed, steps)),
    models={leaky.UNMASKED: model_of(leaky.UNMASKED)},
    decimals=3,
)

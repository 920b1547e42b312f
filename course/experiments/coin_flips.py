"""Flips of a fair coin: how often a model is right that can see the answer.

The kept results are made by `python -m course.experiments.coin_flips`.
"""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from transformer_lib.checkpoints import keep_each, read_results
from transformer_lib.checks.validation import check_size

from ..data import coin_flips
from ..models import leaky
from ..models.guesser import STEPS, Guesser, trained
from ..trained import CHECKPOINTS

#: The steps and the seed of each training whose results are kept.
KEPT = (*((STEPS, seed) for seed in range(5)), (2 * STEPS, 0))


def two_models(seed: int = 0, steps: int = STEPS) -> tuple[Guesser, Guesser]:
    """Train models A and B of notebook 06: the second has a mask less."""
    model_a, model_b = (
        trained(kind, seed, steps) for kind in (leaky.MASKED, leaky.UNMASKED)
    )
    return model_a, model_b


def share_right(model: Guesser, sequences: int = 4000, seed: int = 1) -> Tensor:
    """Ask a guesser about new sequences, in two ways, and count its right answers.

    Returns:
        (2, FLIPS): the share at each place, with all flips in sight at once, as in
        training; and with the flips up to that place alone, as when it writes.
    """
    check_size("sequences", sequences)
    flips = coin_flips.sequences(sequences, torch.Generator().manual_seed(seed))
    with torch.no_grad():  # no dropout: no mode to change
        at_once = model(flips[:, :-1])
        grown = [model(flips[:, : t + 1])[:, -1] for t in range(coin_flips.FLIPS)]
    logits = torch.stack([at_once, torch.stack(grown, dim=1)])  # (2, B, FLIPS, 2)
    return (logits.argmax(-1) == flips[:, 1:]).double().mean(1)


def share_changed(model: Guesser, sequences: int = 1000, seed: int = 1) -> Tensor:
    """Turn over one flip in the input, and count the answers that change.

    Returns:
        (FLIPS, FLIPS): in row i and column j the share of the answers at place i that
        change when flip j is turned over.
    """
    check_size("sequences", sequences)
    draw = torch.Generator().manual_seed(seed)
    flips = coin_flips.sequences(sequences, draw)[:, :-1]
    changed = []
    with torch.no_grad():
        before = model(flips).argmax(-1)
        for j in range(coin_flips.FLIPS):
            turned = flips.clone()
            turned[:, j] = 1 - turned[:, j]
            after = model(turned).argmax(-1)
            changed.append((after != before).double().mean(0))
    return torch.stack(changed, dim=1)


def measure(model: Guesser) -> dict[str, list[float]]:
    """Give `share_right` in its two ways, and the share of copies, as lists.

    Copied is an answer that changes when the flip that it should say is turned over.
    """
    at_once, grown = share_right(model)
    found = {"at once": at_once, "grown": grown}
    found["copied"] = share_changed(model).diagonal(1)
    return {
        name: [round(x, 3) for x in share.tolist()] for name, share in found.items()
    }


def load_results(folder: Path = CHECKPOINTS) -> list[dict[str, list[float]]]:
    """The kept results: what `measure` gives of model B, "training": [steps, seed].

    Raises:
        FileNotFoundError: the folder does not hold them.
        ValueError: their file is broken.
    """
    return read_results(folder / "coin_flips.json")


def main(
    folder: Path = CHECKPOINTS, trainings: Sequence[tuple[int, int]] = KEPT
) -> None:
    """Measure model B after each training, of steps and a seed; keep what comes."""
    models = (
        ([steps, seed], trained(leaky.UNMASKED, seed, steps))
        for steps, seed in trainings
    )
    came = ({"training": which, **measure(model)} for which, model in models)
    keep_each(came, folder / "coin_flips.json")


if __name__ == "__main__":
    main()

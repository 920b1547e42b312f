"""Flips of a fair coin: how often a model is right that can see the answer."""

import torch
from torch import Tensor

from ..checks.validation import check_size
from ..data import coin_flips
from ..small_models.masks.guesser import Guesser


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

"""Flips of a fair coin: what a model learns that can see the answer."""

from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..checks.validation import check_size
from ..model.config import TransformerConfig
from ..model.embedding import PositionalEncoding, TokenEmbedding
from ..training import fit
from .leaky import Stack

FLIPS = 8  # what a model reads; at each it says the next
SIZES = TransformerConfig(d_model=32, n_heads=2, d_ff=64, dropout=0.0)


class Guesser(nn.Module):
    """Say at each place which side comes next: vectors, one block, two logits.

    Args:
        kind: of the block, see `leaky.Stack`.

    Raises:
        ValueError: there is no such kind.
    """

    def __init__(self, kind: str) -> None:
        super().__init__()
        D = SIZES.d_model
        self.embedding = TokenEmbedding(2, D)
        self.positions = PositionalEncoding(FLIPS, D)
        self.stack, self.logits = Stack(kind, 1, SIZES), nn.Linear(D, 2)

    def forward(self, flips: Tensor) -> Tensor:
        """Turn flips (B, T), 0 or 1, into logits (B, T, 2) of the flips after them."""
        places = torch.arange(flips.size(1), device=flips.device)
        x = self.embedding(flips) + self.positions(places)  # (B, T, D)
        logits: Tensor = self.logits(self.stack(x))
        return logits


@cache
def trained(kind: str, steps: int = 150, seed: int = 0) -> Guesser:
    """Train a guesser by teacher forcing: all places of a sequence at once.

    Every batch is new, so that there is nothing to memorise. The same call gives the
    same model, trained once.

    Raises:
        TypeError, ValueError: there is no such kind, or steps is below 1.

    Source: D2.8, D3.9.3.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Guesser(kind)

    def loss(flips: Tensor) -> Tensor:
        logits = model(flips[:, :-1])  # place t says flip t + 1
        return F.cross_entropy(logits.flatten(0, 1), flips[:, 1:].flatten())

    fit(model, lambda draw: _flips(64, draw), loss, steps, lr=5e-3, seed=seed)
    return model


def share_right(model: Guesser, sequences: int = 4000, seed: int = 1) -> Tensor:
    """Ask a guesser about new sequences, in two ways, and count its right answers.

    Returns:
        (2, FLIPS): the share at each place, with all flips in sight at once, as in
        training; and with the flips up to that place alone, as when it writes.
    """
    check_size("sequences", sequences)
    flips = _flips(sequences, torch.Generator().manual_seed(seed))
    with torch.no_grad():  # no dropout: no mode to change
        at_once = model(flips[:, :-1])
        grown = [model(flips[:, : t + 1])[:, -1] for t in range(FLIPS)]
    logits = torch.stack([at_once, torch.stack(grown, dim=1)])  # (2, B, FLIPS, 2)
    return (logits.argmax(-1) == flips[:, 1:]).double().mean(1)


def _flips(count: int, draw: torch.Generator) -> Tensor:
    return torch.randint(2, (count, FLIPS + 1), generator=draw)

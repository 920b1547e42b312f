"""A model that says how a coin falls next, and its training."""

from functools import cache, partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.embedding import PositionalEncoding, TokenEmbedding
from transformer_lib.training import fit_steps, seeded

from ...data.coin_flips import FLIPS, sequences
from .leaky import Stack

SIZES = TransformerConfig(d_model=32, n_heads=2, d_ff=64, dropout=0.0)
STEPS = 150


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
        self.stack = Stack(kind, 1, SIZES)
        self.logits = nn.Linear(D, 2)

    def forward(self, flips: Tensor) -> Tensor:
        """Turn flips (B, T), 0 or 1, into logits (B, T, 2) of the flips after them."""
        places = torch.arange(flips.size(1), device=flips.device)
        x = self.embedding(flips) + self.positions(places)  # (B, T, D)
        logits: Tensor = self.logits(self.stack(x))
        return logits


@cache
def trained(kind: str, seed: int = 0, steps: int = STEPS) -> Guesser:
    """Train a guesser by teacher forcing: all places of a sequence at once.

    Every batch is new, so that there is nothing to memorise. The same call gives the
    same model, trained once. `seed` draws its first weights and what it learns from.

    Raises:
        ValueError: there is no such kind.

    Source: D2.8, D3.9.3.
    """
    with seeded(seed):
        model = Guesser(kind)

    def loss(flips: Tensor) -> Tensor:
        logits = model(flips[:, :-1])  # place t says flip t + 1
        return F.cross_entropy(logits.flatten(0, 1), flips[:, 1:].flatten())

    batch = partial(sequences, 64)
    list(fit_steps(model, batch, loss, steps, lr=5e-3, seed=seed))
    return model

"""A model that predicts how a coin falls next, and its training."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.embedding import PositionalEncoding, TokenEmbedding

from ..data.coin_flips import FLIPS, sequences
from .leaky import Stack
from .small_model import Recipe, SmallModel

SIZES = TransformerConfig(d_model=32, n_heads=2, d_ff=64, dropout=0.0)
RECIPE = Recipe.plain(150, 5e-3)


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


def loss(model: Guesser, flips: Tensor) -> Tensor:
    """Return the cross-entropy of each next flip, all positions of a sequence at once.

    Source: D2.8, D3.9.3.
    """
    logits = model(flips[:, :-1])  # place t says flip t + 1
    return F.cross_entropy(logits.flatten(0, 1), flips[:, 1:].flatten())


def model_of(kind: str) -> SmallModel[Guesser, Tensor]:
    """Return the small model of a kind; every batch is new, so it cannot memorize."""
    return SmallModel(
        name=kind,
        build=lambda: Guesser(kind),
        batch=lambda draw, count: sequences(count, draw),
        loss=loss,
        recipe=RECIPE,
        seeds=(),
    )

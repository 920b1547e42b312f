"""A layer that is asked for the word that stood k steps ago, and its training."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lib.model.embedding import sinusoidal_encoding

from .sequence_layer import Kind, SequenceLayer
from .small_model import Recipe, SmallModel

WORDS = 8
D_MODEL = 32

RECIPE = Recipe.plain(200, 3e-3, batch_size=32)


class Copier(nn.Module):
    """One layer that reads k + 1 words, and says the first of them after the last.

    Attention is told positions by waves that are added to the words, since it has no
    order of its own; the others read in order, and are told them as a control.

    Args:
        kind: of the layer.
        d_model: D.
        places: whether positions are added whatever the kind.

    Raises:
        TypeError, ValueError: the kind is unknown, or d_model is below 1.

    Source: Hochreiter and Schmidhuber (1997), §5.2, for the task; D1.2.2, D1.2.3.
    """

    def __init__(
        self, kind: Kind, d_model: int = D_MODEL, *, places: bool = False
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, d_model)
        self.layer = SequenceLayer(kind, d_model)
        self.output = nn.Linear(d_model, WORDS)
        self.places = places or kind == "attention"

    def forward(self, ids: Tensor) -> Tensor:
        """Turn ids (B, k + 1) into the logits of the first word (B, WORDS)."""
        x = self.words(ids)  # (B, k + 1, D)
        if self.places:
            x = x + sinusoidal_encoding(ids.size(1), x.size(-1))
        logits: Tensor = self.output(self.layer(x)[:, -1])  # (B, WORDS)
        return logits


def loss(model: Copier, ids: Tensor) -> Tensor:
    """Return the cross-entropy of the first word of each sentence."""
    return F.cross_entropy(model(ids), ids[:, 0])


def model_of(
    kind: Kind, k: int, *, d_model: int = D_MODEL, places: bool = False
) -> SmallModel[Copier, Tensor]:
    """Return the small model of a copier that reads sentences of k + 1 random words."""
    return SmallModel(
        name=kind,
        build=lambda: Copier(kind, d_model, places=places),
        batch=lambda draw, count: sentences(k, count, draw),
        loss=loss,
        recipe=RECIPE,
        seeds=(),
        settings={"positions": places},
    )


def sentences(k: int, count: int, draw: torch.Generator) -> Tensor:
    """Draw the ids of random words (count, k + 1)."""
    return torch.randint(WORDS, (count, k + 1), generator=draw)

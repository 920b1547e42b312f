"""A layer that is asked who thanks whom, with one head or more, and its training."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lib.checks.validation import check_size, require
from transformer_lib.model.attention import scaled_dot_product_attention

from ..data.two_names import NAMES, sentences
from .small_model import Recipe, SmallModel

D_MODEL = 16


class Asker(nn.Module):
    """One query looks once at two names, and says who stood first and who second.

        o = Σ_h softmax(q K_hᵀ / √d_k) V_h W_O^h,  who = o U_1,  whom = o U_2

    Keys are made of the places and values of the names, so that what a name says can
    not change where the head looks. One head then gives o = α v(a) + (1 − α) v(b).
    It answers at least one of the six sentences of any three names a, b, c wrongly,
    even with another α for each sentence. For suppose it answers all six.

    "ab" and "ba" give their names other weights: each name has more either where it
    is who, or where it is whom. Of the three pairs two do the same, say ab and ac
    where it is who. Let h_x(y) be what name y adds to the score of x for whom, less
    the same for a, so that h_a = 0. The score is linear between the names, so

        ab, ba, ac, ca:  h_b(a) > 0 > h_b(b)  and  h_c(a) > 0 > h_c(c)
        bc, cb:          h_c(b) > 0           and  h_b(c) > 0
        ab, b before c:  h_b(a) > h_c(a), since h_b(b) < 0 < h_c(b)
        ac, c before b:  h_c(a) > h_b(a), since h_c(c) < 0 < h_b(c)

    which cannot be. Two heads look at one place each, and keep the names apart.

    Args:
        n_heads: H. The number of parameters does not depend on it.

    Source: D1.15.2.
    """

    def __init__(self, n_heads: int) -> None:
        super().__init__()
        check_size("n_heads", n_heads)
        fits = D_MODEL % n_heads == 0
        require(fits, "n_heads", f"divide d_model = {D_MODEL}", n_heads)
        self.n_heads = n_heads
        self.names = nn.Embedding(len(NAMES), D_MODEL)
        self.places = nn.Embedding(2, D_MODEL)
        self.query = nn.Parameter(torch.randn(1, D_MODEL))
        self.W_Q, self.W_K, self.W_V, self.W_O = (
            nn.Linear(D_MODEL, D_MODEL, bias=False) for _ in range(4)
        )
        self.output = nn.Linear(D_MODEL, 2 * len(NAMES))

    def look(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Attend to two names (B, 2): what was gathered (B, D), weights (H, 1, 2)."""
        q = self._split(self.W_Q(self.query))  # (H, 1, d_k)
        k = self._split(self.W_K(self.places.weight))  # (H, 2, d_k)
        v = self._split(self.W_V(self.names(ids)))  # (B, H, 2, d_k)
        B = len(ids)
        heads, weights = scaled_dot_product_attention(
            q.expand(B, -1, -1, -1), k.expand(B, -1, -1, -1), v
        )  # (B, H, 1, d_k)
        return self.W_O(heads.flatten(1)), weights[0]

    def forward(self, ids: Tensor) -> Tensor:
        """Turn the ids of two names (B, 2) into logits (B, 2, V): who, and whom."""
        both: Tensor = self.output(self.look(ids)[0])  # (B, 2V)
        return both.view(-1, 2, len(NAMES))  # (B, 2, V)

    def _split(self, x: Tensor) -> Tensor:
        *before, n, D = x.shape
        parts = x.view(*before, n, self.n_heads, D // self.n_heads)  # (..., n, H, d_k)
        return parts.transpose(-3, -2)  # (..., H, n, d_k)


def loss(model: Asker, ids: Tensor) -> Tensor:
    """Return the cross-entropy of both names of each sentence."""
    return F.cross_entropy(model(ids).flatten(0, 1), ids.flatten())


def trained(n_heads: int, *, steps: int, seed: int) -> tuple[Asker, list[float]]:
    """Train an asker on all sentences of two names; give it and every step's loss.

    Raises:
        TypeError, ValueError: n_heads does not divide 16, or steps is below 1.
    """
    small = SmallModel(
        name=f"{n_heads} heads",
        build=lambda: Asker(n_heads),
        batch=lambda draw, count: sentences(),  # (30, 2), all of them each time
        loss=loss,
        recipe=Recipe.plain(steps, 1e-2),
        seeds=(),
    )
    model, training = small.begin(seed)
    return model, list(training)

"""A layer with one or more heads that answers who thanks whom, and its training."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lib.checks.validation import check_size, require
from transformer_lib.model.attention import scaled_dot_product_attention

from ..data.two_names import NAMES, sentences
from .small_model import Recipe, SmallModel

D_MODEL = 16


class Asker(nn.Module):
    """One query attends once to two names, and says which was first and which second.

        o = Σ_h softmax(q K_hᵀ / √d_k) V_h W_O^h,  who = o U_1,  whom = o U_2

    Keys are computed from positions and values from names, so a name cannot change
    where the head attends. One head then gives o = α v(a) + (1 − α) v(b). For any three
    names a, b, c it answers at least one of their six sentences wrongly, even if α may
    differ from sentence to sentence. Proof: suppose that it answers all six correctly.

    In "ab" and "ba" each name gets the larger weight either when it comes first (who)
    or when it comes second (whom). Of the three pairs at least two do this alike; say
    ab and ac, with the larger weight on who. Let h_x(y) be what name y adds to the
    score of x as whom, minus the same for a, so that h_a = 0. The score is linear in
    the weights, hence

        ab, ba, ac, ca:  h_b(a) > 0 > h_b(b)  and  h_c(a) > 0 > h_c(c)
        bc, cb:          h_c(b) > 0           and  h_b(c) > 0
        ab, b before c:  h_b(a) > h_c(a), since h_b(b) < 0 < h_c(b)
        ac, c before b:  h_c(a) > h_b(a), since h_c(c) < 0 < h_b(c)

    which is a contradiction. Two heads can attend to one position each and keep the two
    names apart.

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
        """Attend to two names (B, 2): the output (B, D) and the weights (H, 1, 2)."""
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
    """Train on all sentences of two names; return the model and the loss of each step.

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

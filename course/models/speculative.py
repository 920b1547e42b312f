"""Speculative decoding: a small model drafts tokens, and a large one checks them all.

p_of, q_of = probabilities_of(gpt), probabilities_of(draft)
made = speculate(p_of, q_of, ids, 4, torch.Generator().manual_seed(0))
ids = [*ids, *made.tokens]
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_lib.checks.validation import check_size
from transformer_lib.generation.sampling import Sampling
from transformer_lib.model.transformer import DecoderOnlyTransformer

#: Of a text (ids) and a number n: p (n, V) of what follows its last n beginnings.
Probabilities = Callable[[Sequence[int], int], Tensor]


class Round(NamedTuple):
    """A round: what was drafted, what both models said of it, and what was written.

    drafted: k tokens, or fewer if one of them ends the text.
    q: of the draft model, at each drafted token (k, V).
    p: of the large model, there and after the last (k + 1, V).
    accepted: how many of the drafted tokens were accepted.
    tokens: those, and one that was drawn from p or from the residual.
    """

    drafted: list[int]
    q: Tensor
    p: Tensor
    accepted: int
    tokens: list[int]

    @property
    def checked(self) -> int:
        """How many drafted tokens were compared, up to the first that is replaced."""
        return min(self.accepted + 1, len(self.drafted))


def probabilities_of(
    model: DecoderOnlyTransformer, temperature: float = 1.0
) -> Probabilities:
    """Return the probabilities of a model's next tokens at a temperature."""
    sampling = Sampling(temperature=temperature)

    def p_of(ids: Sequence[int], n: int) -> Tensor:
        with torch.inference_mode():
            logits = model(torch.tensor([[*ids]]))[0, -n:]  # (n, V)
        return sampling.probabilities(logits.double())

    return p_of


def acceptance(p: Tensor, q: Tensor) -> Tensor:
    """Return how likely a token drawn from q is accepted: 1 − Σ |p − q| / 2.

    Shapes: p and q (..., V), the result (...).
    Source: Leviathan, Kalman and Matias (2023), theorem 3.5.
    """
    return 1 - (p - q).abs().sum(-1) / 2


def residual(p: Tensor, q: Tensor) -> Tensor:
    """Return what is drawn from after a rejection: max(p − q, 0), rescaled (V,).

    If p and q are equal, nothing is rejected, and p is returned.
    """
    more = (p - q).clamp_min(0)
    total = more.sum()
    return more / total if total > 0 else p


def speculate(
    p_of: Probabilities,
    q_of: Probabilities,
    ids: Sequence[int],
    k: int,
    draw: torch.Generator,
    end: int | None = None,
) -> Round:
    """Draft k tokens with a small model, and check them in one pass of a large one.

    A drafted token x is accepted with probability min(1, p(x) / q(x)). The first one
    that is not is replaced by a token from the residual; if all are accepted, one more
    is drawn from p. What is written is distributed as if every token came from p.

    Args:
        p_of: of the large model.
        q_of: of the draft model.
        ids: the text so far.
        k: how many tokens are drafted, at least 1.
        draw: the random numbers.
        end: the token that ends a text, after which nothing is drafted.

    Raises:
        TypeError, ValueError: k is no integer of at least 1.

    Source: Leviathan, Kalman and Matias (2023), algorithm 1.
    """
    check_size("k", k)
    drafted: list[int] = []
    rows = []
    while len(drafted) < k and end not in drafted:
        rows.append(q_of([*ids, *drafted], 1)[0])
        drafted.append(int(torch.multinomial(rows[-1], 1, generator=draw)))
    q, p = torch.stack(rows), p_of([*ids, *drafted], len(drafted) + 1)
    for n, x in enumerate(drafted):
        if torch.rand((), generator=draw) * q[n, x] >= p[n, x]:
            new = int(torch.multinomial(residual(p[n], q[n]), 1, generator=draw))
            return Round(drafted, q, p, n, [*drafted[:n], new])
    if end in drafted:
        return Round(drafted, q, p, len(drafted), drafted)
    new = int(torch.multinomial(p[-1], 1, generator=draw))
    return Round(drafted, q, p, len(drafted), [*drafted, new])

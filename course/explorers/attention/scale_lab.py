"""scale_lab: what happens to softmax as d_k grows, with and without √d_k."""

from functools import cache

import numpy as np
import torch
from torch import Tensor

from explorable import Explorer, Sheet, Style
from explorable.controls import stops
from explorable.drawings.bars import Bars
from explorable.drawings.curves import Curves
from transformer_lib.model.attention import masked_softmax

SIZES = tuple(2**n for n in range(11))  # d_k: 1, 2, 4 … 1024
QUERIES = 256
KEYS = 8
WAYS: Style = {"series": ("divided", "undivided"), "hues": ("weights", "reference")}


def scale_lab() -> Explorer:
    """Show attention weights of random vectors over d_k, with and without the division.

    The components of queries and keys are independent, with mean 0 and variance 1,
    so a score is a sum of d_k terms of variance 1 and its σ is √d_k.

    Returns:
        an Explorer with the control "d_k". Its values are "weights" (8 keys, 2 ways) of
        one query; "top" (11 sizes, 2 ways), the largest weight, averaged over 256
        queries, with NaN for sizes above d_k, so that the curves do not give away what
        the reader is to predict; and "average" (2 ways, 3) with, for this d_k, σ of the
        scores, the mean top weight, and Σ w (1 − w), the trace of softmax's Jacobian.

    Source: Vaswani et al. (2017), §3.2.1, footnote 4; D1.12.3, D2.3.2.
    """
    return Explorer(
        "scale_lab",
        scale_sheet,
        {"d_k": stops("d_k", SIZES, 16)},
        title="Why divide by √dₖ?",
        task="Increase dₖ and watch what happens to the weights.",
    )


@cache
def _measured() -> tuple[Tensor, Tensor, Tensor]:
    """Scores, weights (2 ways, 11 sizes, 256, 8), and averages (2 ways, 11 sizes, 3).

    A query has 8 keys of its own; a smaller d_k takes the first of 1024 components.
    """
    draw = np.random.default_rng(5).standard_normal((QUERIES, 1 + KEYS, SIZES[-1]))
    drawn = torch.from_numpy(draw.astype(np.float32)).double()
    products = (drawn[:, :1] * drawn[:, 1:]).cumsum(-1)  # (256, 8, 1024)
    raw = products[..., [n - 1 for n in SIZES]].movedim(-1, 0)  # (11, 256, 8)
    divisor = torch.tensor(SIZES).double().sqrt()[:, None, None]
    scores = torch.stack([raw / divisor, raw])
    weights = masked_softmax(scores)
    slopes = (weights * (1 - weights)).sum(-1)  # their diagonals, added: (2, 11, 256)
    sigma = scores.flatten(2).std(-1)
    means = torch.stack([sigma, weights.amax(-1).mean(-1), slopes.mean(-1)], dim=-1)
    return scores, weights, means


def scale_sheet(*, d_k: int) -> Sheet:
    """Show the weights of one query as bars, and the mean top weight over d_k."""
    s = Sheet()
    at = SIZES.index(d_k)
    scores, weights, means = _measured()
    s.keep("scores", scores[:, at, 0].T)  # (8, 2)
    s.keep("average", means[:, at])
    spread, _, slope = means[:, at].T.tolist()
    sigma = f"{spread[0]:.1f} divided by √{d_k:,}, {spread[1]:.1f} undivided"
    divided, undivided = weights[:, at, 0].amax(-1).tolist()
    top = means[..., 1].T.clone()  # (11, 2)
    top[at + 1 :] = torch.nan
    bars = Bars(
        name="weights",
        formula=f"of one query; σ of all scores: {sigma}",
        labels=[f"key {n + 1}" for n in range(KEYS)],
        measure="attention weight →",
        sentence="attention weight of {label}, scores {series}",
        note=f"Undivided, one key takes {undivided:.2f}; divided, {divided:.2f}",
        concludes=True,
        blank_zeros=True,
        **WAYS,
    )
    s.draw(bars, weights[:, at, 0].T)
    curves = Curves(
        name="top",
        title="top weight",
        formula=f"the largest of {KEYS} weights, averaged over {QUERIES} queries",
        x=range(len(SIZES)),
        axes=("d_k", "top weight"),
        limits=((-0.3, 10.3), (0.0, 1.0)),
        looks=("both", "both"),
        marks=[(at, f"d_k = {d_k:,}")],
        doubling=True,
        sentence="top weight at d_k = {x}",
        note="mean of Σ w (1 − w): {:.2f} divided, {:.2f} undivided".format(*slope),
        wide=36,
        high=29,
        **WAYS,
    )
    s.draw(curves, top)
    return s

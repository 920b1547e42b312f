"""scale_lab: what happens to softmax and its gradient as d_k grows."""

import math
from functools import cache

import numpy as np
import torch
from torch import Tensor

from ...model.attention import masked_softmax
from ..toolkit.controls import stops, switch
from ..toolkit.drawing import Matrix
from ..toolkit.explorer import Explorer
from ..toolkit.looks import full_colour
from ..toolkit.sheet import Sheet
from ..toolkit.trace import Axis

SIZES = tuple(2**n for n in range(11))  # d_k: 1, 2, 4 … 1024
QUERIES, KEYS = 256, 8


def scale_lab() -> Explorer:
    """Scores of random queries and keys, their softmax and its slope, over d_k.

    The components of queries and keys are independent, with mean 0 and variance 1,
    so a score is a sum of d_k terms of variance 1 and its σ is √d_k.

    Returns:
        an Explorer with controls "d_k" and "scale".

    Source: Vaswani et al. (2017), §3.2.1, footnote 4; D1.12.3, D2.3.2.
    """
    controls = {
        "d_k": stops("d_k", SIZES, 4),
        "scale": switch("divide by √d_k", True),
    }
    return Explorer("scale_lab", scale_sheet, controls)


@cache
def _vectors() -> Tensor:
    """256 queries, each with 8 keys of its own, of 1024 components (256, 9, 1024)."""
    draw = np.random.default_rng(5).standard_normal((QUERIES, 1 + KEYS, SIZES[-1]))
    return torch.from_numpy(draw.astype(np.float32))


def scale_sheet(*, d_k: int, scale: bool) -> Sheet:
    """Scores, weights and slopes of one query, and averages over 256.

    Args:
        d_k: 1 … 1024.
        scale: whether to divide the scores by √d_k.

    Returns:
        "scores" and "weights" (1, 8) of the first query, "slope" (8, 8), which is
        ∂weights/∂scores, and "average" (1, 3): over 256 queries, the σ of all scores,
        and the means of the largest weight and of the sum of the slope's diagonal.

    Raises:
        ValueError: d_k is out of range.
    """
    if not 1 <= d_k <= SIZES[-1]:
        raise ValueError(f"d_k must be between 1 and {SIZES[-1]}, got {d_k}")
    drawn = _vectors()[:, :, :d_k].double()  # a smaller d_k takes the first components
    products = drawn[:, :1] * drawn[:, 1:]  # (256, 8, d_k)
    scores = products.sum(-1) / (math.sqrt(d_k) if scale else 1.0)  # (256, 8)
    s = Sheet()
    _show_one(s, scores[:1].numpy(), d_k, scale)
    _show_many(s, scores)
    return s


def _show_one(s: Sheet, scores: Matrix, d_k: int, scale: bool) -> None:
    """One query's scores, its weights, and how these follow those."""
    names = [f"k{n + 1}" for n in range(KEYS)]
    key = Axis.of("key", names)
    x = s.given("scores", Axis("query", ("q",)), key, scores)
    weights = s.softmax("weights", x)
    slope = s.slope("slope", weights, Axis.of("weight of", names))
    s.show(
        x,
        formula=f"q · k ÷ √{d_k}, scaled" if scale else "q · k, not scaled",
        palette="scores",
        limit=max(4.0, full_colour(scores)),
        digits=1,
        sentence="score of the query for {column}",
        note=f"each a sum of {d_k} products" if d_k > 1 else "one product each",
    )
    said = "the share of its attention that the query gives to {column}"
    s.show(weights, formula="softmax", sentence=said, note="they sum to 1")
    s.show(
        slope,
        formula="∂weight ÷ ∂score",
        limit=0.25,
        digits=3,
        sentence="how fast the weight of {row} grows with the score of {column}",
        note="where all are 0, no score can learn",
        group=1,
    )


def _show_many(s: Sheet, scores: Tensor) -> None:
    """Averages over all queries (256, 8)."""
    weights = masked_softmax(scores)
    movable = (weights * (1 - weights)).sum(-1)  # the diagonals of the slopes
    means = torch.stack([scores.std(), weights.amax(-1).mean(), movable.mean()])
    what = Axis("", ("σ of scores", "top weight", "Σ diagonal"))
    s.show(
        s.given("average", Axis("", ("all",)), what, means[None]),
        "many",
        formula=f"{QUERIES} queries with {KEYS} keys each",
        palette="scores",
        limit=0.0,
        digits=3,
        sentence=f"{{column}}, over {QUERIES} queries with {KEYS} keys each",
        note="Σ diagonal: the slopes k1 on k1 to k8 on k8, added; its mean",
        group=1,
    )

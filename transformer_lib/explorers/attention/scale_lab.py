"""scale_lab: what happens to softmax and its gradient as d_k grows."""

import math
from functools import cache

import numpy as np
import torch
from torch import Tensor

from ...model.attention import masked_softmax
from ..toolkit.controls import stops, switch
from ..toolkit.explorer import Explorer
from ..toolkit.looks import full_colour
from ..toolkit.sheet import Axis, Sheet

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
    """Scores, weights and slopes (∂weights/∂scores) of one query; averages over 256.

    Averaged are each query's largest weight and its slope's diagonal, added; σ is of
    all scores.
    """
    drawn = _vectors()[:, :, :d_k].double()  # a smaller d_k takes the first components
    products = drawn[:, :1] * drawn[:, 1:]  # (256, 8, d_k)
    every = products.sum(-1) / (math.sqrt(d_k) if scale else 1.0)  # (256, 8)
    shares = masked_softmax(every)
    movable = (shares * (1 - shares)).sum(-1)  # the diagonals of the slopes
    means = torch.stack([every.std(), shares.amax(-1).mean(), movable.mean()])
    s, key = Sheet(), Axis.of("key", [f"k{n + 1}" for n in range(KEYS)])
    scores = s.given("scores", Axis("query", ("q",)), key, every[:1])
    weights = s.softmax("weights", scores)
    what = Axis("", ("σ of scores", "top weight", "Σ diagonal"))
    s.show(
        scores,
        formula=f"q · k ÷ √{d_k}, scaled" if scale else "q · k, not scaled",
        palette="scores",
        limit=max(4.0, full_colour(scores.values)),
        digits=1,
        sentence="score of the query for {column}",
        note=f"each a sum of {d_k} products" if d_k > 1 else "one product each",
    )
    said = "the share of its attention that the query gives to {column}"
    s.show(weights, formula="softmax", sentence=said, note="they sum to 1")
    s.show(
        s.slope("slope", weights, Axis("weight of", key.labels)),
        formula="∂weight ÷ ∂score",
        limit=0.25,
        digits=3,
        sentence="how fast the weight of {row} grows with the score of {column}",
        note="where all are 0, no score can learn",
        group=1,
    )
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
    return s

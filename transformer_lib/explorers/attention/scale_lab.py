"""scale_lab: what happens to softmax and its gradient as d_k grows."""

import math
from functools import cache

import numpy as np
import torch
from torch import Tensor

from ...model.attention import masked_softmax
from ..toolkit.controls import stops, switch
from ..toolkit.explorer import Arrays, Explorer
from ..toolkit.panel import Panel
from ..toolkit.panels import largest

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
    return Explorer(scale_steps, scale_panels, controls, {})


@cache
def _vectors() -> Tensor:
    """256 queries, each with 8 keys of its own, of 1024 components (256, 9, 1024)."""
    draw = np.random.default_rng(5).standard_normal((QUERIES, 1 + KEYS, SIZES[-1]))
    return torch.from_numpy(draw.astype(np.float32))


def scale_steps(*, d_k: int, scale: bool) -> Arrays:
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
    weights = masked_softmax(scores)
    slopes = torch.diag_embed(weights) - weights[:, :, None] * weights[:, None]
    movable = slopes.diagonal(dim1=-2, dim2=-1).sum(-1)  # Σ w (1 − w)
    means = scores.std(), weights.amax(-1).mean(), movable.mean()
    return {
        "scores": scores[:1].numpy(),
        "weights": weights[:1].numpy(),
        "slope": slopes[0].numpy(),
        "average": torch.stack(means)[None].numpy(),
    }


def scale_panels(arrays: Arrays, *, d_k: int, scale: bool) -> list[Panel]:
    """Scores and weights of one query above; its slopes and the many below."""
    keys = [f"k{n + 1}" for n in range(KEYS)]
    limit = max(4.0, largest(arrays["scores"]))
    return [_scores(keys, d_k, scale, limit), _weights(keys), _slope(keys), _many()]


def _scores(keys: list[str], d_k: int, scale: bool, limit: float) -> Panel:
    return Panel(
        name="scores",
        title="scores",
        formula=f"q · k ÷ √{d_k}, scaled" if scale else "q · k, not scaled",
        rows=["q"],
        columns=keys,
        axes=("query", "key"),
        palette="scores",
        limit=limit,
        digits=1,
        sentence="score of the query for {column}",
        note=f"each a sum of {d_k} products" if d_k > 1 else "one product each",
    )


def _weights(keys: list[str]) -> Panel:
    return Panel(
        name="weights",
        title="weights",
        formula="softmax",
        rows=["q"],
        columns=keys,
        axes=("query", "key"),
        sentence="the share of its attention that the query gives to {column}",
        note="they sum to 1",
    )


def _slope(keys: list[str]) -> Panel:
    return Panel(
        name="slope",
        title="slope",
        formula="∂weight ÷ ∂score",
        rows=keys,
        columns=keys,
        axes=("weight of", "score of"),
        palette="scores",
        limit=0.25,
        digits=3,
        sentence="how fast the weight of {row} grows with the score of {column}",
        recipe={"kind": "slope", "of": "weights"},
        note="where all are 0, no score can learn",
        group=1,
    )


def _many() -> Panel:
    return Panel(
        name="average",
        title="many",
        formula=f"{QUERIES} queries with {KEYS} keys each",
        rows=["all"],
        columns=["σ of scores", "top weight", "Σ diagonal"],
        axes=("", ""),
        palette="scores",
        limit=0.0,
        digits=3,
        sentence=f"{{column}}, over {QUERIES} queries with {KEYS} keys each",
        note="Σ diagonal: the slopes k1 on k1 to k8 on k8, added; its mean",
        group=1,
    )

"""Five ways to hide a key, and a mask's presets: what the masks' explorers share."""

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...model.attention import masked_softmax
from ...model.masks import causal_mask, padding_mask
from ..toolkit.explorer import Arrays

LIBRARY, BY_HAND, LARGE = "library", "−∞ by hand", "−1e9"
AFTER, RENORMALISED = "after", "after ÷ Σ"
WAYS = (LIBRARY, BY_HAND, LARGE, AFTER, RENORMALISED)
BEFORE = (LIBRARY, BY_HAND, LARGE)  # these act on the scores, the others on weights
ROWS = "rows of padding"  # what a padding mask is not, to be compared with it
KINDS = ("none", "causal", "padding", ROWS, "causal & padding")
LARGEST_SHIFT = 20.0  # below it, e to a score is written without subtracting the top
Matrix = NDArray[np.float64]


def preset(kind: str, T: int, S: int, length: int) -> Tensor:
    """The mask of a name, boolean (T, S), True where a query may look.

    Args:
        kind: one of KINDS, or "cross", which hides the source's padding.
        T: the number of queries.
        S: the number of keys.
        length: how many tokens are real, 0 … S; of use where padding is hidden.

    Raises:
        ValueError: the kind is none of these, length is out of range, or the mask is
            causal and T is not S.
    """
    if kind not in (*KINDS, "cross"):
        raise ValueError(f"mask must be one of {(*KINDS, 'cross')}, got {kind!r}")
    if "causal" in kind and T != S:
        raise ValueError(
            f"a causal mask needs as many queries as keys, got {T} and {S}"
        )
    mask = torch.ones(T, S, dtype=torch.bool)
    if "causal" in kind:
        mask = mask & causal_mask(T)
    if kind == ROWS:
        return mask & padding_mask(torch.tensor([length]), length=T)[0, 0].T  # (T, 1)
    if "padding" in kind or kind == "cross":
        mask = mask & padding_mask(torch.tensor([length]), length=S)[0, 0]  # (1, S)
    return mask


def adjusted(mask: Tensor, by_hand: Matrix) -> Tensor:
    """A mask with some cells set by hand: 1 may look, 0 may not, NaN as it was.

    Raises:
        ValueError: a cell set by hand holds another number.
    """
    hand = torch.from_numpy(by_hand)
    known = (hand == 0) | (hand == 1) | hand.isnan()
    if not known.all():
        raise ValueError(f"a cell of a mask holds 0 or 1, got {float(hand[~known][0])}")
    return torch.where(hand.isnan(), mask, hand == 1)


def conventions(may_look: Tensor) -> Arrays:
    """One mask in the three ways that code writes it down."""
    added = torch.zeros(may_look.shape, dtype=torch.float64)
    return {
        "may_look": may_look.double().numpy(),
        "hides": (~may_look).double().numpy(),
        "added": added.masked_fill(~may_look, -torch.inf).numpy(),
    }


def weigh(scores: Tensor, may_look: Tensor, way: str) -> dict[str, Tensor]:
    """Turn scores into weights, hiding keys in one of five ways.

    Args:
        scores: (T, S).
        may_look: boolean (T, S).
        way: one of WAYS. Before the softmax: −∞, with zeros for a query that may look
            nowhere (library), −∞ and nothing more, or −1e9. After it: weights times the
            mask, or that divided by its row's sum.

    Returns:
        "masked" (T, S): the scores that the softmax sees, or its weights before they
        are masked; "parts" (T, S) and "total" (T, 1), of which "weights" (T, S) are
        shares; "shift" (T, 1), subtracted before e is raised to the scores.

    Raises:
        ValueError: the way is none of these.
    """
    if way in BEFORE:
        return _before(scores, may_look, way)
    if way not in WAYS:
        raise ValueError(f"hide must be one of {WAYS}, got {way!r}")
    every = masked_softmax(scores)
    kept = every * may_look
    total = kept.sum(-1, keepdim=True)
    weights = kept if way == AFTER else kept / total
    none = torch.zeros_like(total)
    return _named(every, kept, total, none, weights)


def _before(scores: Tensor, may_look: Tensor, way: str) -> dict[str, Tensor]:
    masked = scores.masked_fill(~may_look, -1e9 if way == LARGE else -math.inf)
    if way == LIBRARY:
        weights = masked_softmax(scores, may_look)
    else:
        weights = torch.softmax(masked, dim=-1)
    top = masked.amax(-1, keepdim=True)
    plain = (top.abs() < LARGEST_SHIFT) | top.isinf()
    shift = torch.where(plain, torch.zeros_like(top), top)
    parts = (masked - shift).exp()
    return _named(masked, parts, parts.sum(-1, keepdim=True), shift, weights)


def _named(*steps: Tensor) -> dict[str, Tensor]:
    names = ("masked", "parts", "total", "shift", "weights")
    return dict(zip(names, steps, strict=True))

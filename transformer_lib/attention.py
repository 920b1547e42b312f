"""Attention: every query takes a weighted average of the values."""

import math

import torch
from torch import Tensor


def scaled_dot_product_attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Average the values, weighted by how well each query matches each key.

        output = softmax(q kᵀ / √d_k) v

    Args:
        q: queries (..., T, d_k).
        k: keys (..., S, d_k).
        v: values (..., S, d_v).
        mask: boolean, broadcasts to (..., T, S); True where a query may look.

    Returns:
        output (..., T, d_v) and weights (..., T, S). Rows of weights sum to 1;
        a query that may look nowhere gets zeros.

    Raises:
        TypeError: an argument is no tensor, the three are not of one floating-point
            type, or the mask is not boolean.
        ValueError: shapes do not fit, a length or d_k is 0, a number is not finite,
            or a score is too large for the type of q.

    Source: Vaswani et al. (2017), §3.2.1; D0.3.2, D2.3.2, D3.4.2.
    """
    check_attention(q, k, v, mask)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., T, S)
    check_scores(scores)
    weights = masked_softmax(scores, mask)  # (..., T, S)
    return weights @ v, weights  # (..., T, d_v), (..., T, S)


def masked_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Turn each row of scores into weights that sum to 1 over the allowed keys.

        weights_j = exp(score_j) / Σ_allowed exp(score)

    A hidden score becomes −∞ before the softmax, so its weight is exactly 0. A row
    with no allowed key has no such weights: it gets zeros, and gradients of zero.

    Args:
        scores: (..., T, S).
        mask: boolean, broadcasts to (..., T, S); True where a query may look.

    Returns:
        weights (..., T, S).

    Source: Vaswani et al. (2017), §3.2.3; D2.8, D3.4.3.
    """
    if mask is None:
        return torch.softmax(scores, dim=-1)
    blind = ~mask.any(dim=-1, keepdim=True)  # (..., T, 1)
    scores = scores.masked_fill(~mask, -torch.inf).masked_fill(blind, 0.0)
    return torch.softmax(scores, dim=-1).masked_fill(blind, 0.0)


def check_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> None:
    """Refuse what attention cannot mean, naming the argument and what was expected.

    Raises:
        TypeError, ValueError: as `scaled_dot_product_attention` says.
    """
    for name, x in (("q", q), ("k", k), ("v", v)):
        _check_sequence(name, x)
        if x.dtype != q.dtype:
            raise TypeError(
                f"{name} must have the type of q, got {x.dtype} and {q.dtype}"
            )
    shapes = f"got q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"
    if q.size(-1) != k.size(-1):
        raise ValueError(f"q and k must share d_k, their last size; {shapes}")
    if k.size(-2) != v.size(-2):
        raise ValueError(f"k and v must hold the same number of keys S; {shapes}")
    try:
        lead = _broadcast(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except RuntimeError:
        raise ValueError(f"the leading sizes of q, k, v must fit; {shapes}") from None
    if mask is not None:
        check_mask(mask, (*lead, q.size(-2), k.size(-2)))


def check_mask(mask: Tensor, scores_shape: tuple[int, ...]) -> None:
    """Refuse a mask that is not boolean or does not broadcast to the scores.

    Raises:
        TypeError: the mask is no boolean tensor.
        ValueError: its shape does not broadcast to `scores_shape`.
    """
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        kind = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(
            f"mask must be a boolean tensor, True where a query may look, got {kind}"
        )
    try:
        fits = _broadcast(mask.shape, scores_shape) == scores_shape
    except RuntimeError:
        fits = False
    if not fits:
        raise ValueError(
            f"mask must broadcast to the scores' shape (..., T, S) = {scores_shape}, "
            f"got {tuple(mask.shape)}"
        )


def check_scores(scores: Tensor) -> None:
    """Refuse a score that outgrew its type: an infinite one has no softmax.

    Raises:
        ValueError: q · k is too large for the type of q and k.
    """
    if not torch.isfinite(scores).all():
        i, j = torch.nonzero(~torch.isfinite(scores))[0, -2:].tolist()
        raise ValueError(
            f"q and k are too large for {scores.dtype}: "
            f"the score of query {i} and key {j} is not finite"
        )


def _check_sequence(name: str, x: Tensor) -> None:
    """Refuse what is not a non-empty sequence of finite floating-point vectors."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name} must be a torch.Tensor, got {type(x).__name__}")
    if not x.is_floating_point():
        raise TypeError(f"{name} must be a floating-point tensor, got {x.dtype}")
    if x.dim() < 2:
        raise ValueError(
            f"{name} must have shape (..., length, features), got {tuple(x.shape)}"
        )
    if 0 in x.shape[-2:]:
        raise ValueError(
            f"{name} must hold at least one vector of at least one feature, "
            f"got shape {tuple(x.shape)}"
        )
    if not torch.isfinite(x).all():
        where = tuple(torch.nonzero(~torch.isfinite(x))[0].tolist())
        raise ValueError(f"{name} must be finite, got {x[where].item()} at {where}")


def _broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(torch.broadcast_shapes(*shapes))  # type: ignore[no-untyped-call]

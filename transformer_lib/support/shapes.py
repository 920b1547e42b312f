"""What every call refuses: tensors of the wrong type or shape."""

import torch
from torch import Tensor


def check_tensor(name: str, x: Tensor) -> None:
    """Refuse what is no tensor.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"{name} must be a torch.Tensor, got {type(x).__name__}")


def check_dtype(name: str, x: Tensor, weight: Tensor) -> None:
    """Refuse numbers of another type than a layer's own; autocast casts them.

    Raises:
        TypeError: x is not of the type of `weight`.
    """
    if x.dtype != weight.dtype and not torch.is_autocast_enabled(x.device.type):
        raise TypeError(f"{name} must be of type {weight.dtype}, got {x.dtype}")


def check_features(name: str, x: Tensor, weight: Tensor) -> None:
    """Refuse what is not (..., D) of a layer's own D and type.

    Raises:
        TypeError: it is no tensor of the type of `weight`, whose last size is D.
        ValueError: its last size is not D.
    """
    check_tensor(name, x)
    check_dtype(name, x, weight)
    if x.dim() == 0 or x.size(-1) != weight.size(-1):
        raise ValueError(
            f"{name} must have shape (…, {weight.size(-1)}), got {tuple(x.shape)}"
        )


def check_vectors(name: str, x: Tensor, weight: Tensor) -> None:
    """Refuse what is not (B, T, D) of a layer's own D and type, with T at least 1.

    Raises:
        TypeError, ValueError: as `check_features`, or it has another shape.
    """
    check_features(name, x, weight)
    if x.dim() != 3 or x.size(1) == 0:
        raise ValueError(
            f"{name} must have shape (batch, length ≥ 1, {weight.size(-1)}), "
            f"got {tuple(x.shape)}"
        )


def check_rows(name: str, ids: Tensor) -> None:
    """Refuse what cannot name rows of a table.

    Raises:
        TypeError: it is no tensor of int64 or int32.
    """
    check_tensor(name, ids)
    if ids.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"{name} must hold int64 or int32, got {ids.dtype}")


def check_ids(name: str, ids: Tensor) -> None:
    """Refuse what is not ids (B, T), with T at least 1.

    Raises:
        TypeError: as `check_rows`.
        ValueError: it has another shape.
    """
    check_rows(name, ids)
    if ids.dim() != 2 or ids.size(1) == 0:
        raise ValueError(
            f"{name} must have shape (batch, length ≥ 1), got {tuple(ids.shape)}"
        )


def check_positions(positions: Tensor, ids: Tensor) -> None:
    """Refuse positions that are not one for each id of (B, T).

    Raises:
        TypeError: they are no tensor.
        ValueError: their shape is neither (T,) nor (B, T).
    """
    check_tensor("positions", positions)
    if positions.shape not in (ids.shape, ids.shape[1:]):
        raise ValueError(
            f"positions must have shape {tuple(ids.shape[1:])} or {tuple(ids.shape)}, "
            f"got {tuple(positions.shape)}"
        )


def check_source_mask(mask: Tensor | None, source: Tensor) -> None:
    """Refuse a mask of pairs: the decoder asks which source tokens are real.

    Raises:
        TypeError: the mask is no boolean tensor.
        ValueError: its shape is not (B, 1, 1, S).
    """
    if mask is None:
        return
    _check_boolean("source_mask", mask)
    B, S = source.shape
    if mask.shape not in ((B, 1, 1, S), (1, 1, 1, S)):
        raise ValueError(
            "source_mask must have shape (B, 1, 1, S), as padding_mask makes it, "
            f"got {tuple(mask.shape)} for source {tuple(source.shape)}"
        )


def check_heads_mask(name: str, mask: Tensor, scores: tuple[int, ...]) -> None:
    """Refuse a mask that does not fit the scores (B, H, T, S), or fits in two ways.

    Raises:
        TypeError: the mask is no boolean tensor.
        ValueError: it does not broadcast, or lacks the axes that tell B, H and T apart.
    """
    _check_boolean(name, mask)
    shape = tuple(mask.shape)
    B, H, T, _ = scores
    if len(shape) == 2 and B > 1 and shape[0] == B == T:
        raise ValueError(
            f"{name} of shape {shape} could be (T, S) or (B, S), for B = T = {B}: "
            f"write {name}[None, None] for the former, "
            f"{name}[:, None, None, :] for the latter"
        )
    if len(shape) == 3 and B > 1 and shape[0] == B == H:
        raise ValueError(
            f"{name} of shape {shape} could be (H, T, S) or (B, T, S), "
            f"for B = H = {B}: write {name}[None] for the former, "
            f"{name}[:, None] for the latter"
        )
    pairs = zip(reversed(shape), reversed(scores), strict=False)
    if len(shape) > 4 or any(mine not in (1, theirs) for mine, theirs in pairs):
        check_mask(mask, scores, name)


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


def check_mask(mask: Tensor, scores_shape: tuple[int, ...], name: str = "mask") -> None:
    """Refuse a mask that is not boolean or does not broadcast to the scores.

    Raises:
        TypeError: the mask is no boolean tensor.
        ValueError: its shape does not broadcast to `scores_shape`.
    """
    _check_boolean(name, mask)
    try:
        fits = _broadcast(mask.shape, scores_shape) == scores_shape
    except RuntimeError:
        fits = False
    if not fits:
        raise ValueError(
            f"{name} must broadcast to the scores' shape (..., T, S) = {scores_shape}, "
            f"got {tuple(mask.shape)}"
        )


def _check_boolean(name: str, mask: Tensor) -> None:
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        kind = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(
            f"{name} must be a boolean tensor, True where a query may look, got {kind}"
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
    check_tensor(name, x)
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

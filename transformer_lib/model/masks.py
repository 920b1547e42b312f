"""Masks: who may look at whom. Boolean, and True means "may look"."""

import torch
from torch import Tensor

from ..support.shapes import check_tensor
from ..support.validation import check_integer, check_size

_INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def causal_mask(length: int) -> Tensor:
    """Let position i look at positions 0 … i: itself and the past.

        mask[i, j] = (j ≤ i)

    Args:
        length: the number of positions, at least 1.

    Returns:
        boolean (length, length), True on and below the diagonal.

    Raises:
        TypeError: length is not an integer.
        ValueError: length is below 1.

    Source: Vaswani et al. (2017), §3.2.3; D2.8, D3.9.3.
    """
    check_size("length", length)
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(
    sequences: Tensor, *, pad_id: int | None = None, length: int | None = None
) -> Tensor:
    """Hide padding from every query: a padding mask covers columns, the keys.

    Say where the padding is in one of two ways: the true lengths of the sequences,
    (B,), or their ids, (B, S), with the id that stands for padding.

    Args:
        sequences: integer lengths (B,), or integer ids (B, S).
        pad_id: the id of padding; needed with ids, refused with lengths.
        length: S, the padded length; with lengths only, their maximum by default.

    Returns:
        boolean (B, 1, 1, S), True at real tokens; broadcasts to (B, H, T, S).

    Raises:
        TypeError: sequences is no integer tensor; pad_id or length no integer.
        ValueError: sequences is neither (B,) nor (B, S), pad_id or length does not
            go with it, pad_id is none of their type, or a length is negative or above
            `length`.
    """
    check_tensor("sequences", sequences)
    if sequences.dtype not in _INTEGERS:
        raise TypeError(f"sequences must hold integers, got {sequences.dtype}")
    if sequences.dim() == 2:
        return _from_ids(sequences, pad_id, length)
    if sequences.dim() == 1:
        return _from_lengths(sequences, pad_id, length)
    raise ValueError(
        "sequences must be lengths (B,) or ids (B, S), "
        f"got shape {tuple(sequences.shape)}"
    )


def _from_ids(ids: Tensor, pad_id: int | None, length: int | None) -> Tensor:
    if pad_id is None:
        raise ValueError(
            f"pad_id must name the padding in ids {tuple(ids.shape)}, got None"
        )
    if length is not None:
        raise ValueError(f"length goes with lengths (B,), not with ids, got {length}")
    check_integer("pad_id", pad_id)
    known = torch.iinfo(ids.dtype)
    if not known.min <= pad_id <= known.max:  # compared with ids it would wrap around
        raise ValueError(
            f"pad_id must lie between {known.min} and {known.max}, as {ids.dtype} "
            f"does, got {pad_id}"
        )
    return (ids != pad_id)[:, None, None, :]  # (B, 1, 1, S)


def _from_lengths(lengths: Tensor, pad_id: int | None, length: int | None) -> Tensor:
    if pad_id is not None:
        raise ValueError(f"pad_id goes with ids (B, S), not with lengths, got {pad_id}")
    longest = int(lengths.max()) if lengths.numel() else 0
    size = longest if length is None else length
    check_size("length", size, least=0)
    if lengths.numel() and (int(lengths.min()) < 0 or longest > size):
        raise ValueError(
            f"sequences must be lengths between 0 and {size}, got {lengths.tolist()}"
        )
    positions = torch.arange(size, device=lengths.device)
    return (positions < lengths[:, None])[:, None, None, :]  # (B, 1, 1, S)

"""Masks: who may look at whom. Boolean, and True means "may look"."""

import math

import torch
from torch import Tensor

from ..checks.arguments import check_arguments
from ..checks.validation import check_size, check_type, require

Mask = Tensor | None  # None hides nothing


@check_arguments
def causal_mask(
    length: int, past: int = 0, device: torch.device | None = None
) -> Tensor:
    """Let each position look at itself and the past, and never at the future.

        mask[i, j] = (j ≤ past + i), boolean (length, past + length)

    Args:
        length: the number of positions that look, at least 1.
        past: how many positions before them a cache remembers, at least 0.
        device: of the result; torch's default without it.

    Source: Vaswani et al. (2017), §3.2.3; D2.8, D3.9.3.
    """
    pairs = torch.ones(length, past + length, dtype=torch.bool, device=device)
    return pairs.tril(past)


def padding_mask(
    sequences: Tensor, *, pad_id: int | None = None, length: int | None = None
) -> Tensor:
    """Hide padding from every query: a padding mask covers columns, the keys.

    Args:
        sequences: their true lengths (B,); or their ids (B, S), with a pad_id.
        pad_id: the id of padding; needed with ids, refused with lengths.
        length: S, the padded length; with lengths only, their maximum by default.

    Returns:
        boolean (B, 1, 1, S), True at real tokens; broadcasts to (B, H, T, S).

    Raises:
        TypeError, ValueError: sequences are no integers (B,) or (B, S), pad_id or
            length does not go with them, or a length is not from 0 to S.
    """
    check_type("sequences", sequences, Tensor)
    dtype, shape = sequences.dtype, tuple(sequences.shape)
    whole = not (dtype == torch.bool or dtype.is_floating_point or dtype.is_complex)
    require(whole, "sequences", "hold integers", dtype, TypeError)
    fits, wanted = len(shape) in (1, 2), "be lengths (B,) or ids (B, S)"
    require(fits, "sequences", wanted, f"shape {shape}")
    if len(shape) == 1:
        require(pad_id is None, "pad_id", f"be None with lengths {shape}", pad_id)
        return _within(sequences, length)[:, None, None, :]  # (B, 1, 1, S)
    require(length is None, "length", f"be None with ids {shape}", length)
    if pad_id is None:
        raise ValueError(f"pad_id must name the padding in ids {shape}, got None")
    check_size("pad_id", pad_id, least=-math.inf)
    known = torch.iinfo(dtype)  # beyond it, the comparison would wrap around
    span = f"lie between {known.min} and {known.max}, as {dtype} does"
    require(known.min <= pad_id <= known.max, "pad_id", span, pad_id)
    return sequences.ne(pad_id)[:, None, None, :]  # (B, 1, 1, S)


def _within(lengths: Tensor, length: int | None) -> Tensor:
    numbers = lengths.tolist()
    S = max(numbers, default=0) if length is None else length
    check_size("length", S, least=0)
    fits = all(0 <= n <= S for n in numbers)
    require(fits, "sequences", f"be lengths between 0 and {S}", numbers)
    return torch.arange(S, device=lengths.device) < lengths[:, None]  # (B, S)

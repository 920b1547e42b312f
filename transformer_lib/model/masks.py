"""Masks: who may attend to whom. Boolean, and True means "may attend"."""

import torch
from torch import Tensor

from ..checks.arguments import check_arguments
from ..checks.validation import check_padding

Mask = Tensor | None  # None hides nothing


@check_arguments
def causal_mask(
    length: int, past: int = 0, device: torch.device | None = None
) -> Tensor:
    """Let each position attend to itself and the past, and never to the future.

        mask[i, j] = (j ≤ past + i), boolean (length, past + length)

    Args:
        length: the number of queries, at least 1.
        past: how many positions before them are cached, at least 0.
        device: of the result.

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
        TypeError, ValueError: sequences are not integers (B,) or (B, S), pad_id or
            length does not belong to them, or a length is not in 0 … S.
    """
    check_padding(sequences, pad_id, length)
    if pad_id is not None:
        real = sequences != pad_id  # (B, S)
    else:
        S = max(sequences.tolist(), default=0) if length is None else length
        real = torch.arange(S, device=sequences.device) < sequences[:, None]  # (B, S)
    return real[:, None, None, :]  # (B, 1, 1, S)

"""Attention masks: boolean tensors in which True means "may attend"."""

import torch
from torch import Tensor

from ..checks.validation import check_arguments, check_padding

Mask = Tensor | None  # None masks nothing


@check_arguments
def causal_mask(
    length: int,
    past: int = 0,
    device: torch.device | None = None,
    window: int | None = None,
) -> Tensor:
    """Let each position attend to itself and to earlier positions only.

        mask[i, j] = (past + i − window < j ≤ past + i), boolean (length, past + length)

    Args:
        length: the number of queries, at least 1.
        past: the number of cached positions before them, at least 0.
        device: where to create the mask.
        window: how many positions, itself included, a position may attend to at most;
            by default all that are not later.

    Raises:
        TypeError, ValueError: length, past or window is not an integer, or too small.

    Source: Vaswani et al. (2017), §3.2.3; D2.8, D3.9.3; Beltagy et al. (2020), §3.1.
    """
    pairs = torch.ones(length, past + length, dtype=torch.bool, device=device)
    mask = pairs.tril(past)
    return mask if window is None else mask.triu(past - window + 1)


def padding_mask(
    sequences: Tensor, *, pad_id: int | None = None, length: int | None = None
) -> Tensor:
    """Hide padding from every query. A padding mask hides keys, which are columns.

    Args:
        sequences: either the lengths without padding (B,), or the padded ids (B, S).
        pad_id: the id of padding; required with ids, not allowed with lengths.
        length: S, the padded length; only with lengths, whose maximum is the default.

    Returns:
        boolean (B, 1, 1, S), False for padding; it broadcasts to (B, H, T, S).

    Raises:
        TypeError, ValueError: sequences are not integers (B,) or (B, S), pad_id or
            length does not fit them, or a length is not in 0 … S.

    Source: D2.8, D3.4.3.
    """
    check_padding(sequences, pad_id, length)
    if pad_id is not None:
        is_token = sequences != pad_id  # (B, S)
    else:
        S = max(sequences.tolist(), default=0) if length is None else length
        positions = torch.arange(S, device=sequences.device)  # (S,)
        is_token = positions < sequences[:, None]  # (B, S)
    return is_token[:, None, None, :]  # (B, 1, 1, S)

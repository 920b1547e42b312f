"""Attention again, by torch's fused kernel: the same output, and no T × S weights."""

import torch
import torch.nn.functional as F
from torch import Tensor

QUERIES_AT_ONCE = 512


def fused_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    *,
    causal: bool = False,
) -> Tensor:
    """Average the values as `scaled_dot_product_attention` does, without the weights.

    A causal mask on top of another is made for some queries at a time, so that without
    gradients memory grows with n. (Training with padding keeps every chunk's mask,
    which grows with n².)

    Args:
        q: queries (B, H, T, d_k).
        k: keys (B, H, S, d_k).
        v: values (B, H, S, d_k).
        mask: boolean, broadcasts to (B, H, T, S); True where a query may look.
        causal: hide the future as well: the last query stands at the last key.

    Returns:
        (B, H, T, d_k); a query that may look nowhere gets zeros.
    """
    T, S = q.size(-2), k.size(-2)
    if not causal or T == 1:
        return F.scaled_dot_product_attention(q, k, v, mask)
    if mask is None and T == S:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    parts = []
    for first in range(0, T, QUERIES_AT_ONCE):
        last = min(first + QUERIES_AT_ONCE, T)
        allowed = causal_rows(first, last, T, S, q.device)  # (last − first, S)
        if mask is not None:
            wide = mask.broadcast_to(*mask.shape[:-2], T, S)  # (…, T, S), a view
            allowed = allowed & wide[..., first:last, :]
        some = q[..., first:last, :]
        parts.append(F.scaled_dot_product_attention(some, k, v, allowed))
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim=-2)


def causal_rows(first: int, last: int, T: int, S: int, device: torch.device) -> Tensor:
    """Make rows `first` to `last` of the causal mask of T queries and S keys.

        allowed[i, j] = (j ≤ S − T + i)

    The last query stands at the last key, so that a chunk of new queries sees the past
    that a cache holds. (torch's `is_causal` puts the first query at the first key.)

    Returns:
        boolean (last − first, S).
    """
    rows = torch.ones(last - first, S, dtype=torch.bool, device=device)
    return rows.tril(S - T + first)

"""Fast attention: torch's fused kernel, and a cheaper dropout."""

from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

QUERIES_AT_ONCE = 512
KEYS_AT_ONCE = 16  # in the widest register of a CPU
FACES = 2**16  # of the coin: a share is rounded to a multiple of 1/65 536


def fused_attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None
) -> Tensor:
    """Average the values as `scaled_dot_product_attention` does, without the weights.

    The kernel turns a mask into numbers of q's type, one for each pair of positions.
    So if each query has a mask of its own, we pass a part of the queries at a time, and
    memory grows with T instead of T². A query that may attend to no key gets zeros, or
    NaN if a weight is NaN. Shapes: q and the result (B, H, T, d_k), k and v
    (B, G, S, d_k), where G divides H; the mask broadcasts to (B, H, T, S).
    """
    H = q.size(1)
    grouped = k.size(1) != H
    if grouped and k.device.type != "cpu":  # elsewhere no kernel has groups and a mask
        k, v, grouped = per_head(k, H), per_head(v, H), False
    kernel = partial(F.scaled_dot_product_attention, enable_gqa=grouped)
    if mask is None:
        heads = kernel(q, k, v)
        return heads if k.size(2) >= KEYS_AT_ONCE else _with_nan(heads, q, k)
    mask = mask[(None,) * (4 - mask.dim())]  # (B or 1, H or 1, T or 1, S or 1)
    if mask.size(2) <= QUERIES_AT_ONCE:
        return kernel(q, k, v, mask)
    parts = zip(*(torch.split(x, QUERIES_AT_ONCE, 2) for x in (q, mask)), strict=True)
    found = [kernel(rows, k, v, m) for rows, m in parts]
    return torch.cat(found, dim=2)


def per_head(x: Tensor, H: int) -> Tensor:
    """Repeat each of the G heads of keys or values for its H/G heads of queries."""
    G = x.size(1)
    return x if G == H else x.repeat_interleave(H // G, dim=1)


def _with_nan(heads: Tensor, q: Tensor, k: Tensor) -> Tensor:
    """Bring back a NaN: if all of a query's few scores are NaN, the kernel returns 0.

    All are NaN if the query has a NaN, or every key, and so the first, has one.
    """
    nan = torch.add(q, per_head(k.narrow(2, 0, 1), q.size(1)), alpha=0)
    return torch.add(heads, nan.detach(), alpha=0)


def dropout(x: Tensor, share: float, training: bool) -> Tensor:
    """Set a share of the numbers to 0 at random, and scale up the rest, in training.

        y = x · kept / (1 − share),  each kept with probability 1 − share

    So the expected y is x. On a CPU each 64-bit random number serves as four of 16
    bits, and the share is rounded to 1/65,536; elsewhere this is `F.dropout`. Shapes: y
    and x (...).

    Source: Srivastava et al. (2014); Vaswani et al. (2017), §5.4.
    """
    if not training or share == 0:
        return x
    kept = FACES - round(share * FACES)
    if x.device.type != "cpu" or kept == 0:
        return F.dropout(x, share)
    if kept == FACES:
        return x  # a bound of 32 768 does not fit 16 bits: it would wrap around
    words = torch.empty(-(-x.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
    tosses = words.view(torch.int16)[: x.numel()].view(x.shape)
    scaled = (tosses < kept - FACES // 2).to(x.dtype).mul_(FACES / kept)
    return x * scaled

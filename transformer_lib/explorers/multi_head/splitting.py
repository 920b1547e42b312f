"""A matrix of tokens split into heads: where its numbers stand, and where they lie."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from ... import plots
from ..toolkit.explorer import Arrays

X, VIEW, TRANSPOSE, COPY = "x", "view", "transpose", "contiguous"
JOINED, MISTAKE = "joined again", "view alone"
STEPS = (X, VIEW, TRANSPOSE, COPY, JOINED, MISTAKE)
TITLE, GAP = 2.6, 0.6  # room, in tiles, for row labels; between two blocks
WIDEST = 24  # tiles in one line


def split(length: int, d_model: int, n_heads: int, step: str) -> Tensor:
    """The numbers 0, 1, … of a matrix (T, D), after a step of the split.

    Raises:
        ValueError: the step is none of STEPS.
    """
    T, H, d_k = length, n_heads, d_model // n_heads
    x = torch.arange(T * d_model, dtype=torch.float64).view(T, d_model)
    views = {X: x, VIEW: x.view(T, H, d_k), MISTAKE: x.view(H, T, d_k)}
    if step in views:
        return views[step]
    heads = views[VIEW].transpose(0, 1)  # (H, T, d_k)
    if step == TRANSPOSE:
        return heads
    if step == COPY:
        return heads.contiguous()
    if step == JOINED:  # as after attention, whose result is laid out head by head
        return heads.contiguous().transpose(0, 1).reshape(T, d_model)
    raise ValueError(f"step must be one of {STEPS}, got {step!r}")


def split_steps(length: int, d_model: int, *, step: str, n_heads: int) -> Arrays:
    """Where every number stands in the tensor, and where it lies in memory.

        address = Σ_axis index_axis · stride_axis

    Args:
        length: T.
        d_model: D.
        step: one of STEPS.
        n_heads: H, a divisor of D.

    Returns:
        "tensor" and "memory" (T·D, 3): x, y and shade of every number, in the order
        of the matrix (T, D); "index" (T·D, 2 or 3), "address" (T·D, 1), and "shape"
        and "strides" of the tensor, (1, 2 or 3).

    Raises:
        ValueError: the step is none of STEPS.
    """
    t = split(length, d_model, n_heads, step)
    N, d_k = t.numel(), d_model // n_heads
    order = t.flatten().long()  # which number stands 1st, 2nd, …
    index = torch.empty(N, t.dim(), dtype=torch.float64)
    index[order] = torch.cartesian_prod(*map(torch.arange, t.shape)).double()
    strides = torch.tensor(t.stride(), dtype=torch.float64)
    address = index @ strides  # (N,)
    shade = _shades(n_heads)[torch.arange(N) % d_model // d_k].double()
    across = in_line_of_memory(N)
    block, row, column = index.T if t.dim() == 3 else (torch.zeros(N), *index.T)
    left, top = corner(block, t.size(-1), t.size(-2))
    lies = torch.stack([address % across, 2 * (address // across), shade], -1)
    return {
        "tensor": torch.stack([left + column, top + row, shade], -1).numpy(),
        "memory": lies.numpy(),
        "index": index.numpy(),
        "address": address[:, None].numpy(),
        "shape": np.array([t.shape], dtype=np.float64),
        "strides": strides[None].numpy(),
    }


def in_line_of_memory(count: int) -> int:
    """How many numbers of memory are drawn in one line."""
    return count if count <= WIDEST else 16


def corner(block: Any, wide: int, high: int) -> tuple[Any, Any]:
    """Where a block begins, under its name: side by side, in lines of equal height."""
    in_line = max(1, int(WIDEST // (wide + GAP)))
    return TITLE + block % in_line * (wide + GAP), 1 + block // in_line * (high + 1.0)


def _shades(n_heads: int) -> Tensor:
    """One shade per head, from faint to full."""
    return torch.linspace(3, plots.STEPS - 2, n_heads).round().long()

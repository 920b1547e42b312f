"""From ids to vectors: a row for each token, and a row for each position."""

import math
from collections.abc import Callable
from typing import Literal, Self, get_args

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..support.shapes import check_features, check_rows
from ..support.validation import check_number, check_option, check_size

Positions = Literal["sinusoidal", "learned", "none"]


class TokenEmbedding(nn.Module):
    """Look each id up in a matrix of vectors, and scale the row by √d_model.

        x_t = √d_model · E[id_t]

    The rows start small, N(0, 1/d_model), so that the same matrix can also score the
    output; the scale makes them as large as the positions that are added next.

    Args:
        vocabulary_size: V, the number of rows.
        d_model: D, the size of a vector.

    Raises:
        TypeError, ValueError: a size is no integer, or below 1.

    Source: Vaswani et al. (2017), §3.4; D1.16.1, D2.1.4, D3.2.
    """

    def __init__(self, vocabulary_size: int, d_model: int) -> None:
        super().__init__()
        check_size("vocabulary_size", vocabulary_size)
        check_size("d_model", d_model)
        self.weight = nn.Parameter(torch.empty(vocabulary_size, d_model))
        nn.init.normal_(self.weight, std=d_model**-0.5)
        self.scale = math.sqrt(d_model)

    def forward(self, ids: Tensor) -> Tensor:
        """Turn ids (B, T) into vectors (B, T, D).

        Raises:
            TypeError: ids are no integer tensor.
            IndexError: an id is outside the vocabulary.
        """
        return _rows("ids", ids, self.weight) * self.scale

    def logits(self, x: Tensor) -> Tensor:
        """Score every token by how well its row matches x (B, T, D): (B, T, V)."""
        check_features("x", x, self.weight)
        return F.linear(x, self.weight)

    def extra_repr(self) -> str:
        """Show V → D."""
        return "{} → {}".format(*self.weight.shape)


def sinusoidal_encoding(
    length: int,
    d_model: int,
    base: float = 10_000.0,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """Give each position sines and cosines, from fast to slow.

        PE[p, 2i]     = sin(p / base^(2i/d_model))
        PE[p, 2i + 1] = cos(p / base^(2i/d_model))

    The angles are computed in float64 and rounded once: in bfloat16 they would send
    different positions to the same row. An odd d_model ends in a sine.

    Args:
        length: the number of positions, counted from 0.
        d_model: D, the number of columns.
        base: sets the slowest wave, of wavelength up to 2π·base.
        dtype: of the result; torch's default without it.

    Returns:
        (length, D).

    Raises:
        TypeError, ValueError: a size is no integer or below 1, the base is not a
            finite number above 0, or the dtype no floating-point one.

    Source: Vaswani et al. (2017), §3.5; D0.4, D1.9.1, D2.2, D3.3.
    """
    check_size("length", length)
    check_size("d_model", d_model)
    check_number("base", base, 0.0, above=True)
    dtype = torch.get_default_dtype() if dtype is None else dtype
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise TypeError(f"dtype must be a floating-point torch.dtype, got {dtype!r}")
    p = torch.arange(length, dtype=torch.float64)[:, None]  # (length, 1)
    two_i = torch.arange(0, d_model, 2, dtype=torch.float64)  # (⌈D/2⌉,)
    angles = p / base ** (two_i / d_model)  # (length, ⌈D/2⌉)
    table = torch.empty(length, d_model, dtype=torch.float64)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles[:, : d_model // 2].cos()
    return table.to(dtype)


class PositionalEncoding(nn.Module):
    """Look each position up in a table: fixed waves, learned rows, or nothing (zeros).

    The model adds the result to the token's vector.

    Args:
        max_length: the number of positions.
        d_model: D, the size of a vector.
        kind: "sinusoidal", "learned" or "none".

    Raises:
        TypeError, ValueError: a size is no integer or below 1, or the kind unknown.

    Source: Vaswani et al. (2017), §3.5; D0.4, D1.9.3, D2.2, D3.3.
    """

    table: Tensor

    def __init__(
        self, max_length: int, d_model: int, kind: Positions = "sinusoidal"
    ) -> None:
        super().__init__()
        check_size("max_length", max_length)
        check_size("d_model", d_model)
        check_option("kind", kind, get_args(Positions))
        self.kind = kind
        if kind == "learned":
            self.table = nn.Parameter(torch.empty(max_length, d_model))
            nn.init.normal_(self.table, std=d_model**-0.5)
            return
        table = torch.zeros(max_length, d_model)
        if kind == "sinusoidal":
            table = sinusoidal_encoding(max_length, d_model)
        self.register_buffer("table", table, persistent=False)

    def forward(self, positions: Tensor) -> Tensor:
        """Turn positions (T,) or (B, T) into vectors (T, D) or (B, T, D).

        Raises:
            TypeError: positions are no integer tensor.
            IndexError: a position is negative, or max_length or beyond.
        """
        return _rows("positions", positions, self.table)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Cast the waves anew from float64, so that `.double()` is exact."""
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        if self.kind == "sinusoidal":
            exact = sinusoidal_encoding(*self.table.shape, dtype=torch.float64)
            self.table = exact.to(self.table)
        return self

    def extra_repr(self) -> str:
        """Show the kind and the table's size."""
        return "{}, {} → {}".format(self.kind, *self.table.shape)


def _rows(name: str, ids: Tensor, table: Tensor) -> Tensor:
    """Pick rows of a table, refusing what does not name one."""
    check_rows(name, ids)
    try:
        return F.embedding(ids, table)
    except IndexError:
        low, high = int(ids.min()), int(ids.max())
        raise IndexError(
            f"{name} must lie between 0 and {table.size(0) - 1}, got {low} to {high}"
        ) from None

"""Embeddings: turn token ids and positions into vectors."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..checks.validation import (
    check_arguments,
    check_even,
    check_rotary,
    checked_by,
    require,
)
from ..runtime.module import Part
from .config import AddedPositions, Pairs


class TokenEmbedding(Part):
    """Look up each id in a matrix E (V, D), and multiply the row by √d_model.

        x_t = √d_model · E[id_t]

    The entries are initialized as N(0, 1/d_model), small enough for the same matrix to
    compute the logits too. The factor, which `scaled=False` omits, makes the rows about
    as large as the positional encoding that is added to them.

    Source: Vaswani et al. (2017), §3.4; D1.16.1, D2.1.4, D3.2.
    """

    records_output = False  # source and target may share it: the model names its output
    printed = "{0.weight.shape[0]} → {0.weight.shape[1]}"

    @check_arguments
    def __init__(self, vocabulary_size: int, d_model: int, scaled: bool = True) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocabulary_size, d_model))
        nn.init.normal_(self.weight, std=d_model**-0.5)
        self.d_model = d_model
        self.scale = math.sqrt(d_model) if scaled else 1.0

    @check_arguments
    def forward(self, ids: Tensor) -> Tensor:
        """Turn ids (B, T) into vectors (B, T, D).

        Raise an IndexError if an id is not in 0 … V − 1.
        """
        return _rows("ids", ids, self.weight) * self.scale

    @check_arguments
    def logits(self, x: Tensor) -> Tensor:
        """Score every token by the dot product of its row with x: logits = x Eᵀ.

        Shapes: x (B, T, D), logits (B, T, V). Source: Press and Wolf (2017).
        """
        return F.linear(x, self.weight)


@check_arguments
def sinusoidal_encoding(
    length: int, d_model: int, base: float = 1e4, *, dtype: torch.dtype | None = None
) -> Tensor:
    """Encode each position by sines and cosines of falling frequency.

        PE[p, 2i]     = sin(p / base^(2i/d_model))
        PE[p, 2i + 1] = cos(p / base^(2i/d_model))

    Angles are computed in float64 and rounded at the end. In bfloat16, some positions
    would get the same row. If d_model is odd, the last column is a sine.

    Args:
        length: the number of positions, counted from 0.
        d_model: D, the number of columns.
        base: wavelengths range from 2π to almost 2π·base.
        dtype: the type of the result; by default, torch's default type.

    Returns:
        (length, D).

    Raises:
        TypeError, ValueError: length or d_model is below 1, base is not above 0, or
            dtype is not a floating-point type.

    Source: Vaswani et al. (2017), §3.5; D0.4, D1.9.1, D2.2, D3.3.
    """
    dtype = torch.get_default_dtype() if dtype is None else dtype
    fits = dtype.is_floating_point
    require(fits, "dtype", "be a floating-point torch.dtype", dtype, TypeError)
    p = torch.arange(length, dtype=torch.float64)[:, None]  # (length, 1)
    two_i = torch.arange(0, d_model, 2, dtype=torch.float64)  # (⌈D/2⌉,)
    angles = p / base ** (two_i / d_model)  # (length, ⌈D/2⌉)
    waves = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (length, ⌈D/2⌉, 2)
    return waves.flatten(1)[:, :d_model].to(dtype)


class PositionalEncoding(Part):
    """Look up each position in a table (max_length, D), to be added to the tokens.

    The rows are "sinusoidal" (fixed), "learned" (parameters) or "none" (zeros).

    Source: Vaswani et al. (2017), §3.5; D0.4, D1.9.3, D2.2, D3.3.
    """

    records_output = False
    table: Tensor
    printed = "{0.kind}, {0.table.shape[0]} → {0.table.shape[1]}"

    @check_arguments
    def __init__(
        self, max_length: int, d_model: int, kind: AddedPositions = "sinusoidal"
    ) -> None:
        super().__init__()
        self.kind = kind
        table = torch.empty(max_length, d_model)
        if kind == "learned":
            self.table = nn.Parameter(nn.init.normal_(table, std=d_model**-0.5))
        else:
            self.register_buffer("table", table, persistent=False)
        self.fill()

    @check_arguments
    def forward(self, positions: Tensor) -> Tensor:
        """Turn positions (T,) or (B, T) into vectors (T, D) or (B, T, D).

        Raise an IndexError if a position is not in 0 … max_length − 1.
        """
        return _rows("positions", positions, self.table)

    def fill(self) -> None:
        """Compute the rows that are not learned, with the table's type and device."""
        if self.kind == "sinusoidal":
            exact = sinusoidal_encoding(*self.table.shape, dtype=torch.float64)
            self.table = exact.to(self.table)
        elif self.kind == "none":
            self.table = torch.zeros_like(self.table)


Rotation = tuple[Tensor, Tensor]  # cosines and sines


class RotaryEncoding(Part):
    """Look up the angles by which each position turns the pairs of a query or a key.

        θ_(p, i) = p / base^(2i/d_k),  for pair i of d_k/2

    These are the angles of `sinusoidal_encoding`. A row holds d_k cosines and then d_k
    sines: for each feature, what `apply_rotary` multiplies it by, and then what it
    multiplies its partner by. The sine of a pair's first feature is negated. A row in
    two halves is a rotation: `rows.chunk(2, dim=-1)`. Raise a ValueError if d_k is odd.

    Source: Su et al. (2021), §3.2.2 and equation 34.
    """

    records_output = False
    table: Tensor
    printed = "{0.pairs}, base {0.base:g}"

    @check_arguments
    def __init__(
        self,
        max_length: int,
        d_k: int,
        rotary_base: float = 1e4,
        rotary_pairs: Pairs = "neighbors",
    ) -> None:
        super().__init__()
        check_even(d_k)
        self.base = rotary_base
        self.pairs = rotary_pairs
        self.register_buffer("table", torch.empty(max_length, 2 * d_k), False)
        self.fill()

    @check_arguments
    def forward(self, positions: Tensor) -> Tensor:
        """Turn positions (T,) or (B, T) into rows (1, T, 2 d_k) or (B, 1, T, 2 d_k).

        They broadcast over heads. Raise an IndexError if a position is not in
        0 … max_length − 1.
        """
        return _rows("positions", positions, self.table).unsqueeze(-3)

    def fill(self) -> None:
        """Compute the rows, with the table's type and device."""
        length, double = self.table.shape
        waves = sinusoidal_encoding(length, double // 2, self.base, dtype=torch.float64)
        sin, cos = waves[:, 0::2], waves[:, 1::2]  # (length, d_k/2)
        side = -1 if self.pairs == "neighbors" else -2  # where a pair's second one is
        cosines = torch.stack([cos, cos], side).flatten(1)  # (length, d_k)
        sines = torch.stack([-sin, sin], side).flatten(1)
        self.table = torch.cat([cosines, sines], dim=1).to(self.table)


@checked_by(check_rotary)
def apply_rotary(x: Tensor, rotation: Rotation, rotary_pairs: Pairs) -> Tensor:
    """Turn each pair of features (a, b) by the angle θ of its position and pair.

        a' = a cos θ − b sin θ,  b' = b cos θ + a sin θ

    A query at position p and a key at position r then have a product that depends on
    p − r only. Pairs are "neighbors" (2i, 2i + 1) or "halves" (i, i + d_k/2). Shapes: x
    and the result (B, H, T, d_k). The rotation is the two halves of the rows that
    `RotaryEncoding` gives, each (…, T, d_k).

    Raises:
        TypeError, ValueError: x or the rotation has the wrong type or shape, x is not
            finite, d_k is odd, or rotary_pairs is neither of the two.

    Source: Su et al. (2021), §3.4.2, equation 34.
    """
    cos, sin = rotation
    if rotary_pairs == "halves":
        partners = x.roll(x.size(-1) // 2, dims=-1)
    else:
        pairs: Tensor = x.unflatten(-1, (-1, 2))  # type: ignore[no-untyped-call]
        partners = pairs.flip(-1).flatten(-2)  # (B, H, T, d_k): b for a, and a for b
    return torch.addcmul(x * cos, partners, sin)


def _rows(name: str, ids: Tensor, table: Tensor) -> Tensor:
    """Look up rows of a table; raise an IndexError that names the argument `name`."""
    try:
        return F.embedding(ids, table)
    except IndexError:
        low, high = int(ids.min()), int(ids.max())
        span = f"0 and {len(table) - 1}, got {low} to {high}"
        raise IndexError(f"{name} must lie between {span}") from None

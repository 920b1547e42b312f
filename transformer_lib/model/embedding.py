"""Embeddings: from ids, positions and pixels to vectors."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..checks.arguments import check_arguments
from ..checks.validation import require
from ..runtime.module import Part, glorot
from .config import Positions


class TokenEmbedding(Part):
    """Look each id up in a matrix E of vectors (V, D), and scale the row by √d_model.

        x_t = √d_model · E[id_t]

    The rows start small, N(0, 1/d_model), so that the same matrix can also score the
    output; the scale makes them about as large as the waves that are added next. Not
    `scaled`, a row is taken as it is.

    Source: Vaswani et al. (2017), §3.4; D1.16.1, D2.1.4, D3.2.
    """

    records_output = False  # source and target may share it: the model names its output

    @check_arguments
    def __init__(self, vocabulary_size: int, d_model: int, scaled: bool = True) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocabulary_size, d_model))
        nn.init.normal_(self.weight, std=d_model**-0.5)
        self.d_model = d_model
        self.scale = math.sqrt(d_model) if scaled else 1.0

    @check_arguments
    def forward(self, ids: Tensor) -> Tensor:
        """Turn ids (B, T) into vectors (B, T, D)."""
        return _rows("ids", ids, self.weight) * self.scale

    @check_arguments
    def logits(self, x: Tensor) -> Tensor:
        """Score every token by how well its row matches x (B, T, D): (B, T, V)."""
        return F.linear(x, self.weight)


@check_arguments
def sinusoidal_encoding(
    length: int, d_model: int, base: float = 1e4, *, dtype: torch.dtype | None = None
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
        dtype: of the result, (length, D); torch's default without it.

    Raises:
        TypeError, ValueError: a size is below 1, base not above 0, or dtype no float.

    Source: Vaswani et al. (2017), §3.5; D0.4, D1.9.1, D2.2, D3.3.
    """
    dtype = torch.get_default_dtype() if dtype is None else dtype
    real = isinstance(dtype, torch.dtype) and dtype.is_floating_point
    require(real, "dtype", "be a floating-point torch.dtype", repr(dtype), TypeError)
    p = torch.arange(length, dtype=torch.float64)[:, None]  # (length, 1)
    two_i = torch.arange(0, d_model, 2, dtype=torch.float64)  # (⌈D/2⌉,)
    angles = p / base ** (two_i / d_model)  # (length, ⌈D/2⌉)
    waves = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (length, ⌈D/2⌉, 2)
    return waves.flatten(1)[:, :d_model].to(dtype)


class PositionalEncoding(Part):
    """Look each position up in a table: fixed waves, learned rows, or nothing (zeros).

    The model adds the result to the token's vector. The table is (max_length, D), and
    its kind "sinusoidal", "learned" or "none".

    Source: Vaswani et al. (2017), §3.5; D0.4, D1.9.3, D2.2, D3.3.
    """

    records_output = False
    table: Tensor

    @check_arguments
    def __init__(
        self, max_length: int, d_model: int, kind: Positions = "sinusoidal"
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
        """Turn positions (T,) or (B, T) into vectors (T, D) or (B, T, D)."""
        return _rows("positions", positions, self.table)

    def fill(self) -> None:
        """Compute the rows that are not learned, in the table's type, on its device."""
        if self.kind == "sinusoidal":
            exact = sinusoidal_encoding(*self.table.shape, dtype=torch.float64)
            self.table = exact.to(self.table)
        elif self.kind == "none":
            self.table = torch.zeros_like(self.table)


class PatchEmbedding(Part):
    """Cut a picture into square patches, and project the pixels of each to a vector.

        x_n = W · pixels_n + b,  for the n-th patch, row by row

    The C·P² pixels of a patch are ordered by channel, then row by row.

    Source: Dosovitskiy et al. (2021), §3.1; D0.6.vision.
    """

    @check_arguments
    def __init__(self, channels: int, patch_size: int, d_model: int) -> None:
        super().__init__()
        self.channels = channels
        self.patch_size = patch_size
        self.W = nn.Linear(channels * patch_size**2, d_model)
        glorot(self.W)

    @check_arguments
    def forward(self, pictures: Tensor) -> Tensor:
        """Turn pictures (B, C, height, width) of N patches into vectors (B, N, D)."""
        P = self.patch_size
        pixels = F.unfold(pictures, P, stride=P).mT  # (B, N, C · P²)
        vectors: Tensor = self.W(pixels)  # (B, N, D)
        return vectors


def _rows(name: str, ids: Tensor, table: Tensor) -> Tensor:
    """Pick rows of a table; an id outside it raises an IndexError with its name."""
    try:
        return F.embedding(ids, table)
    except IndexError:
        low, high = int(ids.min()), int(ids.max())
        span = f"0 and {len(table) - 1}, got {low} to {high}"
        raise IndexError(f"{name} must lie between {span}") from None

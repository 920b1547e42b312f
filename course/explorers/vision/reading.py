"""A digit that a model reads: where it looks in it, and what it takes it for."""

from typing import Any

from torch import Tensor

from explorable import Array, Sheet
from explorable.drawings.bars import Bars
from explorable.drawings.picture import PixelGrid

from ...data.digits import CLASSES, SIDE
from ...models.vit import GRID, PATCH

FULL = 0.2  # a weight that is tinted in full


def draw_looks(
    s: Sheet, name: str, picture: Tensor, weights: Tensor, **words: Any
) -> None:
    """Draw a digit (8, 8), and over its patches how much each is looked at, (16,)."""
    seen = PixelGrid(
        name=name,
        size=(SIDE, SIDE),
        patch=(PATCH, PATCH),
        full=FULL,
        vmax=1.6,  # ink is gray, so that a tint is seen on it
        palette="weights",
        **words,
    )
    s.draw(seen, picture.double().numpy())
    s.keep(f"{name}.weights", weights.view(GRID, GRID).double().numpy())


def draw_probabilities(
    s: Sheet, probabilities: Array, meant: int | None, **words: Any
) -> None:
    """Draw how likely the model finds each digit, (10, 1); mark what its writer meant.

    None is marked where that is not known.
    """
    bars = Bars(
        name="probabilities",
        labels=[f"{n} ✓" if n == meant else str(n) for n in range(CLASSES)],
        palette="output",
        wide=8,
        leads=True,
        blank_zeros=True,
        sentence="the probability of {label}",
        **words,
    )
    s.draw(bars, probabilities)

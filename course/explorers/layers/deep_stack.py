"""deep_stack: what goes up through many blocks, and what gradient comes down."""

from functools import lru_cache

import numpy as np

from explorable import Axis, Explorer, Sheet, plots
from explorable.controls import choice, stops
from explorable.drawings.curves import Curves

from ...experiments.depth import VARIANTS, D, Passage, Variant, passage

BLOCKS = (1, 2, 4, 6, 12, 24, 48)
WEIGHTS = (0.5, 0.7, 1.0, 1.2, 1.4, 1.6, 2.0)
FLOOR = 1e-12  # a difference below it is one of rounding
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
WORDS = ("AI", "is", "powerful")
SHOWN = 5  # features of each word
HIGHEST = 15  # powers of ten that the picture shows, up and down
_passage = lru_cache(maxsize=128)(passage)


def deep_stack(way: Variant = "nothing", blocks: int = 48) -> Explorer:
    """Three random words on their way up through untrained encoder blocks.

    Args:
        way: what stands around each sub-layer: "nothing", "norm", "add", "post-norm"
            or "pre-norm".
        blocks: one of 1, 2, 4, 6, 12, 24 and 48.

    Returns:
        an Explorer with controls "way", "weights" (what every weight matrix is
        multiplied by) and "blocks". Its values "sizes" (blocks + 1, 3) are the powers
        of ten of signal, gradient and difference before and after each block.

    Raises:
        TypeError, ValueError: there is no such way, or no such number of blocks.

    Source: D1.3.3, D2.4, D3.6.
    """
    controls = {
        "way": choice("around each sub-layer", VARIANTS, way, "way"),
        "weights": stops("first weights ×", WEIGHTS, 1.0),
        "blocks": stops("blocks", BLOCKS, blocks),
    }
    return Explorer(
        "deep_stack",
        deep_stack_sheet,
        controls,
        title="How deep can a stack be?",
        task="Add blocks: what still reaches the top, and which gradient comes back?",
    )


def deep_stack_sheet(*, way: Variant, weights: float, blocks: int) -> Sheet:
    """Signal, gradient and difference, as powers of ten, over the blocks."""
    s = Sheet()
    found = _passage(way, blocks, weights=weights)
    sizes = Curves(
        name="sizes",
        title="powers of ten",
        formula="0 is a size of 1, −3 a thousandth, 3 a thousand",
        x=range(blocks + 1),
        series=("signal ↑", "gradient ↓", "words differ"),
        hues=("output", "negative", "query"),
        axes=("after block", "power of ten"),
        limits=((0, blocks), (-HIGHEST, HIGHEST)),
        digits=1,
        sentence="after block {x}, as powers of ten",
        note=_said(found),
        wide=44,
        high=22,
        room=14,
    )
    s.draw(sizes, powers(found))
    shown = found.top[:, :SHOWN] / found.signal[-1]
    s.show(
        s.leaf("top", Axis("word", WORDS), "feature", shown),
        "at the top",
        formula=f"the words after block {blocks}",
        note=f"the first {SHOWN} of {D} features, ÷ signal",
        palette="scores",
        size="small",
    )
    return s


def powers(found: Passage) -> np.ndarray:
    """The powers of ten (N + 1, 3) of a passage; NaN where a number was too large."""
    apart = found.difference.clamp_min(FLOOR)
    sizes = np.stack([found.signal, found.gradient, apart], axis=1)
    finite = np.where(np.isfinite(sizes) & (sizes > 0), sizes, np.nan)
    return np.asarray(np.log10(finite))


def _said(found: Passage) -> str:
    """The three numbers at the far ends, in words."""
    top = found.signal[-1].item()
    bottom = found.gradient[0].item()
    apart = found.difference[-1].item()
    less = " or less" if apart < FLOOR else ""
    return (
        f"signal at the top: {size(top)} · gradient at the bottom: {size(bottom)} · "
        f"words differ at the top by {size(max(apart, FLOOR))}{less}"
    )


def size(x: float) -> str:
    """A number that may be very large or very small, in a few characters."""
    if not np.isfinite(x):
        return "beyond all numbers"
    if 0.01 <= x < 1000 or x == 0:
        return plots.number(x, 2)
    return "10" + f"{np.log10(x):.0f}".translate(RAISED)

"""deep_stack: how signal, gradient and spread change through many blocks."""

from functools import lru_cache

import numpy as np

from explorable import Axis, Explorer, Sheet, plots
from explorable.controls import choice, stops
from explorable.drawings.curves import Curves

from ...experiments.depth import VARIANTS, D, Passage, Variant, passage

BLOCKS = (1, 2, 4, 6, 12, 24, 48)
WEIGHTS = (0.5, 0.7, 1.0, 1.2, 1.4, 1.6, 2.0)
FLOOR = 1e-12  # a spread below it is rounding error
WORDS = ("AI", "is", "powerful")
SHOWN = 5  # features of each word
HIGHEST = 15  # powers of ten that the picture shows, up and down
_passage = lru_cache(maxsize=128)(passage)


def deep_stack(way: Variant = "nothing", blocks: int = 48) -> Explorer:
    """Send three random words through a stack of untrained encoder blocks.

    Args:
        way: what is put around each sub-layer: "nothing", "norm", "add", "post-norm"
            or "pre-norm".
        blocks: one of 1, 2, 4, 6, 12, 24 and 48.

    Returns:
        an Explorer with controls "way", "weights" (the factor of every weight
        matrix) and "blocks". Its values "sizes" (blocks + 1, 3) are log₁₀ of signal,
        gradient and spread before the first block and after each.

    Raises:
        TypeError, ValueError: way or blocks is not one of these.

    Source: D1.3.3, D2.4, D3.6.
    """
    controls = {
        "way": choice("wrapped in", VARIANTS, way, "way"),
        "weights": stops("initial weights ×", WEIGHTS, 1.0),
        "blocks": stops("blocks", BLOCKS, blocks),
    }
    return Explorer(
        "deep_stack",
        deep_stack_sheet,
        controls,
        title="How deep can a stack be?",
        task="Choose what each sub-layer is wrapped in: what survives the whole stack?",
    )


def deep_stack_sheet(*, way: Variant, weights: float, blocks: int) -> Sheet:
    """Plot signal, gradient and spread over the blocks, as powers of ten."""
    s = Sheet()
    found = _passage(way, blocks, weights=weights)
    sizes = Curves(
        name="sizes",
        title="signal, gradient, spread",
        formula="powers of ten: −3 means 0.001",
        x=range(blocks + 1),
        series=("signal →", "← gradient", "spread"),
        hues=("output", "negative", "query"),
        axes=("after block", "power of ten"),
        limits=((0, blocks), (-HIGHEST, HIGHEST)),
        marks=tuple((n, "words equal") for n in _made_equal(found)),
        digits=1,
        sentence="after block {x}, as powers of ten",
        note=_said(found),
        concludes=True,
        wide=44,
        high=22,
        room=14,
    )
    s.draw(sizes, powers(found))
    shown = found.top[:, :SHOWN] / found.signal[-1]
    s.show(
        s.leaf("top", Axis("word", WORDS), "feature", shown),
        "the words",
        formula="after the last block",
        sentence="“{row}” after the last block, feature {column} ÷ signal",
        note=f"{SHOWN} of {D} features, ÷ signal",
        palette="scores",
        size="small",
    )
    return s


def powers(found: Passage) -> np.ndarray:
    """Return the powers of ten (N + 1, 3) of a passage; NaN where one overflowed."""
    apart = found.difference.clamp_min(FLOOR)
    sizes = np.stack([found.signal, found.gradient, apart], axis=1)
    finite = np.where(np.isfinite(sizes) & (sizes > 0), sizes, np.nan)
    return np.asarray(np.log10(finite))


def _made_equal(found: Passage) -> list[int]:
    """The block after which nothing is left of the spread, if there is one."""
    equal = (found.difference < FLOOR).nonzero().flatten().tolist()
    return equal[:1]


def _said(found: Passage) -> str:
    """State the three numbers at the far ends."""
    top = found.signal[-1].item()
    bottom = found.gradient[0].item()
    apart = found.difference[-1].item()
    less = " or less" if apart < FLOOR else ""
    return (
        f"signal at the output: {size(top)} · "
        f"gradient at the first block: {size(bottom)} · "
        f"spread: {size(max(apart, FLOOR))}{less}"
    )


def size(x: float) -> str:
    """Write a number that may be very large or very small in a few characters."""
    if not np.isfinite(x):
        return "overflow"
    if 0.01 <= x < 1000 or x == 0:
        return plots.number(x, 2)
    return plots.power_of_ten(round(np.log10(x)))

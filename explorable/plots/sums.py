"""Words in a plane, and where each goes when the row of a position is added."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .area import Area, new_axes
from .colors import HUES, INK
from .lettering import short
from .scales import draw_scales, ticks

ROOM = 0.35  # left free around the points
LONGEST = 6.5  # inches of the longer side


def sums(words: ArrayLike, names: Sequence[str], positions: ArrayLike) -> Area:
    """Draw each word's vector as a point, with an arrow to each sum with a position.

    Args:
        words: (N, 2).
        names: N.
        positions: (L, 2): position p is added by the arrow with the number p.

    Returns:
        the area, a new figure.

    Raises:
        ValueError: words or positions are not pairs, or there is not a name for each.
    """
    start, step = (np.asarray(x, dtype=np.float64) for x in (words, positions))
    for name, x in (("words", start), ("positions", step)):
        if x.ndim != 2 or x.shape[1] != 2 or not len(x):
            raise ValueError(f"{name} must have shape (N, 2), got {x.shape}")
    if len(names) != len(start):
        raise ValueError(f"names must be {len(start)}, got {list(names)}")
    ends = start[:, None] + step  # (N, L, 2)
    reached = np.concatenate([start, ends.reshape(-1, 2)])
    across, up = (
        (float(column.min()) - ROOM, float(column.max()) + ROOM) for column in reached.T
    )
    sides = across[1] - across[0], up[1] - up[0]
    inches = (LONGEST * side / max(sides) for side in sides)
    area = Area(new_axes(*inches), across, up)
    draw_scales(area, ticks(across), ticks(up), ("feature 1", "feature 2"))
    for word, name, there in zip(start.tolist(), names, ends.tolist(), strict=True):
        _draw_word(area, word, short(name), there)
    return area


def _draw_word(
    area: Area, word: Sequence[float], name: str, ends: Sequence[Sequence[float]]
) -> None:
    for p, end in enumerate(ends):
        area.arrow(word, end, HUES["position"], 1.4)
        beyond = np.add(end, 0.14 * np.subtract(end, word))
        area.word(str(p), beyond[0], beyond[1], 9, align=0.5)
    area.line(word[:1], word[1:], marker="o", ms=7, color=INK)
    area.word(name, word[0], word[1], 12, dx=-8, align=1.0)

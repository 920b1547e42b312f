"""Two colored shapes side by side, with captions: who has which color, and where."""

import random
from collections.abc import Sequence
from functools import cache
from itertools import combinations, permutations, product
from typing import NamedTuple

import torch
from torch import Tensor

from .captions import in_ids, words_for
from .shapes import COLORS, ROWS, SHAPES, Scene, drawings, numbers

Group = tuple[tuple[str, ...], tuple[str, ...]]
HELD_OUT = 84  # of the 420 pairs of two colors with two shapes, a fifth


class Two(NamedTuple):
    """What a picture shows: the left shape and the right one, of two colors."""

    left_color: str
    left_shape: str
    right_color: str
    right_shape: str


def altered(two: Two) -> Two:
    """Return the left shape another color, which is not in the picture."""
    colors = [c for c in COLORS if c != two.right_color]
    other = colors[(colors.index(two.left_color) + 1) % len(colors)]
    return two._replace(left_color=other)


def exchanged(two: Two) -> Two:
    """Let the two shapes exchange their colors."""
    return Two(two.right_color, two.left_shape, two.left_color, two.right_shape)


def mirrored(two: Two) -> Two:
    """Let the two shapes exchange their places."""
    return Two(*two[2:], *two[:2])


@cache
def split() -> tuple[tuple[Two, ...], tuple[Two, ...]]:
    """Return what is learned, 1,344 of them, and what is new, 336.

    What is new holds two colors and two shapes that are never learned together, in
    whatever way they are joined: so nothing new is what becomes of something learned
    when its colors or places are exchanged.
    """
    groups = [*product(combinations(COLORS, 2), combinations(SHAPES, 2))]
    random.Random(0).shuffle(groups)
    held_out, learned = groups[:HELD_OUT], groups[HELD_OUT:]
    return _joined(learned), _joined(held_out)


def _joined(groups: Sequence[Group]) -> tuple[Two, ...]:
    """Join two colors with two shapes in all four ways, for each group."""
    return tuple(
        Two(left, a, right, b)
        for colors, shapes in groups
        for left, right in permutations(colors)
        for a, b in permutations(shapes)
    )


def caption(two: Two, chance: random.Random) -> str:
    """Say what a picture shows: "a red square left of a blue cross", and others."""
    words = [chance.choice(words_for(word)) for word in two]
    left, right = (f"a {' '.join(words[n : n + 2])}" for n in (0, 2))
    ways = f"{left} left of {right}", f"{right} right of {left}"
    return chance.choice(ways)


def captions(twos: Sequence[Two], chance: random.Random) -> Tensor:
    """Draw a caption for each: ids (B, T)."""
    return in_ids([caption(two, chance) for two in twos])


def pictures(
    twos: Sequence[Two], chance: random.Random, draw: torch.Generator
) -> Tensor:
    """Draw each, its shapes at any height: cells (B, 8, 8)."""

    def side(name: str, scene: tuple[str, str]) -> Scene:
        return Scene(*scene, f"{chance.choice(ROWS)} {name}")

    left = [side("left", (two.left_color, two.left_shape)) for two in twos]
    right = [side("right", (two.right_color, two.right_shape)) for two in twos]
    # Where one of them has cells, the other has none.
    return drawings(numbers(left), draw) + drawings(numbers(right), draw)

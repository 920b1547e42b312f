"""Colored shapes: small pictures of which every one can be told exactly.

A picture is 8 × 8 cells, each of a color or dark. It shows one shape of 3 × 3 cells,
in one color, at one of nine places. A place leaves two rows and two columns to choose
from.
"""

import random
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Literal, NamedTuple, get_args

import torch
from torch import Tensor

from transformer_lib.checks.validation import check_ids, check_option, require

SIDE = 8  # cells
DARK = 0  # a cell without a color; the others are 1 + the color's place in COLORS
#: Red, green and blue of each color, from 0 to 1.
COLORS = {
    "red": (0.90, 0.10, 0.10),
    "green": (0.10, 0.65, 0.15),
    "blue": (0.15, 0.25, 1.00),
    "yellow": (1.00, 0.90, 0.10),
    "purple": (0.55, 0.15, 0.75),
    "orange": (1.00, 0.50, 0.05),
    "cyan": (0.10, 0.85, 0.90),
    "white": (1.00, 1.00, 1.00),
}
GRAY = (0.5, 0.5, 0.5)
#: The cells of each shape that have its color.
SHAPES = {
    "square": ("###", "###", "###"),
    "frame": ("###", "#.#", "###"),
    "plus": (".#.", "###", ".#."),
    "cross": ("#.#", ".#.", "#.#"),
    "diamond": (".#.", "#.#", ".#."),
    "triangle": ("#..", "##.", "###"),
}
ROWS = ("top", "middle", "bottom")
COLUMNS = ("left", "middle", "right")
PLACES = tuple(f"{row} {column}" for row, column in product(ROWS, COLUMNS))
CORNERS = 2  # rows, and columns, in which the corner of a shape at a place may lie
Split = Literal["triples", "choice", "pairs"]
SPLITS: tuple[Split, ...] = get_args(Split)
HELD_OUT = 86  # scenes, a fifth


class Scene(NamedTuple):
    """What a picture shows: a color, a shape, and a place such as "top left"."""

    color: str
    shape: str
    place: str


SCENES = tuple(Scene(*parts) for parts in product(COLORS, SHAPES, PLACES))


@cache
def held_out_scenes(split: Split = "triples") -> tuple[Scene, ...]:
    """Return the scenes that are kept from learning; the others are learned.

    Args:
        split: "triples" keeps back 86 scenes, drawn at random: every pair of their
            parts is learned, elsewhere. "choice" gives 86 others, for the choice of
            settings: models to choose from learn neither. "pairs" keeps back all 72
            scenes of eight pairs of a color and a shape: the two are never seen
            together.

    Raises:
        ValueError: there is no such split.
    """
    check_option("split", split, SPLITS)
    if split == "triples":
        return tuple(random.Random(0).sample(SCENES, HELD_OUT))
    if split == "choice":
        return tuple(random.Random(1).sample(learned_scenes(), HELD_OUT))
    apart = {(c, [*SHAPES][n % len(SHAPES)]) for n, c in enumerate(COLORS)}
    return tuple(scene for scene in SCENES if scene[:2] in apart)


@cache
def learned_scenes(split: Split = "triples") -> tuple[Scene, ...]:
    """Return the scenes that a model of a split learns from: see `held_out_scenes`."""
    others = {*held_out_scenes(split)}
    if split == "choice":
        others |= {*held_out_scenes()}
    return tuple(scene for scene in SCENES if scene not in others)


def glyph(shape: str) -> Tensor:
    """Return the cells of a shape that have its color: boolean (3, 3)."""
    return torch.tensor([[cell == "#" for cell in row] for row in SHAPES[shape]])


def drawn(scene: Scene, down: int = 0, right: int = 0) -> Tensor:
    """Draw a scene: cells (8, 8).

    Args:
        scene: what is drawn.
        down: 0 or 1, which of the two rows that its place leaves.
        right: 0 or 1, which of the two columns.
    """
    row, column = divmod(PLACES.index(scene.place), len(COLUMNS))
    y, x = CORNERS * row + down, CORNERS * column + right
    cells = torch.full((SIDE, SIDE), DARK)
    color = 1 + [*COLORS].index(scene.color)
    cells[y : y + 3, x : x + 3] = torch.where(glyph(scene.shape), color, DARK)
    return cells


@cache
def every_drawing() -> Tensor:
    """Draw every scene in its four ways: cells (432, 4, 8, 8)."""
    ways = [*product(range(CORNERS), repeat=2)]
    drawings = [torch.stack([drawn(scene, *way) for way in ways]) for scene in SCENES]
    return torch.stack(drawings)


def seen(cells: Tensor) -> Scene | None:
    """Say exactly which scene cells (8, 8) show; None if they show none.

    Raises:
        TypeError, ValueError: cells are no integers (8, 8).
    """
    check_ids("cells", cells, batch=False)
    shape = tuple(cells.shape)
    require(shape == (SIDE, SIDE), "cells", f"have shape {(SIDE, SIDE)}", shape)
    return _known().get(tuple(cells.flatten().tolist()))


@cache
def _known() -> dict[tuple[int, ...], Scene]:
    drawings = every_drawing().flatten(2).tolist()
    pairs = zip(SCENES, drawings, strict=True)
    return {tuple(cells): scene for scene, ways in pairs for cells in ways}


def rgb(cells: Tensor) -> Tensor:
    """Color cells (B, 8, 8): red, green and blue from 0 to 1, (B, 3, 8, 8).

    A cell of −1, where a model has said a word, is gray.
    """
    table = torch.tensor([(0.0, 0.0, 0.0), *COLORS.values(), GRAY])  # (10, 3)
    return table[cells].permute(0, 3, 1, 2)


def photographed(cells: Tensor, draw: torch.Generator, noise: float = 0.05) -> Tensor:
    """Color cells (B, 8, 8) as a poor camera sees them: (B, 3, 8, 8).

    Each picture has a light of its own, on the shape and on what lies behind, and a
    tint; each cell has noise.
    """
    B = len(cells)
    chance = torch.rand(B, 5, 1, 1, generator=draw)
    light, behind, tint = 1 - 0.35 * chance[:, :1], 0.25 * chance[:, 1:2], chance[:, 2:]
    lit = (rgb(cells) + 0.1 * (tint - 0.5)) * light
    pictures = torch.where(cells[:, None] == DARK, behind, lit)
    grain = torch.randn(pictures.shape, generator=draw) * noise
    return (pictures + grain).clamp(0, 1)


def numbers(scenes: Sequence[Scene]) -> Tensor:
    """Return the places of scenes in SCENES: (B,)."""
    place = {scene: n for n, scene in enumerate(SCENES)}
    return torch.tensor([place[scene] for scene in scenes])


def drawings(scenes: Tensor, draw: torch.Generator) -> Tensor:
    """Draw scenes, given by number (B,), each in one of its four ways: (B, 8, 8)."""
    ways = torch.randint(CORNERS**2, (len(scenes),), generator=draw)
    return every_drawing()[scenes, ways]

"""Real handwritten digits: 1,797 pictures of 8 × 8 gray pixels, from scikit-learn.

They are the test set of "Optical Recognition of Handwritten Digits" (E. Alpaydin and
C. Kaynak, 1998), which 13 people wrote, one after another. Each filled the same form of
about 130 digits: the labels repeat, and the seventh form ends behind digit 906. What is
held out begins there, so it was written by other people than what is learned.
"""

import math
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lib.checks.validation import check_option

SIDE = 8  # pixels
CLASSES = 10
#: Where the folds of the first half end, by which settings are chosen: two forms each
#: but the last, so that no form is in two folds.
FOLDS = (256, 516, 776, 906)
Part = Literal["first half", "held out"]
#: Where the parts lie among all pictures. A model learns from the first half.
PARTS = {"first half": slice(0, 906), "held out": slice(906, None)}


class Digits(NamedTuple):
    """Pictures (B, 8, 8), from 0 for paper to 1 for ink; and digits (B,), 0 to 9."""

    pictures: Tensor
    digits: Tensor


def digits(part: Part) -> Digits:
    """Return the digits of a part, in the order in which they were written.

    Raises:
        ValueError: there is no such part.
    """
    check_option("part", part, [*PARTS])
    pictures, labels = _all()
    return Digits(pictures[PARTS[part]], labels[PARTS[part]])


def folds() -> Iterator[tuple[Digits, Digits]]:
    """Divide the first half, to choose settings by, without the new digits.

    Yields:
        for each of the four folds, the other three to learn from, and the fold itself
        to be asked: cross-validation.
    """
    pictures, labels = digits("first half")
    for begin, end in pairwise((0, *FOLDS)):
        asked = torch.zeros(len(labels), dtype=torch.bool)
        asked[begin:end] = True
        known = Digits(pictures[~asked], labels[~asked])
        yield known, Digits(pictures[asked], labels[asked])


@cache
def _all() -> Digits:
    """Read the file that `sklearn.datasets.load_digits` reads.

    To import that function takes two seconds, to read its file a thirtieth of one.
    """
    spec = find_spec("sklearn")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("scikit-learn must be installed: it has the digits")
    file = Path(spec.origin).parent / "datasets" / "data" / "digits.csv.gz"
    kept = torch.from_numpy(np.loadtxt(file, delimiter=","))  # (1797, 65)
    pictures = (kept[:, :-1] / 16).float().view(-1, SIDE, SIDE)
    return Digits(pictures, kept[:, -1].long())


def shifted(pictures: Tensor, right: int = 0, down: int = 0) -> Tensor:
    """Push pictures (B, 8, 8) by whole pixels: to the left and up below 0.

    What leaves the picture is lost, and paper comes in.
    """
    sides = (max(right, 0), max(-right, 0), max(down, 0), max(-down, 0))
    height, width = pictures.shape[-2:]
    top, left = max(-down, 0), max(-right, 0)
    wide = F.pad(pictures, sides)  # paper on the side that it comes from
    return wide[..., top : top + height, left : left + width]


def augmented(
    pictures: Tensor,
    draw: torch.Generator,
    push: float = 0.75,
    turn: float = 10.0,
    stretch: float = 0.1,
) -> Tensor:
    """Push, turn, slant and stretch each picture a little, by chance (augmentation).

    Args:
        pictures: (B, 8, 8).
        draw: what chance comes from.
        push: the most pixels to each side, also by parts of one.
        turn: the most degrees to each side, of a turn and of a slant.
        stretch: the most, as a share, by which height and width grow or shrink.

    Returns:
        (B, 8, 8), between the pixels by bilinear interpolation.
    """
    chance = torch.rand(6, len(pictures), generator=draw) * 2 - 1  # (6, B)
    angle, slant = chance[:2] * math.radians(turn)
    wide, high = 1 + chance[2:4] * stretch
    right, down = chance[4:] * push * 2 / SIDE  # a picture reaches from −1 to 1
    across = torch.stack([wide * angle.cos(), -high * (angle + slant).sin(), right], 1)
    along = torch.stack([wide * angle.sin(), high * (angle + slant).cos(), down], 1)
    moves = torch.stack([across, along], 1)  # (B, 2, 3)
    moves = moves.to(pictures.dtype)
    places = F.affine_grid(moves, [len(pictures), 1, SIDE, SIDE], align_corners=False)
    return F.grid_sample(pictures[:, None], places, align_corners=False)[:, 0]

"""What a CLIP learns of captions, and what it does not: who has which colour.

The kept results are made by `python -m transformer_lib.experiments.matching`.
"""

import random
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ..checkpoints import CHECKPOINTS, read_part, write_parts
from ..data import two_shapes
from ..data.shapes import learned_scenes, photographed
from ..data.two_shapes import Two, altered, exchanged, mirrored
from ..small_models.multimodal.clip import (
    STEPS,
    TOGETHER,
    CLIP,
    Match,
    begin,
    matches,
    top_1,
)

SEEDS = range(3)
Batch = Callable[[torch.Generator], Match]
CHANGES: Mapping[str, Callable[[Two], Two]] = {
    "altered": altered,
    "exchanged": exchanged,
    "mirrored": mirrored,
}


def shuffled(draw: torch.Generator) -> Match:
    """Draw pictures with captions of other pictures of the batch."""
    pictures, said = matches(draw)
    return pictures, said[torch.randperm(len(said), generator=draw)]


def two_at_once(draw: torch.Generator, count: int = 128, hard: bool = False) -> Match:
    """Draw pictures of two shapes that are learned, and their captions.

    Args:
        draw: what chance comes from.
        count: how many, all different.
        hard: let two thirds of them be what the others become when their colours, or
            their places, are exchanged.
    """
    learned, _ = two_shapes.split()
    some = torch.randperm(len(learned), generator=draw)[:count].tolist()
    twos = [learned[n] for n in some]
    if hard:
        twos = [like for two in twos for like in (two, exchanged(two), mirrored(two))]
    return of_two([*dict.fromkeys(twos)][:count], draw)


def of_two(twos: Sequence[Two], draw: torch.Generator) -> Match:
    """Draw a picture (B, 3, 8, 8) and a caption (B, T) of each."""
    chance = random.Random(int(torch.randint(2**31, (), generator=draw)))
    pictures = photographed(two_shapes.pictures(twos, chance, draw), draw)
    return pictures, two_shapes.captions(twos, chance)


def preferred(model: CLIP, count: int = 300, seed: int = 1) -> dict[str, float]:
    """Measure how often a picture is liker its caption than one that is not true.

    Returns:
        for each of CHANGES the share of new pictures; one half is chance.
    """
    draw = torch.Generator().manual_seed(seed)
    chance = random.Random(seed)
    _, new = two_shapes.split()
    twos = chance.sample(new, count)
    pictures, said = of_two(twos, draw)
    with torch.inference_mode():
        p, true = model.of_pictures(pictures), model.of_texts(said)  # (B, E)
        found = {}
        for name, change in CHANGES.items():
            other = two_shapes.captions([change(two) for two in twos], chance)
            better = (p * true).sum(-1) > (p * model.of_texts(other)).sum(-1)
            found[name] = round(float(better.double().mean()), 4)
    return found

"""What a CLIP learns of captions, and what it does not: who has which colour.

The kept results are made by `python -m course.experiments.matching`.
"""

import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import torch

from transformer_lib.checkpoints import keep_each, read_results

from ..data import two_shapes
from ..data.shapes import photographed
from ..data.two_shapes import Two, altered, exchanged, mirrored
from ..models.clip import (
    CLIP,
    STEPS,
    TOGETHER,
    Match,
    begin,
    found,
    matches,
    top_1,
    trained,
)
from ..trained import CHECKPOINTS

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


def two_at_once(draw: torch.Generator, count: int = 64, hard: bool = False) -> Match:
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


def measure(model: CLIP, way: str) -> dict[str, float]:
    """Measure a model that was trained in one of WAYS, on what it did not learn.

    Returns:
        "caption" and "picture", shares that are found among 64: see `clip.top_1`. Of
        pictures of two shapes also what `preferred` gives.
    """
    if way in ONE:
        shares = top_1(model)._asdict()
    else:
        draw = torch.Generator().manual_seed(1)
        _, new = two_shapes.split()
        some = random.Random(2).sample(new, TOGETHER)
        shares = found(model, of_two(some, draw))._asdict() | preferred(model)
    return {what: round(x, 4) for what, x in shares.items()}


#: How the batches of a training are drawn. In the first two a picture shows one shape.
WAYS: Mapping[str, Batch] = {
    "captions": matches,
    "shuffled captions": shuffled,
    "two shapes": two_at_once,
    "two shapes, exchanged": partial(two_at_once, hard=True),
}
ONE = ("captions", "shuffled captions")


def _learned(way: str, steps: int, seed: int) -> CLIP:
    """Train a model; that of the course is not trained again.

    Where captions are shuffled there is nothing to learn of them, and a quarter of the
    steps shows it.
    """
    if (way, steps, seed) == ("captions", STEPS, 0):
        return trained()
    taken = max(1, steps // 4) if way == "shuffled captions" else steps
    model, training = begin(seed, taken, WAYS[way])
    deque(training, maxlen=0)
    return model


def load_results(folder: Path = CHECKPOINTS) -> list[dict[str, Any]]:
    """The kept results: of each training its way, its seed, and what `measure` gave.

    Raises:
        FileNotFoundError: the folder does not hold them.
        ValueError: their file is broken.
    """
    return read_results(folder / "matching.json")


def main(
    folder: Path = CHECKPOINTS, steps: int = STEPS, seeds: Sequence[int] = SEEDS
) -> None:
    """Train in each way from each seed, and measure; keep what came."""

    def came() -> Iterator[dict[str, Any]]:
        for way, seed in product(WAYS, seeds):
            model = _learned(way, steps, seed)
            yield {"way": way, "seed": seed, **measure(model, way)}

    keep_each(came(), folder / "matching.json")


if __name__ == "__main__":
    main()

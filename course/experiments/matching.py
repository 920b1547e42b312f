"""What a CLIP learns of captions, and what it does not: who has which color."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import torch

from ..data import two_shapes
from ..data.shapes import photographed
from ..data.two_shapes import Two, altered, exchanged, mirrored
from ..models.clip import CLIP, MODEL, TOGETHER, Match, matches, retrieval, top_1
from .experiment import Experiment, grid
from .results import Row

SEEDS = range(5)
NEW = 300  # pictures of two shapes, to ask about
STEPS = MODEL.recipe.steps
LENGTHS = (STEPS // 2, STEPS)  # steps of the trainings whose results are kept
FEWER = STEPS // 4  # where captions are shuffled, and there is nothing to learn
Batch = Callable[[torch.Generator], Match]
CHANGES: Mapping[str, Callable[[Two], Two]] = {
    "altered": altered,
    "exchanged": exchanged,
    "mirrored": mirrored,
}


def shuffled(draw: torch.Generator) -> Match:
    """Draw pictures of different scenes, each with the caption of another of them."""
    pictures, said = matches(draw)
    return pictures, said.roll(1, dims=0)


def two_at_once(draw: torch.Generator, count: int = 64, hard: bool = False) -> Match:
    """Draw pictures of two shapes that are learned, and their captions.

    Args:
        draw: what chance comes from.
        count: how many, all different.
        hard: let two thirds of them be what the others become when their colors, or
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


def preferred(model: CLIP) -> dict[str, float]:
    """Measure how often a picture is liker its caption than one that is not true.

    Returns:
        for each of CHANGES the share of new pictures; one half is chance.
    """
    draw = torch.Generator().manual_seed(1)
    chance = random.Random(1)
    _, new = two_shapes.split()
    twos = chance.sample(new, NEW)
    pictures, said = of_two(twos, draw)
    with torch.inference_mode():
        p, true = model.of_pictures(pictures), model.of_texts(said)  # (B, E)
        found = {}
        for name, change in CHANGES.items():
            other = two_shapes.captions([change(two) for two in twos], chance)
            better = (p * true).sum(-1) > (p * model.of_texts(other)).sum(-1)
            found[name] = float(better.double().mean())
    return found


def measure(model: CLIP) -> Row:
    """Measure a model of pictures of two shapes on pictures that it did not learn.

    Returns:
        "caption" and "picture", shares that are found among 64: see `clip.top_1`; and
        what `preferred` gives.
    """
    draw = torch.Generator().manual_seed(1)
    _, new = two_shapes.split()
    some = random.Random(2).sample(new, TOGETHER)
    return retrieval(model, of_two(some, draw))._asdict() | preferred(model)


#: How the batches of a training are drawn, of pictures of one shape and of two.
ONE_SHAPE: Mapping[str, Batch] = {"captions": matches, "shuffled captions": shuffled}
TWO_SHAPES: Mapping[str, Batch] = {
    "two shapes": two_at_once,
    "two shapes, exchanged": partial(two_at_once, hard=True),
}
VARIANTS = {**ONE_SHAPE, **TWO_SHAPES}


def run(variant: str, steps: int, seed: int) -> Row:
    """Train a model and measure it; that of the course is not trained again."""
    if variant == "captions":
        return top_1(MODEL.after(steps, seed))._asdict()
    model = MODEL.train(seed, steps, batch=VARIANTS[variant])
    return top_1(model)._asdict() if variant in ONE_SHAPE else measure(model)


EXPERIMENT = Experiment(
    name="matching",
    runs=[
        *grid(variant=["captions", *TWO_SHAPES], steps=LENGTHS, seed=SEEDS),
        *grid(variant=["shuffled captions"], steps=[FEWER, STEPS // 2], seed=SEEDS),
    ],
    measure=run,
    models={"clip": MODEL},
    settings={"new": NEW, "together": TOGETHER},
)

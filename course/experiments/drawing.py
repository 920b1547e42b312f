"""What a DALL-E draws of captions, at which temperature, and what it cannot join."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import mean

import torch
from torch import Tensor

from transformer_lib.generation.sampling import Sampling
from transformer_lib.model.transformer import DecoderOnlyTransformer

from ..data.captions import captions_for
from ..data.shapes import (
    Scene,
    Split,
    held_out_scenes,
    learned_scenes,
    numbers,
    seen,
)
from ..models.dalle import MODEL, draw, examples, of_scenes
from .experiment import Experiment, grid
from .results import Row

SEEDS = range(5)
STEPS = MODEL.recipe.steps
LENGTHS = (STEPS // 2, STEPS)  # steps of the trainings whose results are kept
FEWER = STEPS // 4  # where captions are shuffled, and there is nothing to learn
TEMPERATURES = (0.5, 0.7, 1.0, 1.5, 2.0)
Batch = Callable[[torch.Generator], Tensor]


def shuffled(draw: torch.Generator) -> Tensor:
    """Draw pictures of different scenes, each with the caption of another of them."""
    known = numbers(learned_scenes())
    some = torch.randperm(len(known), generator=draw)[: MODEL.recipe.batch_size]
    return of_scenes(known[some], known[some].roll(1), draw)


#: How the batches of a training are drawn, and which scenes it keeps back.
VARIANTS: Mapping[str, tuple[Batch, Split]] = {
    "captions": (examples, "triples"),
    "shuffled captions": (shuffled, "triples"),
    "pairs apart": (partial(examples, split="pairs"), "pairs"),
}


def parts_right(
    model: DecoderOnlyTransformer,
    scenes: Sequence[Scene],
    sampling: Sampling | None = None,
) -> dict[str, float]:
    """Measure what is right in what a model draws of scenes, of a caption each.

    Args:
        model: who draws.
        scenes: what is asked for.
        sampling: how cells are drawn; without it the likeliest are taken.

    Returns:
        shares of pictures: "right" in all; that show a shape of the data's ("shown"),
        and among all those whose "color", "shape" or "place" is the one asked for.
    """
    chance = torch.Generator().manual_seed(1)
    drawn = draw(model, captions_for(scenes, 1), sampling, chance)
    pairs = [*zip(map(seen, drawn), scenes, strict=True)]
    hits = {
        "right": [got == scene for got, scene in pairs],
        "shown": [got is not None for got, _ in pairs],
    }
    for n, part in enumerate(Scene._fields):
        hits[part] = [got is not None and got[n] == wanted[n] for got, wanted in pairs]
    return {what: mean(own) for what, own in hits.items()}


def measure(model: DecoderOnlyTransformer, split: Split) -> Row:
    """Return `parts_right` of new scenes, two captions each: greedily, and by chance.

    Returns:
        by "greedy" and each temperature, as text.
    """
    asked = 2 * held_out_scenes(split)
    drawn = {f"{t:g}": Sampling(temperature=t) for t in TEMPERATURES}
    methods = {"greedy": None, **drawn}
    return {name: parts_right(model, asked, how) for name, how in methods.items()}


def run(variant: str, steps: int, seed: int) -> Row:
    """Train a model and measure it; that of the course is not trained again."""
    batch, split = VARIANTS[variant]
    if variant == "captions":
        return measure(MODEL.after(steps, seed), split)
    return measure(MODEL.train(seed, steps, batch=batch), split)


EXPERIMENT = Experiment(
    name="drawing",
    runs=[
        *grid(variant=["captions", "pairs apart"], steps=LENGTHS, seed=SEEDS),
        *grid(variant=["shuffled captions"], steps=[FEWER, STEPS // 2], seed=SEEDS),
    ],
    measure=run,
    models={"dalle": MODEL},
    settings={"temperatures": TEMPERATURES},
)
#: The temperature is chosen on other scenes than those that judge it.
CHOICE = Experiment(
    name="drawing_choice",
    runs=grid(steps=[STEPS], seed=[0]),
    measure=lambda steps, seed: measure(
        MODEL.train(seed, steps, batch=partial(examples, split="choice")), "choice"
    ),
    models={"dalle": MODEL},
    settings={"temperatures": TEMPERATURES},
)

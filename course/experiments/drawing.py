"""What a DALL-E draws of captions, at which temperature, and what it cannot join.

The kept results are made by `python -m course.experiments.drawing`.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from transformer_lib.checkpoints import keep_each, read_results
from transformer_lib.generation.settings import Sampling
from transformer_lib.model.transformer import DecoderOnlyTransformer

from ..data.captions import LENGTH, captions_for
from ..data.shapes import Scene, Split, new_scenes, seen
from ..models.dalle import STEPS, begin, draw, examples, trained
from ..trained import CHECKPOINTS

SEEDS = range(3)
TEMPERATURES = (0.5, 0.7, 1.0, 1.5, 2.0)
Batch = Callable[[torch.Generator], Tensor]


def shuffled(draw: torch.Generator) -> Tensor:
    """Draw pictures with captions of other pictures of the batch."""
    tokens = examples(draw)
    others = torch.randperm(len(tokens), generator=draw)
    return torch.cat([tokens[others, :LENGTH], tokens[:, LENGTH:]], dim=1)


#: How the batches of a training are drawn, and which scenes it keeps back.
WAYS: Mapping[str, tuple[Batch, Split]] = {
    "captions": (examples, "triples"),
    "shuffled captions": (shuffled, "triples"),
    "pairs apart": (partial(examples, split="pairs"), "pairs"),
}


def parts_right(
    model: DecoderOnlyTransformer,
    scenes: Sequence[Scene],
    sampling: Sampling | None = None,
    seed: int = 1,
) -> dict[str, float]:
    """Measure what is right in what a model draws of scenes, of a caption each.

    Args:
        model: who draws.
        scenes: what is asked for.
        sampling: how cells are drawn; without it the likeliest are taken.
        seed: of the captions and of the drawing.

    Returns:
        shares of pictures: "right" in all; that show a shape of the data's ("shown"),
        and among all those whose "colour", "shape" or "place" is the one asked for.
    """
    chance = torch.Generator().manual_seed(seed)
    drawn = draw(model, captions_for(scenes, seed), sampling, chance)
    pairs = [*zip(map(seen, drawn), scenes, strict=True)]
    hits = {
        "right": [got == scene for got, scene in pairs],
        "shown": [got is not None for got, _ in pairs],
    }
    for n, part in enumerate(Scene._fields):
        hits[part] = [got is not None and got[n] == wanted[n] for got, wanted in pairs]
    return {what: round(sum(own) / len(own), 4) for what, own in hits.items()}


def measure(model: DecoderOnlyTransformer, split: Split) -> dict[str, Any]:
    """Give `parts_right` of new scenes, two captions each: greedily, and by chance.

    Returns:
        by "greedy" and each temperature, as text.
    """
    asked = 2 * new_scenes(split)
    ways = {"greedy": None} | {f"{t:g}": Sampling(temperature=t) for t in TEMPERATURES}
    return {name: parts_right(model, asked, way) for name, way in ways.items()}


def _learned(way: str, steps: int, seed: int) -> DecoderOnlyTransformer:
    """Train a model; that of the course is not trained again.

    Where captions are shuffled there is nothing to learn of them, and a quarter of the
    steps shows it.
    """
    if (way, steps, seed) == ("captions", STEPS, 0):
        return trained()
    taken = max(1, steps // 4) if way == "shuffled captions" else steps
    model, training = begin(seed, taken, WAYS[way][0])
    deque(training, maxlen=0)
    return model


def load_results(folder: Path = CHECKPOINTS) -> list[dict[str, Any]]:
    """The kept results: of each training its way, its seed, and what `measure` gave.

    Raises:
        FileNotFoundError: the folder does not hold them.
        ValueError: their file is broken.
    """
    return read_results(folder / "drawing.json")


def main(
    folder: Path = CHECKPOINTS, steps: int = STEPS, seeds: Sequence[int] = SEEDS
) -> None:
    """Train in each way from each seed, and measure; keep what came."""

    def came() -> Iterator[dict[str, Any]]:
        for way, seed in product(WAYS, seeds):
            model = _learned(way, steps, seed)
            yield {"way": way, "seed": seed, **measure(model, WAYS[way][1])}

    keep_each(came(), folder / "drawing.json")


if __name__ == "__main__":
    main()

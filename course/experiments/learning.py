"""What decides how well a small Transformer learns to write letters backwards.

The kept results are made by `python -m course.experiments.learning`.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from math import log
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from transformer_lib.checkpoints import keep_each, read_results
from transformer_lib.checks.validation import check_option
from transformer_lib.model.masks import padding_mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.training import Training, smoothed_cross_entropy

from ..data.pairs import Pairs
from ..data.sequences import LETTERS, MOST, NEW_FROM, PAD_ID, Sequences
from ..models.pairs import Recipe, exact, learn, sizes
from ..models.sequences import Way
from ..trained import CHECKPOINTS

TASK = Sequences("reverse")
STEPS = 400
RECIPE = Recipe(steps=STEPS)
SEEDS = range(5)
PARTS = 4  # of a training: how many texts are right is asked at the end of each
ASKED = 500  # new texts

#: One block in each half: the recipe, and ways that each change one thing of it.
ONE_BLOCK: Mapping[str, Way] = {
    "as it is": Way(RECIPE, {}),
    "no warm-up": Way(replace(RECIPE, warm_up=0), {}),
    "no fall": Way(replace(RECIPE, falls=False), {}),
    "a tenth of the rate": Way(replace(RECIPE, peak=RECIPE.peak / 10), {}),
    "post-norm": Way(RECIPE, {"norm_first": False}),
    "smoothed": Way(replace(RECIPE, smoothing=0.1), {}),
}
DEPTHS = (1, 6)  # blocks in each half
SMALLER = Recipe(steps=STEPS // 2, peak=0.003, warm_up=STEPS // 8, batch=32)
NARROW = {"d_model": 32, "d_ff": 64}


def _of_depth(blocks: int) -> Mapping[str, Way]:
    """The four ways of so many blocks in each half: both norm orders, both starts."""
    named = {}
    for first, warm_up in product((True, False), (SMALLER.warm_up, 0)):
        own = {"n_encoder_layers": blocks, "n_decoder_layers": blocks, **NARROW}
        name = f"{2 * blocks} blocks, {'pre' if first else 'post'}-norm"
        name += "" if warm_up else ", no warm-up"
        own["norm_first"] = first
        named[name] = Way(replace(SMALLER, warm_up=warm_up), own)
    return named


#: And two depths of a smaller model, each in four ways.
WAYS: Mapping[str, Way] = {
    **ONE_BLOCK,
    **{name: way for n in DEPTHS for name, way in _of_depth(n).items()},
}


def begin(
    way: str = "as it is", seed: int = 0, steps: int | None = None
) -> tuple[Transformer, Training]:
    """Give a model that has learnt nothing, and its training.

    Args:
        way: one of WAYS.
        seed: of the first weights and of the batches.
        steps: how many batches; those of the way's recipe without it.

    Returns:
        the model, and one after another, the loss of every step: see `fit_steps`.

    Raises:
        ValueError: there is no such way, or there are too few steps.
    """
    check_option("way", way, [*WAYS])
    recipe, own = WAYS[way]
    if steps is not None:
        recipe = recipe.shortened(steps)
    return learn(TASK, sizes(TASK, **own), recipe, seed)


def letters_by_chance() -> float:
    """Give the loss of one who knows each text's length, and of its letters nothing.

    At every place but the last, one of ten letters is guessed.
    """
    letters = mean(range(NEW_FROM, MOST + 1))  # each length of a new text is as likely
    return letters / (letters + 1) * log(len(LETTERS))


def forced(model: Transformer, pairs: Pairs) -> dict[str, float]:
    """Ask for every token of the targets, where the right ones before it are read.

    Returns:
        "places": the share at which the right token is the likeliest; "loss": the mean
        of −log p of the right one; "sure": the mean p of the likeliest.
    """
    with torch.no_grad():
        mask = padding_mask(pairs.source, pad_id=PAD_ID)
        logits = model(pairs.source, pairs.target[:, :-1], mask)  # (B, T, V)
    says = pairs.target[:, 1:]
    asked = says != PAD_ID
    p, likeliest = logits.softmax(-1).max(-1)
    loss = smoothed_cross_entropy(logits, says, pad_id=PAD_ID)
    return {
        "places": float((likeliest == says)[asked].double().mean()),
        "loss": float(loss),
        "sure": float(p[asked].mean()),
    }


def run(way: str, seed: int = 0, steps: int | None = None) -> dict[str, Any]:
    """Train a model in a way, and measure it on new texts.

    Returns:
        "texts": the share that is written without a fault, at the end of each quarter;
        and what `forced` measures at the end of all.
    """
    model, training = begin(way, seed, steps)
    new = TASK.new(ASKED)
    total = len(training)
    texts = []
    for part in range(1, PARTS + 1):
        left = total * part // PARTS - training.taken
        deque(islice(training, left), maxlen=0)
        texts.append(exact(model, TASK, new))
    return {"texts": texts, **forced(model, new)}


def load_results(folder: Path = CHECKPOINTS) -> list[dict[str, Any]]:
    """The kept results: of each training its way, steps and seed, and what `run` gives.

    Raises:
        FileNotFoundError: the folder does not hold them.
        ValueError: their file is broken.
    """
    return read_results(folder / "learning.json")


def table(what: str, ways: Sequence[str], short: bool = False) -> NDArray[np.float64]:
    """Give a kept number of trainings: (ways, seeds).

    Args:
        what: "texts", at the end; "places", "loss" or "sure"; or "quarters": the texts
            at the end of each quarter, (ways, seeds, 4).
        ways: some of WAYS.
        short: of the trainings of half the length.
    """
    kept = load_results()
    steps = {way: WAYS[way].recipe.steps // (1 + short) for way in ways}
    field = "texts" if what == "quarters" else what
    rows = [
        [one[field] for one in kept if (one["way"], one["steps"]) == asked]
        for asked in steps.items()
    ]
    numbers = np.array(rows)
    return numbers[..., -1] if what == "texts" else numbers


def main(
    folder: Path = CHECKPOINTS,
    ways: Sequence[str] = tuple(WAYS),
    seeds: Sequence[int] = SEEDS,
    shares: Sequence[int] = (1, 2),
) -> None:
    """Train in each way, for all its steps and for half of them; keep what came."""

    def came() -> Iterator[dict[str, Any]]:
        for way, share, seed in product(ways, shares, seeds):
            steps = WAYS[way].recipe.steps // share
            found = run(way, seed, steps).items()
            rounded = {what: np.round(x, 4).tolist() for what, x in found}
            yield {"way": way, "steps": steps, "seed": seed, **rounded}

    keep_each(came(), folder / "learning.json")


if __name__ == "__main__":
    main()

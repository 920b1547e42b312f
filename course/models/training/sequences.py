"""Two small Transformers: one writes letters again, one writes them backwards.

Made by the command `python -m course.models.training.sequences`.
"""

import sys
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from math import factorial, prod
from pathlib import Path
from typing import Any, NamedTuple, cast

from transformer_lib.checkpoints import Provenance, load_checkpoint, save_checkpoint
from transformer_lib.checks.validation import check_option
from transformer_lib.model.transformer import Transformer
from transformer_lib.training import Training
from transformer_lib.training.processes import is_first, joined

from ...data.pairs import Pairs
from ...data.sequences import ORDERS, VOCABULARY, Order, Sequences
from ...progress import with_progress
from ...trained import CHECKPOINTS
from ..pairs import Recipe, exact, learn, sizes, words_of

RECIPE = Recipe(steps=600)


class Way(NamedTuple):
    """How a model learns, and what its configuration has of its own."""

    recipe: Recipe
    sizes: Mapping[str, Any]


#: The recipe, and three ways that each change one thing of it.
WAYS: Mapping[str, Way] = {
    "as it is": Way(RECIPE, {}),
    "no positions": Way(RECIPE, {"positions": "none"}),
    "the rate does not fall": Way(replace(RECIPE, falls=False), {}),
    "a tenth of the rate": Way(replace(RECIPE, peak=RECIPE.peak / 10), {}),
}


def begin(
    order: Order, way: str = "as it is", seed: int = 0, steps: int | None = None
) -> tuple[Transformer, Training]:
    """Give a model that has learnt nothing, and its training.

    Args:
        order: "copy" or "reverse".
        way: one of WAYS.
        seed: of the first weights and of the batches.
        steps: how many batches; those of the recipe without it.

    Returns:
        the model, and one after another, the loss of every step: see `fit_steps`.

    Raises:
        ValueError: there is no such order or way, or there are too few steps.
    """
    check_option("way", way, [*WAYS])
    recipe, own = WAYS[way]
    if steps is not None:
        recipe = recipe.shortened(steps)
    task = Sequences(order)
    return learn(task, sizes(task, **own), recipe, seed)


@cache
def trained(order: Order) -> Transformer:
    """Give the model of the course for an order.

    Raises:
        ValueError: there is no such order.
    """
    return cast(Transformer, load_checkpoint(_path(order, CHECKPOINTS))[0])


def in_any_order(pairs: Pairs) -> float:
    """Give the share that is right of who knows all letters, and guesses their order.

    Of n letters there are n! / Π_letter count! orders.
    """
    task = Sequences("copy")
    found = []
    for row in pairs.target:
        letters = Counter(words_of(task, row))
        same = prod(map(factorial, letters.values()))
        found.append(same / factorial(letters.total()))
    return sum(found) / len(found)


def _path(order: Order, folder: Path) -> Path:
    check_option("order", order, ORDERS)
    return folder / f"{order}.safetensors"


def main(folder: Path = CHECKPOINTS, steps: int | None = None) -> None:
    """Train both models, and say how many new texts each writes, beside its floors."""
    with joined():
        for order in ORDERS:
            _make(order, folder, steps)


def _make(order: Order, folder: Path, steps: int | None) -> None:
    task = Sequences(order)
    new = task.new()
    told = {"letters in any order": in_any_order(new)}
    for way in WAYS:
        model, training = begin(order, way, steps=steps)
        deque(with_progress(training), maxlen=0)
        if is_first():
            told[way] = exact(model.cpu(), task, new)
            if way == "as it is":
                save_checkpoint(
                    model, _path(order, folder), Provenance(words=VOCABULARY.words)
                )
    if is_first():
        for way, share in told.items():
            sys.stdout.write(f"{order:8} {way:24} {share:6.1%}\n")


if __name__ == "__main__":
    main()

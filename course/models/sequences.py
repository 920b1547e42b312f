"""Two small Transformers: one copies letters, one writes them backwards."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import factorial, prod
from typing import Any, NamedTuple

from transformer_lib.checks.validation import check_option
from transformer_lib.model.transformer import Transformer
from transformer_lib.training import Training

from ..data.pairs import Pairs
from ..data.sequences import ORDERS, Order, Sequences
from .pairs import exact_match, pair_model, sizes, words_of
from .small_model import Recipe, SmallModel

RECIPE = Recipe(steps=600, warmup=100)
TASKS: Mapping[Order, Sequences] = {order: Sequences(order) for order in ORDERS}


class Variant(NamedTuple):
    """How a model learns, and what its configuration has of its own."""

    recipe: Recipe
    sizes: Mapping[str, Any]


#: The recipe, and three variants that each change one thing of it.
VARIANTS: Mapping[str, Variant] = {
    "as it is": Variant(RECIPE, {}),
    "no positions": Variant(RECIPE, {"positions": "none"}),
    "the rate does not fall": Variant(replace(RECIPE, decay=False), {}),
    "a tenth of the rate": Variant(replace(RECIPE, peak=RECIPE.peak / 10), {}),
}


def in_any_order(pairs: Pairs) -> float:
    """Return the share that is right of who knows all letters, and guesses their order.

    Of n letters there are n! / Π_letter count! orders.
    """
    task = Sequences("copy")
    found = []
    for row in pairs.target:
        letters = Counter(words_of(task, row))
        same = prod(map(factorial, letters.values()))
        found.append(same / factorial(letters.total()))
    return sum(found) / len(found)


def measure(model: Transformer, order: Order) -> dict[str, float]:
    """Measure how many held-out texts a model writes, beside the baseline."""
    task = TASKS[order]
    held_out = task.held_out()
    return {
        "exact match": exact_match(model, task, held_out),
        "letters in any order": in_any_order(held_out),
    }


def model_of(
    order: Order, variant: str = "as it is", **others: Any
) -> SmallModel[Transformer, Pairs]:
    """Return the small model of an order and a variant.

    Raises:
        ValueError: there is no such order or variant.
    """
    check_option("order", order, ORDERS)
    check_option("variant", variant, [*VARIANTS])
    recipe, own = VARIANTS[variant]
    task = TASKS[order]
    measured = partial(measure, order=order)
    return pair_model(task, sizes(task, **own), recipe, measure=measured, **others)


MODELS = {order: model_of(order, name=order, seeds=(0,)) for order in ORDERS}


def begin(
    order: Order, variant: str = "as it is", seed: int = 0, steps: int | None = None
) -> tuple[Transformer, Training]:
    """Return a new model, and its training: see `SmallModel.begin`.

    Raises:
        ValueError: there is no such order or variant, or there are too few steps.
    """
    return model_of(order, variant).begin(seed, steps)


def trained(order: Order) -> Transformer:
    """Return the model of the course for an order.

    Raises:
        ValueError: there is no such order.
    """
    check_option("order", order, ORDERS)
    return MODELS[order].trained()

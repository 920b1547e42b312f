"""How a recipe changes the training of a small Transformer that reverses strings."""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice, product
from math import log
from statistics import mean

from transformer_lib.checks.validation import check_option
from transformer_lib.model.transformer import Transformer
from transformer_lib.training import Training

from ..data.pairs import Pairs
from ..data.sequences import HELD_OUT_FROM, LETTERS, MOST, PAD_ID, Sequences
from ..models.measures import teacher_forced
from ..models.pairs import exact_match, pair_model, sizes
from ..models.sequences import Variant
from ..models.small_model import Recipe, SmallModel
from .experiment import Experiment, grid
from .results import Row

TASK = Sequences("reverse")
STEPS = 400
RECIPE = Recipe(steps=STEPS, warmup=100)
QUARTERS = 4  # of a training run: the model is tested at the end of each
ASKED = 500  # held-out strings

#: One block in each half: the recipe, and variants that each change one setting.
ONE_BLOCK: Mapping[str, Variant] = {
    "baseline": Variant(RECIPE, {}),
    "no warm-up": Variant(replace(RECIPE, warmup=0), {}),
    "no decay": Variant(replace(RECIPE, decay=False), {}),
    "0.1 × learning rate": Variant(replace(RECIPE, peak=RECIPE.peak / 10), {}),
    "post-norm": Variant(RECIPE, {"norm_first": False}),
    "label smoothing": Variant(replace(RECIPE, smoothing=0.1), {}),
}
LENGTHS = {"full": 1, "half": 2}  # the number of steps is divided by these
DEPTHS = (1, 6)  # blocks in each half
SMALLER = Recipe(steps=STEPS // 2, peak=0.003, warmup=STEPS // 8, batch_size=32)
NARROW = {"d_model": 32, "d_ff": 64}


def _of_depth(blocks: int) -> Mapping[str, Variant]:
    """Return the variants of a depth: pre- or post-norm, with and without warm-up."""
    named = {}
    for first, warmup in product((True, False), (SMALLER.warmup, 0)):
        own = {"n_encoder_layers": blocks, "n_decoder_layers": blocks, **NARROW}
        name = f"{2 * blocks} blocks, {'pre' if first else 'post'}-norm"
        name += "" if warmup else ", no warm-up"
        own["norm_first"] = first
        named[name] = Variant(replace(SMALLER, warmup=warmup), own)
    return named


#: Also two depths of a smaller model, each in four variants.
VARIANTS: Mapping[str, Variant] = {
    **ONE_BLOCK,
    **_of_depth(DEPTHS[0]),
    **_of_depth(DEPTHS[1]),
}


def model_of(variant: str) -> SmallModel[Transformer, Pairs]:
    """Return the small model of one of VARIANTS.

    Raises:
        ValueError: there is no such variant.
    """
    check_option("variant", variant, [*VARIANTS])
    recipe, own = VARIANTS[variant]
    return pair_model(TASK, sizes(TASK, **own), recipe)


def begin(
    variant: str = "baseline", seed: int = 0, steps: int | None = None
) -> tuple[Transformer, Training]:
    """Return an untrained model, and its training run.

    Args:
        variant: one of VARIANTS.
        seed: of the initial weights and of the batches.
        steps: the number of batches; by default that of the variant's recipe.

    Returns:
        the model, and an iterator over the loss of every step: see `fit_steps`.

    Raises:
        ValueError: there is no such variant, or there are too few steps.
    """
    return model_of(variant).begin(seed, steps)


def letters_by_chance() -> float:
    """Return the loss of a rule that knows the lengths and guesses the letters.

    At every position except the last, it guesses one of ten letters.
    """
    letters = mean(range(HELD_OUT_FROM, MOST + 1))  # all lengths are equally likely
    return letters / (letters + 1) * log(len(LETTERS))


def run(variant: str, training: str, seed: int) -> Row:
    """Train a model of a variant, and measure it on held-out strings.

    Args:
        variant: one of VARIANTS.
        training: "full", with all steps of the variant's recipe, or "half" of them.
        seed: see `begin`.

    Returns:
        "exact_match": the fraction of strings that it generates without a mistake, and
        "by_quarter" the same at the end of each quarter; and what `teacher_forced`
        measures at the end.
    """
    steps = VARIANTS[variant].recipe.steps // LENGTHS[training]
    model, training_steps = begin(variant, seed, steps)
    new = TASK.held_out(ASKED)
    by_quarter = []
    for part in range(1, QUARTERS + 1):
        left = steps * part // QUARTERS - training_steps.taken
        deque(islice(training_steps, left), maxlen=0)
        by_quarter.append(exact_match(model, TASK, new))
    return {
        "steps": steps,
        "exact_match": by_quarter[-1],
        "by_quarter": by_quarter,
        **teacher_forced(model, new, PAD_ID)._asdict(),
    }


EXPERIMENT = Experiment(
    name="learning",
    runs=grid(variant=VARIANTS, training=LENGTHS, seed=range(5)),
    measure=run,
    models={name: model_of(name) for name in VARIANTS},
)

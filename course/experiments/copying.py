"""Which word stood k steps ago? Recurrent layers and attention are asked."""

from collections.abc import Mapping
from typing import Any

import torch

from transformer_lib.checks.validation import check_option, check_size
from transformer_lib.runtime.seed import derive_seed

from ..models.copier import RECIPE, WORDS, model_of, sentences
from ..models.sequence_layer import KINDS, Kind
from .experiment import Experiment, grid

ASKED = 1000
BASELINE = 1 / WORDS  # right answers of one who guesses
DISTANCES = (4, 8, 16, 32, 64)
SEEDS = range(5)
STEPS = RECIPE.steps
LONG = 1000  # steps of a training at DISTANCES
NEAR = 16  # steps ago, where all of VARIANTS are trained for STEPS steps
#: What is trained: of each the kind of its layer, and what else is changed.
VARIANTS: Mapping[str, tuple[Kind, dict[str, Any]]] = {
    **{kind: (kind, {}) for kind in KINDS},
    "RNN, with positions": ("RNN", {"places": True}),
    "LSTM, with positions": ("LSTM", {"places": True}),
    "RNN, d = 64": ("RNN", {"d_model": 64}),
}


def run(
    variant: str, distance: int, steps: int = STEPS, seed: int = 0
) -> dict[str, float]:
    """Train a model to say which word stood some steps ago, and ask it.

    All variants see the same batches of 32 sentences, every word drawn at random from
    8; then they are asked about 1000 new sentences. A guess is right once in 8.

    Args:
        variant: one of VARIANTS.
        distance: k, the steps between the word and the question.
        steps: batches to learn from.
        seed: of weights and sentences.

    Returns:
        "accuracy": the share of right answers.

    Raises:
        TypeError, ValueError: distance or steps is below 1, or the variant is unknown.

    Source: D1.2.2, D1.2.3, D1.3.2.
    """
    check_option("variant", variant, [*VARIANTS])
    check_size("distance", distance)
    kind, changed = VARIANTS[variant]
    model = model_of(kind, distance, **changed).train(seed, steps)
    draw = torch.Generator().manual_seed(derive_seed(seed, "asked"))
    ids = sentences(distance, ASKED, draw)
    with torch.no_grad():
        right = model(ids).argmax(-1) == ids[:, 0]
    return {"accuracy": float(right.double().mean())}


EXPERIMENT = Experiment(
    name="copying",
    runs=[
        *grid(variant=KINDS, distance=DISTANCES, steps=[LONG], seed=SEEDS),
        *grid(variant=VARIANTS, distance=[NEAR], steps=[STEPS], seed=SEEDS),
    ],
    measure=run,
    models={
        name: model_of(kind, NEAR, **changed)
        for name, (kind, changed) in VARIANTS.items()
    },
    decimals=3,
)

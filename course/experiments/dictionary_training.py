"""How the models of the dictionary learn, and how much their seed matters."""

from collections.abc import Callable, Mapping
from statistics import mean
from typing import Any

from transformer_lib.runtime.seed import derive_seed
from transformer_lib.training import seeded

from ..data.dictionary import sample
from ..models.dictionary import BERT, GPT, LEFT, bits_per_character, hits
from ..models.small_model import SmallModel
from .experiment import Experiment, grid
from .results import Row

STAGES = 8  # of a training, after which the validation entries are asked
ASKED = 300  # validation entries of which each token is masked
#: The models, and what is measured: bits per character, or the share of hits.
MODELS: Mapping[str, tuple[SmallModel[Any, Any], Callable[..., float]]] = {
    "GPT": (GPT, bits_per_character),
    "BERT": (BERT, hits),
    "left side alone": (LEFT, lambda *given: hits(*given, right=False)),
}


def run(who: str, seed: int) -> Row:
    """Train one of MODELS from a seed.

    Returns:
        for each of eight stages the "step", the mean "loss" since the stage before, and
        the "validation" figure; and at the end the "held-out" figure.
    """
    small, figure = MODELS[who]
    entries = sample().validation
    asked = entries if small is GPT else entries[:ASKED]
    model, training = small.begin(seed)
    found: dict[str, list[float]] = {"step": [], "loss": [], "validation": []}
    every = len(training) // STAGES
    losses = []
    with seeded(derive_seed(seed, "dropout")):
        for loss in training:
            losses.append(loss)
            if len(losses) == every:
                found["step"].append(training.taken)
                found["loss"].append(mean(losses))
                found["validation"].append(figure(model, asked))
                losses.clear()
    return {**found, "held-out": figure(small.as_kept(model))}


EXPERIMENT = Experiment(
    name="dictionary_training",
    runs=[
        *grid(who=["GPT"], seed=range(3)),
        *grid(who=["BERT", "left side alone"], seed=[0]),
    ],
    measure=run,
    models={name.split()[0].lower(): small for name, (small, _) in MODELS.items()},
    settings={"stages": STAGES, "asked": ASKED},
)

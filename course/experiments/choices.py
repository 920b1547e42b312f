"""Learning rates and a seed that were chosen: which does best on validation data.

No model learns from that data, and none is judged by it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from statistics import mean
from typing import Any

from transformer_lib.model.transformer import EncoderOnlyTransformer

from ..data.coreference import SPLIT
from ..data.pairs import Pairs, PairTask, validation
from ..data.three_tasks import ThreeTasks
from ..models import bert, coreference, french, sequences, t5
from ..models.measures import teacher_forced
from ..models.pairs import exact_match
from ..models.small_model import SmallModel
from . import binding
from .experiment import Experiment, grid
from .results import Row

RATES = (0.001, 0.003, 0.01, 0.03)  # the largest of a training
SEEDS = range(5)
COUNT = 300  # examples of validation data


def on_pairs(task: PairTask, draw: Callable[[], Pairs]) -> Callable[[Any], Row]:
    """Return what measures an encoder-decoder on some pairs of its task."""

    def measure(model: Any) -> Row:
        pairs = draw()
        loss = teacher_forced(model, pairs, task.vocabulary.pad_id).loss
        return {"accuracy": exact_match(model, task, pairs), "loss": loss}

    return measure


def on_validation(task: PairTask) -> Callable[[Any], Row]:
    """Return what measures an encoder-decoder on validation pairs of its task."""
    return on_pairs(task, partial(validation, task, COUNT))


#: By name, the models whose learning rate was chosen, and what measures them.
MODELS: Mapping[str, tuple[SmallModel[Any, Any], Callable[[Any], Row]]] = {
    "french": (french.MODEL, on_validation(french.TASK)),
    "reverse": (sequences.MODELS["reverse"], on_validation(sequences.TASKS["reverse"])),
    "t5": (t5.MODEL, on_validation(ThreeTasks())),
    "bert": (bert.MODEL, bert.on_validation),
    # It is asked for pairs that it has learned, since no rate makes it answer others
    # from this seed: then one that learns nothing would be chosen, for it guesses.
    "binding": (binding.MODEL, on_pairs(binding.TASK, binding.tried)),
}


def with_rate(model: SmallModel[Any, Any], peak: float) -> SmallModel[Any, Any]:
    """Return the model with another learning rate."""
    return replace(model, recipe=replace(model.recipe, peak=peak))


def rate(model: str, peak: float) -> Row:
    """Train a model with a learning rate, and measure it on validation data.

    Returns:
        the "loss", by which rates are chosen, and the "accuracy".
    """
    small, measure = MODELS[model]
    return measure(with_rate(small, peak).train(0))


def looks(model: EncoderOnlyTransformer, block: int) -> float:
    """Measure how much "it" looks at what it stands for, in validation sentences."""
    sentences = SPLIT.validation(COUNT)
    found = [coreference.attention_weights(model, one, block)[1] for one in sentences]
    pairs = zip(found, sentences, strict=True)
    return mean(float(weights[one.it, one.antecedent]) for weights, one in pairs)


def seed(seed: int) -> Row:
    """Train a coreference model from a seed, and measure it on validation data.

    Returns:
        the "accuracy"; and for each block the attention "weight" from "it" to the noun
        that it stands for, by which the seed is chosen: the second block shows most.
    """
    model = coreference.MODEL.train(seed)
    blocks = range(coreference.SIZES.n_encoder_layers)
    return {
        "accuracy": coreference.score(model, SPLIT.validation(COUNT)),
        "weight": [looks(model, block) for block in blocks],
    }


EXPERIMENT = Experiment(
    name="choices",
    runs=grid(model=MODELS, peak=RATES),
    measure=rate,
    models={name: with_rate(model, 0) for name, (model, _) in MODELS.items()},
)
SEED = Experiment(
    name="coreference_choice",
    runs=grid(seed=SEEDS),
    measure=seed,
    models={"coreference": coreference.MODEL},
)

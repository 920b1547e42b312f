"""Whether an encoder-decoder binds a name to a place, or says any place it read."""

from statistics import mean

import torch

from transformer_lib.model.transformer import Transformer
from transformer_lib.runtime.seed import derive_seed

from ..data.pairs import Pairs
from ..data.whereabouts import HELD_OUT_PAIRS, PLACES, VOCABULARY, Whereabouts
from ..models.pairs import pair_model, sizes, write
from ..models.small_model import Recipe
from .experiment import Experiment, grid
from .results import Row

FACTS = 2  # in a text
ASKED = 300  # texts
TASK = Whereabouts(FACTS)
RECIPE = Recipe(steps=3000, peak=0.001, warmup=100)
MODEL = pair_model(TASK, sizes(TASK, n_encoder_layers=2), RECIPE)


def measure(model: Transformer, task: Whereabouts, asked: Pairs) -> dict[str, float]:
    """Measure the answers of a model.

    Returns:
        "accuracy": the share of right answers; guessing among the places of the text
        gives one in as many as there are; "in_text": the share of answers that are a
        place of the text.
    """
    said = write(model, task, asked.source)
    wanted = [VOCABULARY.decode(row)[1:2] for row in asked.target]
    texts = [VOCABULARY.decode(row) for row in asked.source]
    right = [a == b for a, b in zip(said, wanted, strict=True)]
    read = [
        len(words) == 1 and words[0] in PLACES and words[0] in text
        for words, text in zip(said, texts, strict=True)
    ]
    return {"accuracy": mean(right), "in_text": mean(read)}


def learned() -> Pairs:
    """Draw texts with pairs that were learned, as many as there are new ones."""
    return TASK.batch(torch.Generator().manual_seed(derive_seed(0, "asked")), ASKED)


def tried() -> Pairs:
    """Draw other texts with pairs that were learned, to choose settings by."""
    return TASK.batch(torch.Generator().manual_seed(derive_seed(0, "tried")), ASKED)


def by_rule(asked: Pairs) -> float:
    """Return the share of right answers of who binds nothing.

    It says one of the places of the text, drawn at random: but none that no learned
    text says of the name that is asked for, if there is another.
    """
    shares = []
    for source, target in zip(asked.source, asked.target, strict=True):
        words = VOCABULARY.decode(source)
        read = [word for word in words if word in PLACES]
        usual = [
            place for place in read if (words[3], place) not in HELD_OUT_PAIRS
        ] or read
        shares.append((VOCABULARY.decode(target)[1] in usual) / len(usual))
    return sum(shares) / len(shares)


def run(seed: int, steps: int) -> Row:
    """Train a model, and measure it: see `measure`.

    "accuracy_learned" is the share of right answers where the pairs were learned.
    """
    model = MODEL.train(seed, steps)
    known = measure(model, TASK, learned())["accuracy"]
    return {**measure(model, TASK, TASK.held_out(ASKED)), "accuracy_learned": known}


EXPERIMENT = Experiment(
    name="binding",
    runs=grid(seed=range(5), steps=(RECIPE.steps // 2, RECIPE.steps)),
    measure=run,
    models={"whereabouts": MODEL},
    settings={"facts": FACTS},
)

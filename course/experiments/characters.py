"""What a character of new English costs, and how far back the context helps."""

from statistics import mean

from transformer_lib.model.transformer import DecoderOnlyTransformer

from ..data.documentation import VOCABULARY, parts
from ..models.baselines import NGrams
from ..models.gpt import MODEL, bits, by_context
from .experiment import Experiment, grid
from .results import Row

GRAMS = range(1, 8)
STEPS = MODEL.recipe.steps
LENGTHS = (STEPS // 4, STEPS)  # steps of the trainings whose results are kept
CONTEXTS = (1, 2, 4, 8, 16, 32, 64)  # characters that are seen, up to twice as many


def n_grams() -> dict[str, float]:
    """Return the bits a character of the test that n-grams need, by n."""
    known, _, test = parts()
    size = len(VOCABULARY)
    return {str(n): NGrams(known, n, size).bits(test) for n in GRAMS}


def measure(model: DecoderOnlyTransformer) -> Row:
    """Return the bits a character of the test that a model needs.

    Returns:
        "bits", see `gpt.bits`; "by_context": the same by n, where the model sees the n
        to 2n − 1 characters before.
    """
    test = parts().test
    costs = by_context(model, test).tolist()
    by_n = {str(n): mean(costs[n - 1 : 2 * n - 1]) for n in CONTEXTS}
    return {"bits": bits(model, test), "by_context": by_n}


def run(model: str, seed: int = 0, steps: int = STEPS) -> Row:
    """Measure the n-grams, or a GPT that was trained from a seed."""
    if model == "n-grams":
        return {"bits": n_grams()}
    return measure(MODEL.after(steps, seed))


EXPERIMENT = Experiment(
    name="characters",
    runs=[
        {"model": "n-grams"},
        *grid(model=["GPT"], seed=range(5), steps=LENGTHS),
    ],
    measure=run,
    models={"gpt": MODEL},
    settings={"n": [*GRAMS], "contexts": CONTEXTS},
)

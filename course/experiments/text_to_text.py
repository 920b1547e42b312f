"""What a T5 does with three tasks, and without the word that names them."""

from transformer_lib.model.transformer import Transformer

from ..data.french import SPLIT
from ..data.three_tasks import (
    TASKS,
    held_out_examples,
    translations,
    with_origins,
)
from ..models.alignment import aligned, best_head
from ..models.t5 import MODEL, RECIPE, WITHOUT_PREFIX, score
from .experiment import Experiment, grid
from .results import Row

ASKED = 500  # new examples of each task


def measure(model: Transformer, *, prefixed: bool = True) -> dict[str, float]:
    """Return the share of new examples of each task that a model gets right.

    Args:
        model: which model.
        prefixed: whether what it reads begins with the name of the task.
    """
    return {
        task: score(model, held_out_examples(task, ASKED), prefixed=prefixed)
        for task in TASKS
    }


def without_question(model: Transformer) -> float:
    """Return the share of answers that are right where the question is taken away."""
    asked = held_out_examples("question", ASKED)
    return score(model, [one.without_its_question for one in asked])


def alignment(model: Transformer) -> tuple[int, int, float]:
    """Name the block and the head that look best, and their share of right words.

    They are chosen on validation sentences, and measured on held-out ones.
    """
    chosen_by = [one for s in SPLIT.validation(200) for one in translations(s)]
    block, head = best_head(model, *with_origins(chosen_by))
    shares = aligned(model, *with_origins(held_out_examples("translate", 200)))
    return block, head, float(shares[block, head])


def run(seed: int, steps: int) -> Row:
    """Train a model with prefixes and one without, and measure both.

    Returns:
        "with prefixes", and "without when asked": see `measure`, of one model; "without
        question": of the same; "never with prefixes": `measure` of a model that has
        learned the same examples without them; "alignment": see `alignment`.
    """
    model = MODEL.after(steps, seed)
    bare = WITHOUT_PREFIX.train(seed, steps)
    return {
        "with prefixes": measure(model),
        "without when asked": measure(model, prefixed=False),
        "without question": without_question(model),
        "never with prefixes": measure(bare, prefixed=False),
        "alignment": alignment(model),
    }


EXPERIMENT = Experiment(
    name="text_to_text",
    runs=grid(seed=range(5), steps=(RECIPE.steps // 2, RECIPE.steps)),
    measure=run,
    models={"with prefixes": MODEL, "without": WITHOUT_PREFIX},
)

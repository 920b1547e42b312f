"""What a BERT knows of a hidden word: from all around it, half, or out of order."""

from ..models.bert import LEFT, MODEL, RECIPE, WITHOUT_ORDER, questions, score
from .experiment import Experiment, grid
from .results import Row


def run(seed: int, steps: int) -> Row:
    """Return the shares of new words that models of a seed get right: see `score`.

    Returns:
        by what a model learns with: "both sides" of a word; "the left alone"; "out of
        order", both sides without positions. "left when asked" is the first of them,
        with the right side hidden only when it is asked.
    """
    asked = questions()
    both, left = (model.after(steps, seed) for model in (MODEL, LEFT))
    unordered = WITHOUT_ORDER.train(seed, steps)
    return {
        "both sides": score(both, asked),
        "the left alone": score(left, asked, right=False),
        "out of order": score(unordered, asked),
        "left when asked": score(both, asked, right=False),
    }


EXPERIMENT = Experiment(
    name="hidden_words",
    runs=grid(seed=range(5), steps=(RECIPE.steps // 2, RECIPE.steps)),
    measure=run,
    models={"both": MODEL, "left": LEFT, "without order": WITHOUT_ORDER},
)

"""What a mistake costs: a translator behind correct words, and behind its own."""

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn.functional import pad

from transformer_lib.generation.sampling import greedy
from transformer_lib.model.masks import padding_mask
from transformer_lib.model.transformer import Transformer

from ..data.french_sentences import PAD_ID
from ..data.pairs import Pairs
from ..models.french import MODEL, TASK
from ..models.measures import fraction
from ..models.pairs import decoding
from .experiment import Experiment, grid
from .results import Row

RECIPE = MODEL.recipe.shortened(400)
STAGES = (100, 200, 400)  # steps after which a model is asked


def say(model: Transformer, pairs: Pairs) -> tuple[Tensor, Tensor, Tensor]:
    """Let a model say every target, behind the right words and behind its own.

    Returns:
        ids (B, T) of the targets, and of the model's likeliest words: teacher-forced,
        and free-running.
    """
    source, target = pairs
    with torch.no_grad():
        mask = padding_mask(source, pad_id=PAD_ID)
        forced = model(source, target[:, :-1], mask).argmax(-1)  # (B, T)
    alone = greedy(model, source, decoding(TASK)).ids[:, 1:]
    three = target[:, 1:], forced, alone
    width = max(ids.size(1) for ids in three)
    has_to, behind, own = (pad(x, (0, width - x.size(1)), value=PAD_ID) for x in three)
    return has_to, behind, own


def measure(model: Transformer, pairs: Pairs) -> Row:
    """Measure what a mistake does to the words behind it.

    Returns:
        the numbers of words that stand "after" the first mistake of the free-running
        model; and that do so in texts of the right length ("same_length"), in which no
        word has moved. For "teacher_forced" and "free_running", the token accuracy of
        "all" words, and of those two parts, None if there are no words in it; and
        "exact_match".
    """
    target, forced, free = say(model, pairs)
    asked = target != PAD_ID
    wrong = (free != target) & asked
    after = asked & (wrong.cumsum(1) - wrong.int() > 0)
    same_length = after & ((free != PAD_ID) == asked).all(1, keepdim=True)
    parts = {"all": asked, "after": after, "same_length": same_length}
    found: Row = {"after": int(after.sum()), "same_length": int(same_length.sum())}
    for name, ids in {"teacher_forced": forced, "free_running": free}.items():
        right = ids == target
        shares = {
            part: fraction(right[where]) if where.any() else None
            for part, where in parts.items()
        }
        found[name] = {**shares, "exact_match": fraction((right | ~asked).all(1))}
    return found


def run(seed: int) -> Iterator[Row]:
    """Train a translator, and measure it after each of STAGES."""
    model, training = MODEL.begin(seed, RECIPE.steps)
    for steps, _ in enumerate(training, 1):
        if steps in STAGES:
            yield {"steps": steps, **measure(model, TASK.held_out())}


EXPERIMENT = Experiment(
    name="free_running",
    runs=grid(seed=range(5)),
    measure=run,
    models={"french": replace(MODEL, recipe=RECIPE)},
    settings={"stages": STAGES},
)

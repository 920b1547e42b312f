"""masked_words_training: a small BERT learns from nothing, and is asked meanwhile."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from explorable import Explorer, Job, Sheet
from explorable.controls import random_start, seed_of
from explorable.drawings.curves import Curves
from explorable.drawings.curves.curves import MOST_ROWS
from explorable.inputs import whole_number
from transformer_lib.model.transformer import EncoderOnlyTransformer

from ...data.masked_words import MASK
from ...models import bert
from .masked_words import draw_guess, hiding, words_of

ASKED = 20  # new sentences, of which every word is hidden once
EVERY = 50  # steps, after which they are asked


@dataclass(frozen=True)
class Stage:
    """What a training run has reached.

    model: as it is now.
    losses: of the steps so far.
    right: by the number of steps, the accuracy on the determined words of new
        sentences, measured after so many steps.
    """

    model: EncoderOnlyTransformer
    losses: list[float]
    right: dict[int, float]


def masked_words_training(
    sentence: str = "the cat sits on the mat which is soft",
    *,
    hidden: int = 6,
    steps: int = 500,
) -> Explorer:
    """Watch a small BERT learn to predict hidden words, from scratch.

    Args:
        sentence: up to 16 words of the tiny English, asked after every step.
        hidden: which of its words is hidden, from 1.
        steps: how many batches.

    Returns:
        an Explorer of long work with controls "sentence", "hidden" and "draw". Its
        values: "guess" as that of `masked_words`, and "right" (K, 1), the
        accuracy on the determined words of new sentences after 0, 50, 100, … and all
        steps, NaN where it has not been measured yet.

    Raises:
        TypeError, ValueError: the sentence cannot be read, it has no such word, or
            steps is no integer from 1 to 2,048.

    Source: Devlin et al. (2019), §3.1.
    """
    whole_number("steps", steps, 1, MOST_ROWS)

    def work(*, draw: str) -> Iterator[Stage]:
        return stages(seed_of(draw), steps)

    controls = hiding(sentence, hidden)
    controls["draw"] = random_start()
    sheet = masked_words_training_sheet
    return Job(
        "masked_words_training",
        sheet,
        work,
        steps,
        controls,
        steps=steps,
        title="Training on masked words",
        task="Watch what the model learns to fill in.",
        more=("draw",),
    )


def stages(seed: int, steps: int) -> Iterator[Stage]:
    """Train a model: give how it stands before the first step, and after each."""
    model, training = bert.begin(seed, steps)
    new = bert.questions(ASKED)
    losses: list[float] = []
    right: dict[int, float] = {}
    while True:
        if training.taken % EVERY == 0 or not len(training):
            share = bert.score(model, new)["knowable"]
            right = {**right, training.taken: share}
        yield Stage(model, losses, right)
        if not len(training):
            return
        losses = [*losses, next(training)]


def masked_words_training_sheet(
    found: Stage, *, sentence: str, hidden: int, steps: int, draw: str
) -> Sheet:
    """What the model takes a hidden word for now, and what it has got right so far."""
    words = words_of(sentence)
    s = Sheet()
    s.control("hidden", max=len(words))
    hidden = min(hidden, len(words))
    masked = [MASK if n == hidden else w for n, w in enumerate(words, start=1)]
    asked = " ".join(masked)
    at = sorted({*range(0, steps, EVERY), steps})
    taken = len(found.losses)
    own, guess = words[hidden - 1], bert.fill_in(found.model, asked)
    note = f"After {taken} steps, “{own}” gets {guess[own]:.0%}"
    draw_guess(s, guess, own, asked, False, note=note)
    latest = found.losses[-EVERY:]
    note = f"of {int(bert.questions(ASKED).knowable.sum())} determined new words"
    if taken:
        note += f" · mean loss of the last {len(latest)}: {np.mean(latest):.2f}"
    learning = Curves(
        name="right",
        title="accuracy",
        formula=f"after {taken} of {steps} steps",
        x=at,
        series=("share",),
        hues=("weights",),
        looks=("both",),
        axes=("step", "fraction correct"),
        limits=((0, steps), (0.0, 1.0)),
        sentence="fraction correct after step {x}",
        note=note,
        room=5,
        wide=26,
        high=13,
    )
    s.draw(learning, [[found.right.get(step, np.nan)] for step in at])
    return s

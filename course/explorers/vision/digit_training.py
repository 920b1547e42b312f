"""digit_training: a Vision Transformer learns to read handwritten digits."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from explorable import Explorer, Job, Sheet
from explorable.controls import menu, random_start, seed_of, whole
from explorable.drawings.curves.curves import MOST_ROWS, Curves
from explorable.inputs import whole_number
from transformer_lib.checks.validation import check_option

from ...data.digits import Digits, digits
from ...experiments.digits import AUGMENTATIONS, CHOSEN
from ...models.vit import (
    ViT,
    ViTConfig,
    attention_weights,
    model_of,
    probabilities,
    score,
)
from .reading import draw_looks, draw_probabilities

ASKED = 200  # digits of new writers
EVERY = 20  # steps, after which they are asked


@dataclass(frozen=True)
class Stage:
    """How a training stands.

    model: as it is now.
    losses: of the steps so far.
    right: the share of new digits that it read when it was asked last.
    """

    model: ViT
    losses: list[float]
    right: float


def digit_training(number: int = 9, *, way: str = CHOSEN, steps: int = 300) -> Explorer:
    """Watch a ViT learn to read digits, from nothing.

    Args:
        number: which digit of new writers it is shown all the time, from 1 to 200.
        way: how pictures are changed while it learns, one of
            `experiments.digits.AUGMENTATIONS`.
        steps: how many batches of 64.

    Returns:
        an Explorer of long work with controls "number", "way" and "draw". Its values:
        "digit" (8, 8), over it "digit.weights" (4, 4), the mean attention of the class
        token in the last block; "probabilities" (10, 1); and "losses" (steps, 1), NaN
        where a step was not taken yet.

    Raises:
        TypeError, ValueError: there is no such digit or way, or steps is no integer
            from 1 to 2,048.

    Source: Dosovitskiy et al. (2021), §3.1; D0.6.vision.
    """
    check_option("way", way, [*AUGMENTATIONS])
    whole_number("steps", steps, 1, MOST_ROWS)  # a loss is a point of a curve

    def work(*, way: str, draw: str) -> Iterator[Stage]:
        return stages(way, seed_of(draw), steps)

    controls = {
        "number": whole("new digit", number, 1, ASKED, "number"),
        "way": menu("moved by up to", [*AUGMENTATIONS], way),
        "draw": random_start(),
    }
    sheet = digit_training_sheet
    return Job(
        "digit_training",
        sheet,
        work,
        steps,
        controls,
        steps=steps,
        title="Training a vision Transformer",
        task="Watch it learn to read digits; then show it a new one.",
        more=("way", "draw"),
    )


def stages(way: str, seed: int, steps: int) -> Iterator[Stage]:
    """Train in a way: give how it stands before the first step, and after each."""
    small = model_of(lambda: ViT(ViTConfig()), augment=AUGMENTATIONS[way])
    model, training = small.begin(seed, steps)
    new = asked()
    losses: list[float] = []
    while True:
        if training.taken % EVERY == 0 or not len(training):
            right = score(model, new)
        yield Stage(model, losses, right)
        if not len(training):
            return
        losses = [*losses, next(training)]


def asked() -> Digits:
    """Return the first digits of new writers."""
    pictures, names = digits("held out")
    return Digits(pictures[:ASKED], names[:ASKED])


def digit_training_sheet(
    found: Stage, *, number: int, steps: int, way: str, draw: str
) -> Sheet:
    """Where the model looks now, what it says of a digit, and its losses."""
    s = Sheet()
    pictures, names = asked()
    picture, meant = pictures[number - 1], int(names[number - 1])
    weights = attention_weights(found.model, picture)[-1, :, 0, 1:].mean(0)  # (16,)
    words = {
        "title": "where the class token looks",
        "formula": "last block, mean of heads",
        "side": 2.4,
    }
    draw_looks(s, "digit", picture, weights, **words)
    said = probabilities(found.model, picture[None]).mT.double().numpy()  # (10, 1)
    words = {
        "title": "which digit it reads",
        "formula": "✓ what its writer meant",
    }
    draw_probabilities(s, said, meant, **words)
    losses = np.full((steps, 1), np.nan)
    losses[: len(found.losses), 0] = found.losses
    learning = Curves(
        name="losses",
        title="loss",
        formula=f"after {len(found.losses)} of {steps} steps",
        x=range(1, steps + 1),
        series=("loss",),
        hues=("weights",),
        axes=("step", "loss per digit"),
        limits=((1, max(2, steps)), (0.0, 3.0)),
        note=f"It reads {found.right:.0%} of {ASKED} new digits",
        concludes=True,
        room=5,
        wide=27,
        high=20,
    )
    s.draw(learning, losses)
    return s

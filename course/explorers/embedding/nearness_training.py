"""nearness_training: which words become similar while an embedding learns."""

from collections.abc import Iterator, Sequence

import numpy as np

from explorable import Array, Explorer, Job, Sheet, plots
from explorable.controls import random_start, seed_of
from explorable.drawings.bars import Bars
from explorable.drawings.curves import Curves
from explorable.inputs import some_words

from ...data.side_by_side import make_vocabulary
from ...models.nearness import STEPS, Trained, train_steps

MOST = 12  # pairs
Pairs = list[tuple[str, str]]


def nearness_training(*pairs: tuple[str, str]) -> Explorer:
    """Watch the distances between words while their vectors are trained.

    Args:
        pairs: 1 to 12 pairs of words from `side_by_side.SENTENCES`.

    Returns:
        an Explorer that trains step by step, with a control "draw" for the seed. Its
        values "distances" (pairs, 2) are the cosine distances before training and now,
        and "losses" (200, 1) are NaN for steps that are still to come.

    Raises:
        TypeError, ValueError: there are no pairs or too many, or a word is unknown.

    Source: Mikolov et al. (2013); D2.1.4.
    """
    known = make_vocabulary()
    some_words(
        "pairs", ["–".join(some_words("a pair", p, 2, 2)) for p in pairs], 1, MOST
    )
    unknown = [word for pair in pairs for word in pair if word not in known.words]
    if unknown:
        raise ValueError(f"pairs must hold words of the data, got {unknown[0]!r}")
    controls = {"draw": random_start()}
    sheet = nearness_training_sheet
    name = "nearness_training"
    return Job(
        name,
        sheet,
        _train,
        STEPS,
        controls,
        pairs=list(pairs),
        title="Training word vectors",
        task="Watch which pairs of words move closer together.",
        more=("draw",),
    )


def _train(*, draw: str) -> Iterator[Trained]:
    return train_steps(seed=seed_of(draw))


def nearness_training_sheet(found: Trained, *, pairs: Pairs, draw: str) -> Sheet:
    """Draw the distances before training and now, and the losses so far."""
    s = Sheet()
    taken = len(found.losses)
    both = np.array([found.distance(*pair) for pair in pairs])
    labels = ["–".join(pair) for pair in pairs]
    distances = Bars(
        name="distances",
        title="cosine distances",
        formula="1 − cosine",
        labels=labels,
        series=("before", "now" if taken < STEPS else "after"),
        dots=True,
        scale=(0.0, 1.5 if both.max() <= 1.5 else 2.0),
        guide=(1.0, "one-hot"),
        measure="0: same direction, 1: perpendicular, 2: opposite",
        sentence="{label}: cosine distance, {series}",
        note=_conclusion(labels, both) if taken else "",
        concludes=True,
        opens=(0, 1),  # what training has come to, of the first pair
    )
    s.draw(distances, both)
    losses = np.full((STEPS, 1), np.nan)
    losses[:taken, 0] = found.losses
    learning = Curves(
        name="losses",
        title="loss during training",
        x=range(1, STEPS + 1),
        series=("loss",),
        hues=("reference",),  # the distances are the point
        palette="reference",
        axes=("step", "loss"),
        limits=((1, STEPS), (0.0, 4.0)),
        sentence="loss at step {x}",
        room=5,
        high=19,
    )
    s.draw(learning, losses)
    return s


def _conclusion(labels: Sequence[str], distances: Array) -> str:
    """Say which pair has come closer most, and which one has moved apart most."""
    change = distances[:, 1] - distances[:, 0]
    said = []
    ends = int(change.argmin()), int(change.argmax())
    for n, does in zip(ends, ("fell", "rose"), strict=True):
        if (change[n] < 0) == (does == "fell") and change[n]:
            before, now = (plots.number(x) for x in distances[n])
            said.append(f"{labels[n]} {does} from {before} to {now}")
    return ", ".join(said) + "." * bool(said)

"""depth_training: five stacks train side by side."""

from collections.abc import Iterator

import numpy as np

from explorable import Explorer, Job, Sheet, plots
from explorable.controls import random_start, seed_of
from explorable.drawings.bars import Bars
from explorable.drawings.curves import Curves
from transformer_lib.checks.validation import check_size

from ...experiments.depth import KINDS, VARIANTS, Learned, Variant, learn_steps

HUES = ("reference", "key", "negative", "query", "output")


def depth_training(blocks: int = 12, *, steps: int = 40) -> Explorer:
    """Watch five stacks learn to repeat their input words, one per variant.

    Args:
        blocks: N.
        steps: of each training run.

    Returns:
        an Explorer of long work with a control "draw". Its values "right"
        (5, 1) are the accuracies when they were last measured, and "losses"
        (steps, 5) powers of ten, NaN for steps that were not yet taken.

    Raises:
        TypeError, ValueError: blocks or steps is not an integer of at least 1.

    Source: Xiong et al. (2020); D1.3.3, D2.4.
    """
    check_size("blocks", blocks)
    check_size("steps", steps)
    controls = {"draw": random_start()}

    def work(*, draw: str) -> Iterator[dict[Variant, Learned]]:
        return learn_steps(VARIANTS, blocks, steps=steps, seed=seed_of(draw))

    always = {"steps": steps, "blocks": blocks}
    sheet = depth_training_sheet
    count = steps * len(VARIANTS)
    return Job(
        "depth_training",
        sheet,
        work,
        count,
        controls,
        title="Five stacks learn side by side",
        task="Which stack learns first, and which not at all?",
        more=("draw",),
        **always,
    )


def depth_training_sheet(
    found: dict[Variant, Learned], *, steps: int, blocks: int, draw: str
) -> Sheet:
    """Show the current accuracies and the losses so far."""
    s = Sheet()
    taken = min(len(learned.losses) for learned in found.values())
    right = Bars(
        name="right",
        title="accuracy",
        formula=f"{blocks} block{'s' * (blocks > 1)}, as last measured",
        labels=VARIANTS,
        series=("accuracy",),
        measure="fraction of words repeated correctly",
        guide=(1 / KINDS, "guessing"),
        sentence="{label}: fraction of words repeated correctly",
        note=_said(found),
        concludes=True,
    )
    s.draw(right, np.array([[found[way].accuracy] for way in VARIANTS]))
    guessing = np.log10(np.log(KINDS))
    losses = np.full((steps, len(VARIANTS)), np.nan)
    for n, way in enumerate(VARIANTS):
        losses[: len(found[way].losses), n] = found[way].losses
    learning = Curves(
        name="losses",
        title="learning",
        formula=f"after {taken} of {steps} steps; 0 means a loss of 1, 2 a loss of 100",
        x=range(1, steps + 1),
        series=VARIANTS,
        hues=HUES,
        axes=("step", "log₁₀ of the loss"),
        limits=((1, max(2, steps)), (-3.0, 2.5)),
        sentence="log₁₀ of the loss at step {x}",
        note=f"equal probabilities for all {KINDS} words give {guessing:.2f}",
        room=11,
        leads=True,
    )
    s.draw(learning, np.log10(losses))
    return s


def _said(found: dict[Variant, Learned]) -> str:
    """State which stack is the most accurate so far, and which one comes next."""
    ranked = sorted(found, key=lambda way: -found[way].accuracy)[:2]
    best, other = (f"{way} {plots.number(found[way].accuracy, 2)}" for way in ranked)
    return f"best: {best}, then {other}"

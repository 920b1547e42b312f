"""Learning curves of a training's snapshots, the one in view marked."""

import numpy as np

from explorable import Sheet, Style
from explorable.drawings.curves import Curves

from ...models.snapshots import ASKED, Snapshots

LATEST = 5  # steps whose losses are averaged
WIDE, HIGH = 31, 16  # em


def draw_learning(s: Sheet, found: Snapshots, shot: int) -> None:
    """Draw the losses and the accuracies after each snapshot: (K, 2) both."""
    steps = [one.step for one in found.shots]
    measured = np.array([one.measured for one in found.shots])  # (K, 3)
    before = [_latest(found, k) for k in range(len(steps))]
    most = max(*before, *measured[:, 0])
    both: Style = {
        "x": steps,
        "marks": [(shot, "now")],
        "shares": "steps",
        "wide": WIDE,
        "high": HIGH,
    }
    across = (0, max(steps[-1], 1))
    loss = Curves(
        name="loss",
        formula="mean −log p of the correct next word",
        series=("training", "held-out"),
        hues=("reference", "weights"),
        axes=("steps", "loss"),
        limits=(across, (0.0, 1.05 * float(most))),
        sentence="loss; steps taken: {x}",
        room=12,
        **both,
    )
    s.draw(loss, np.column_stack([before, measured[:, 0]]))
    right = Curves(
        name="right",
        title="accuracy",
        formula=f"fraction of {ASKED} held-out sentences",
        series=("next words", "sentences"),
        hues=("position", "weights"),
        axes=("steps", "fraction correct"),
        limits=(across, (0.0, 1.0)),
        sentence="fraction correct; steps taken: {x}",
        room=12,
        group=1,
        **both,
    )
    s.draw(right, measured[:, 1:])


def _latest(found: Snapshots, k: int) -> float:
    """The mean loss of the last steps before a snapshot; of the first one at 0."""
    begun = found.shots[0].step
    taken = found.shots[k].step - begun
    earlier = found.shots[k - 1].step - begun if k else 0
    losses = found.losses[max(earlier, taken - LATEST) : taken] or found.losses[:1]
    return float(np.mean(losses)) if losses else found.shots[k].measured.loss

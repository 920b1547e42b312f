"""Branches: texts as a tree, as they stand after some steps."""

from collections.abc import Sequence

import numpy as np

from explorable import Sheet
from explorable.drawings.tree import State, Tree

from .writing import Writing

LEAVES = 12  # ends of branches that are shown


def draw_tree(
    s: Sheet,
    made: Writing,
    words: Sequence[str],
    root: str,
    step: int,
    *,
    taken: int,
    exponent: float = 0.0,
) -> None:
    """Draw the texts as they stand after a step, from 1.

    What was tried at an earlier step by beams is not shown, and of what was left there
    only the latest. The path that ends with the node `taken` is marked, if that is no
    −1. A score is Σ log p, divided by the length penalty of this exponent.
    """
    shown, states = _seen(made, step)
    place = {node: n for n, node in enumerate(shown)}
    totals = np.array([made.totals[n] for n in shown])
    parents = [place.get(made.parents[n], -1) for n in shown]
    chances = np.exp(totals - totals[parents])  # the root's own is 1
    chances[0] = 1.0
    lengths = np.array([made.depth(n) for n in shown])
    scores = totals / ((5 + lengths) / 6) ** exponent
    formula = f"after step {step} of {made.steps}"
    if exponent:
        formula += f" · score = Σ log p ÷ ((5 + n) ÷ 6)^{exponent:g}, for n words"
    note = ""
    if step == made.steps and taken >= 0:
        text = " ".join(words[made.tokens[n]] for n in made.path(taken))
        note = f"written: {root} {text}"
    drawing = Tree(
        name="texts",
        title="texts",
        formula=formula,
        palette="output",
        words=[words[made.tokens[n]] if n else root for n in shown],
        parents=parents,
        states=[states[n] for n in shown],
        taken=place.get(taken, -1),
        measure="score" if exponent else "Σ log p",
        note=note,
    )
    s.draw(drawing, np.stack([chances, scores], axis=1))


def _seen(made: Writing, step: int) -> tuple[list[int], dict[int, State]]:
    """The nodes that are shown after a step, the root first, and their states."""
    there = [n for n in range(len(made.tokens)) if made.depth(n) <= step]
    if made.beams:
        there = [n for n in there if n not in made.tried or made.depth(n) == step]
    going_on = [] if made.beams and step == made.steps else made.fronts[step]
    alive = {0}.union(*map(made.path, [*going_on, *made.ended.intersection(there)]))
    inner = {made.parents[n] for n in there}
    left = [n for n in there if n not in inner | alive]
    room = max(0, LEAVES - len(alive - inner))
    latest = sorted(left, key=lambda n: (-made.depth(n), -made.totals[n]))[:room]
    seen = sorted(alive.union(*map(made.path, latest)))
    states: dict[int, State] = dict.fromkeys(seen, "left")
    states |= dict.fromkeys(alive, "kept")
    states |= {n: "ended" for n in seen if n in made.ended}
    return seen, states

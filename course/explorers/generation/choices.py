"""Choices: what may come next, as bars, and what a strategy has taken of it."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from explorable import Array, Sheet, plots
from explorable.drawings.bars import Bars
from transformer_lib.generation.sampling import Sampling

from .writing import Writing

SHOWN = 7  # words, and all others in one bar
BESIDE_TREE = 11.0  # em of a scale: the tree is what grows
FEW = 24  # characters of a text that is named: with more it is wider than the bars


def draw_next(
    s: Sheet,
    made: Writing,
    words: Sequence[str],
    root: str,
    taken: int,
    sampling: Sampling | None,
) -> None:
    """Draw how likely words were to come where the node `taken` did, and are drawn.

    What was taken is marked; so is what top-k and top-p cut away.
    """
    node = made.parents[taken]
    p = np.exp(made.after[node])
    each = [p]
    own = legible(words[made.tokens[taken]])
    chance = plots.number(float(p[made.tokens[taken]]), 2)
    note = f"{own} is chosen: the most likely, {chance}"
    if sampling is not None:
        logits = torch.from_numpy(made.after[node])
        each.append(sampling.probabilities(logits).numpy())
        kept = int((each[1] > 0).sum())
        held = float(p[each[1] > 0].sum())
        few = f"{kept} of {len(p)} words, with {plots.number(held)} of the probability"
        note = f"{own} is drawn, from {few}"
    labels, values = most_likely(each, words, made.tokens[taken])
    cut = values == 0
    cut[:, 0] = False
    drawing = Bars(
        name="next",
        title="the next word",
        formula=f"probabilities after {called(made, words, root, node)}",
        palette="output",
        labels=labels,
        series=("model", "drawn from")[: len(each)] if sampling else ("",),
        hues=("output", "weights")[: len(each)],
        hidden=cut,
        rest=len(labels) > SHOWN,
        masked_text="cut",
        blank_zeros=True,
        wide=BESIDE_TREE,
        sentence="how likely to come next: {label}" + ", {series}" * len(each[1:]),
        note=note,
        concludes=True,
    )
    s.draw(drawing, values)


def most_likely(
    each: Sequence[Array], words: Sequence[str] | Mapping[int, str], marked: int
) -> tuple[list[str], Array]:
    """Choose the most likely words by the first of some distributions, each (V,).

    Returns:
        labels: the words, with a ✓ at the one that is marked, which is always among
            them; the last stands for all others together, if there are any.
        shares: of each label in each distribution, (labels, distributions).
    """
    few = most_likely_ids(each[0], marked)
    labels = [legible(words[t]) + " ✓" * (t == marked) for t in few]
    values = np.stack([x[few] for x in each], axis=1)
    rest = np.stack([np.delete(x, few) for x in each], axis=1)
    if len(rest):
        labels.append(f"{len(rest):,} others")
        values = np.concatenate([values, rest.sum(0, keepdims=True)])
    return labels, values


def most_likely_ids(p: Array, marked: int) -> list[int]:
    """Return the most likely words by p (V,), the marked one always among them."""
    few: list[int] = np.argsort(-p, kind="stable")[:SHOWN].tolist()
    return few if marked in few else [*few[:-1], marked]


def draw_candidates(s: Sheet, made: Writing, words: Sequence[str], step: int) -> None:
    """Draw the texts that beams choose among at a step, and mark those that stay.

    The longest bar is the best: a text's probability, whose log the tree has.
    """
    there = [n for n in range(1, len(made.tokens)) if made.depth(n) == step]
    there.sort(key=lambda n: (n in made.tried, -made.totals[n]))
    chances = np.exp([[made.totals[n]] for n in there])
    goes_on = made.fronts[step] if step < made.steps else []
    signs = dict.fromkeys(goes_on, " ✓") | dict.fromkeys(made.ended, " ∎")
    last = [[words[made.tokens[m]] for m in made.path(n)[-2:]] for n in there]
    texts = [" ".join(map(legible, two)) for two in last]
    labels = [text + signs.get(n, "") for n, text in zip(there, texts, strict=True)]
    signs_of = {" ✓": "✓ kept, goes on", " ∎": "∎ kept, ended"}
    keys = [
        said
        for sign, said in signs_of.items()
        if any(label.endswith(sign) for label in labels)
    ]
    stay = [n for n in there if n in signs]
    lost = {*made.fronts[step - 1]} - {made.parents[n] for n in stay} - {0}
    note = f"{len(stay)} of {len(there)} texts are kept"
    if lost:
        named = ", ".join(legible(words[made.tokens[n]]) for n in sorted(lost))
        note += f"; none goes on from “… {named}”"
    drawing = Bars(
        name="candidates",
        title="candidates",
        formula=" · ".join(["how likely each text is", *keys]),
        palette="output",
        digits=3,
        labels=labels,
        scale=(0.0, plots.rounded_up(float(chances.max()))),
        sentence="how likely the text is that ends with: {label}",
        note=note,
        concludes=True,
        wide=BESIDE_TREE,
        least=16,
        faint=[label == text for label, text in zip(labels, texts, strict=True)],
    )
    s.draw(drawing, chances)


def legible(word: str) -> str:
    """A word as it can be seen alone: a full stop has quotes around it."""
    return word if any(map(str.isalnum, word)) else f"“{word}”"


def called(made: Writing, words: Sequence[str], root: str, node: int) -> str:
    """A text in quotes, as much of its end as has room."""
    all_of_it = [root, *(words[made.tokens[n]] for n in made.path(node))]
    last = len(all_of_it) - 1
    while last and len(" ".join(all_of_it[last - 1 :])) <= FEW:
        last -= 1
    text = " ".join(all_of_it[last:])
    return f"“… {text}”" if last else f"“{text}”"

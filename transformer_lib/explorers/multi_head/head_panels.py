"""The drawings of `heads`: every head small, one large, and what removing one does."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...tasks.grammar import ROLES
from ..toolkit.drawing import Drawing
from ..toolkit.explorer import Arrays
from ..toolkit.links import Links
from ..toolkit.panel import Panel

HEADS = ("1", "2", "3", "4")
NONE = "none"
LOOKS = {
    "before": "→ the word before",
    "who": "→ who it is about",
    "when": "→ the verb",
    "where": "→ the place",
}


def head_drawings(
    arrays: Arrays,
    words: Sequence[str],
    known: Sequence[str],
    *,
    model: str,
    head: int,
    removed: str,
) -> list[Drawing]:
    """The grid of all heads and the next word; below, one head large.

    Args:
        arrays: what `head_steps` gives.
        words: the sentence.
        known: the model's words, in the order of their ids.
        model: "taught" or "free".
        head: the one shown large, 1 to 4.
        removed: "none", or the one that is left out.
    """
    square: dict[str, Any] = {
        "rows": words,
        "columns": words,
        "axes": ("query", "key"),
        "hidden": np.triu(np.ones((len(words), len(words)), bool), 1),
        "shares": "tokens",
    }
    grid = [_small(h, square, model, str(head), removed) for h in HEADS]
    return [
        *grid,
        _moved(arrays, words),
        _next_word(arrays, words, known, removed),
        *_large(square, model, str(head)),
    ]


def _role(model: str, head: str) -> str:
    """Where a head was told to look; the free model's were told nothing."""
    return LOOKS[ROLES[int(head) - 1]] if model == "taught" else ""


def _small(
    h: str, square: dict[str, Any], model: str, head: str, removed: str
) -> Panel:
    """One head of the grid, which shows it large when it is chosen.

    What it was told stands below it, where "removed" takes no more room.
    """
    return Panel(
        name=f"head {h}",
        title=f"head {h}",
        note="removed" if h == removed else _role(model, h) or "told nothing",
        size="tiny",
        chooses=("head", int(h)),
        chosen=h == head,
        sentence=f"head {h}: the share that “{{row}}” gives to “{{column}}”",
        **square,
    )


def _large(square: dict[str, Any], model: str, head: str) -> list[Drawing]:
    """One head as a matrix, and as links."""
    formula = f"head {head} {_role(model, head)}".strip()
    shares = "the share of its attention that “{row}” gives to “{column}”"
    square = {**square, "formula": formula, "band": 1}
    weights = Panel(
        name="weights",
        title="weights",
        size="small",
        sentence=f"{shares} in head {head}",
        note="each row sums to 1",
        **square,
    )
    links = Links(
        name="links",
        title="links",
        sentence=f"what “{{word}}” looks at in head {head}",
        back=f"how much looks at “{{word}}” in head {head}",
        note="the wider the line, the larger the weight",
        **square,
    )
    return [weights, links]


def _next_word(
    arrays: Arrays, words: Sequence[str], known: Sequence[str], removed: str
) -> Panel:
    """The likeliest next words with all heads, and without one."""
    without = "no head" if removed == NONE else f"head {removed}"
    return Panel(
        name="next",
        title="next word",
        formula=f"after “{words[-1]}”",
        rows=[known[int(n)] for n in arrays["next.ids"][0]],
        columns=["all heads", "all heads" if removed == NONE else f"without {removed}"],
        axes=("word", "heads"),
        sentence="how likely “{row}” is to come next: {column}",
        note=f"in the second column {without} is removed",
        group=1,
        size="large",
    )


def _moved(arrays: Arrays, words: Sequence[str]) -> Panel:
    """How far each token's output moves without the head."""
    return Panel(
        name="moved",
        title="moved",
        formula="how far each token's attention output moves",
        rows=["distance"],
        columns=words,
        axes=("", "token"),
        palette="output",
        limit=max(1.0, float(arrays["moved"].max())),
        sentence="how far the attention output of “{column}” moves without the head",
        words=("0",),
        group=1,
        size="small",
    )

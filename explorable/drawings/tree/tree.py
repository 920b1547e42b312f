"""A tree of texts: each token behind the one before it, and the path that was taken."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ... import plots
from ...drawing import EM, PAGE, Array, Drawing, StaticDrawing
from ...inputs import whole_number
from ...validation import check_option, check_type, require

State = Literal["kept", "ended", "left"]
STATES: tuple[State, ...] = get_args(State)
MOST_NODES = 256
NARROW, WIDE = 4.4, 10.0  # em of a token, and between them as its word needs
GAP, SPREAD = 1.4, 0.4  # em from a token to the next, and more for each of several
SCORE = 4.4  # em for the score behind the last one
DOWN = 0.36  # inches from line to line, at rest
MARKS = {"taken": "✓", "ended": "∎"}


@dataclass(frozen=True, kw_only=True)
class Tree(Drawing):
    """Texts that grow from one root: what a search or a sampler chose among.

    Its array is (N, 2): for each node the probability of its token after what stands
    before it, and the score of the text that it ends. Its sentence may hold {word},
    {text} (the tokens from the root to it), {probability}, {score} and {state}.

    Attributes:
        words: N tokens; node 0 is the root.
        parents: for each, the node that it stands behind, which comes before it; −1 for
            the root.
        states: for each "kept" (it may go on), "ended", or "left" (tried, not kept).
        taken: the last node of the path that was taken, or −1.
        measure: what the score is.

    Raises:
        ValueError: these do not fit each other, or there are over 256 nodes.
    """

    words: Sequence[str]
    parents: Sequence[int]
    states: Sequence[State]
    taken: int = -1
    measure: str = "Σ log p"
    sentence: str = "“{text}”: {word} with {probability}; in all {score}, {state}"

    kind = "tree"
    moving = ("words", "parents", "states", "taken", "measure", "marks", "columns")

    def __post_init__(self) -> None:
        N = len(self.words)
        require(1 <= N <= MOST_NODES, "words", f"be 1 to {MOST_NODES}", N)
        for name in ("parents", "states"):
            given = len(getattr(self, name))
            require(given == N, name, f"be as many as the {N} words", given)
        for word in self.words:
            check_type("each of words", word, str)
        for node in self.parents:
            whole_number("a node of parents", node, -1, N - 1)
        whole_number("taken", self.taken, -1, N - 1)
        rising = all(-1 < parent < n for n, parent in enumerate(self.parents) if n)
        fits = rising and self.parents[0] == -1
        wanted = "be −1 for the root and then earlier nodes"
        require(fits, "parents", wanted, list(self.parents))
        for state in self.states:
            check_option("each of states", state, STATES)

    def check(self, arrays: Mapping[str, Array]) -> None:
        """Raise unless the array has a probability and a score for each node.

        Raises:
            ValueError: it has another shape, a probability is not from 0 to 1, or a
                score is no number.
        """
        x = arrays[self.name]
        wanted = (len(self.words), 2)
        require(x.shape == wanted, self.name, f"have shape {wanted}", x.shape)
        for p, score in x:
            fits = bool(0 <= p <= 1)
            require(fits, f"a probability of {self.name}", "be from 0 to 1", f"{p:g}")
            known = not np.isnan(score)
            require(known, f"a score of {self.name}", "be a number", f"{score:g}")

    @property
    def marks(self) -> dict[str, str]:
        """The signs of what was taken and what has ended."""
        return MARKS

    def path(self, node: int) -> list[int]:
        """The nodes from the root to one; none to −1."""
        return [*self.path(self.parents[node]), node] if node >= 0 else []

    def in_order(self) -> list[int]:
        """All nodes, each before those behind it, branch after branch."""
        return sorted(range(len(self.words)), key=self.path)

    def said_of(self, node: int) -> str:
        """A node's state in words."""
        state = self.states[node]
        return f"taken, {state}" if node in self.path(self.taken) else state

    def table(self, arrays: Mapping[str, Array]) -> list[Sequence[str]]:
        """One line per node, branch after branch, the deeper the farther in."""
        lines: list[Sequence[str]] = [["", "probability", self.measure, "state"]]
        for node in self.in_order():
            shown = "· " * (len(self.path(node)) - 1) + self.words[node]
            lines.append(
                [shown, *self.said(arrays[self.name][node]), self.said_of(node)]
            )
        return lines

    @property
    def columns(self) -> list[tuple[float, float]]:
        """Where tokens of each depth stand and how wide they are, in em."""
        words: dict[int, list[str]] = {}
        siblings: dict[int, Counter[int]] = {}
        for node, word in enumerate(self.words):
            depth = len(self.path(node)) - 1
            words.setdefault(depth, []).append(word)
            siblings.setdefault(depth, Counter())[self.parents[node]] += 1
        columns: list[tuple[float, float]] = []
        for depth in range(len(words)):
            spread = SPREAD * (max(siblings[depth].values()) - 1)
            left = sum(columns[-1]) + GAP + spread if columns else 0.0
            wide = 0.9 + 1.08 * plots.widest(words[depth], 1.0, 16)  # some are bold
            columns.append((left, round(min(WIDE, max(NARROW, wide)), 2)))
        return columns

    def at_rest(self, arrays: Mapping[str, Array]) -> StaticDrawing:
        """All branches unfolded, from left to right."""
        wide = sum(self.columns[-1]) + SCORE
        rows = 1 + max(y for _, y in self.places())

        def draw(area: plots.Area) -> None:
            self._draw(area, arrays[self.name])

        size = (min(EM * wide, PAGE - 0.5), DOWN * rows)
        return StaticDrawing(
            self, size, ((0, wide), (rows, 0)), draw, (0.12, 0.0, 0.0, 0.0)
        )

    def places(self) -> list[tuple[float, float]]:
        """Where each node stands: its depth, and its row among all branches' ends."""
        behind: list[list[int]] = [[] for _ in self.words]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                behind[parent].append(node)
        rows: dict[int, float] = {}
        ends = [node for node in self.in_order() if not behind[node]]
        for row, node in enumerate(ends):
            rows[node] = float(row)
        for node in reversed(range(len(self.words))):
            if behind[node]:
                rows[node] = (rows[behind[node][0]] + rows[behind[node][-1]]) / 2
        depths = [len(self.path(node)) - 1.0 for node in range(len(self.words))]
        return [(depths[node], rows[node]) for node in range(len(self.words))]

    def _draw(self, area: plots.Area, numbers: Array) -> None:
        places = self.places()
        columns = self.columns
        taken = set(self.path(self.taken))
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                a, b = places[parent]
                c, d = places[node]
                start = sum(columns[int(a)]), b + 0.5
                end = columns[int(c)][0], d + 0.5
                look = (plots.INK, 2.6) if node in taken else (plots.EDGE, 0.8)
                area.lines([(start, end)], colors=look[0], linewidths=look[1])
        for node, (depth, y) in enumerate(places):
            self._draw_node(area, node, columns[int(depth)], y, numbers[node])

    def _draw_node(
        self,
        area: plots.Area,
        node: int,
        column: tuple[float, float],
        y: float,
        numbers: Array,
    ) -> None:
        x, wide = column
        taken = node in self.path(self.taken)
        fill, ink = plots.shade(self.palette, plots.step_of(numbers[0], 1.0))
        left = self.states[node] == "left"
        edge = plots.INK if taken else plots.QUIET if left else plots.EDGE
        look = {"linewidth": 2.0 if taken else 0.8, "linestyle": "--" if left else "-"}
        area.boxes([(x, y + 0.08, wide, 0.84)], facecolor=fill, edgecolor=edge, **look)
        style = {"color": ink, "align": 0.5, "room": wide - 0.4}
        middle = x + wide / 2
        word = plots.short(self.words[node], 16)
        area.word(word, middle, y + 0.34, 9, bold=taken, **style)
        sign = (MARKS["taken"] if taken else "") + MARKS.get(self.states[node], "")
        p, score = self.said(numbers)
        if plots.is_nothing(p):
            style["color"] = plots.QUIET
        area.word(p + sign, middle, y + 0.72, 8, **style)
        if node not in self.parents:
            area.word(score, x + wide, y + 0.5, 8, dx=5, bold=taken)

"""A model as boxes: the one that is lit, and one token's vector on its way up."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorable import plots
from explorable.drawing import Array, Drawing, StaticDrawing
from explorable.inputs import whole_number
from transformer_lib.checks.validation import require

from .plan import LINE, SAID, SHARE, STRIP, Plan, Spot

EM = 0.132  # inches at rest
TINT = 3  # how strongly a box has its hue
SIZE = 8.5  # of the words at its ends, in points


@dataclass(frozen=True, kw_only=True)
class Architecture(Drawing):
    """Boxes that a vector goes up through, one of which is lit, with its steps.

    Its array is (boxes, features): the vector as it leaves each box; NaN where it has
    not been. The sentence may hold {part}, {steps} and {token}.

    Attributes:
        layout: where everything stands; see `planned`.
        steps: for each box its first step and its last.
        control: that a click on a box sets to its first step.
        ends: the words at `layout.spots`.
        lit: the box that is lit.
        inside: a name and a key of `plots.HUES`, or "", for each of its steps.
        now: which of these is the present one.
        what: a sentence about it.
        marked: boxes in which something was replaced.
        changed: boxes in which something is not as it was, these and what follows them.
        token: whose vector it is.
        first: the number of its first feature.
        vmax: the number that is colored in full.

    Raises:
        ValueError: these do not fit each other.
    """

    layout: Plan
    steps: Sequence[tuple[int, int]]
    control: str
    ends: Sequence[str]
    lit: int
    inside: Sequence[tuple[str, str]]
    now: int
    what: str
    marked: Sequence[int] = ()
    changed: Sequence[int] = ()
    token: str
    first: int = 1
    vmax: float = 1.0

    kind = "architecture"
    still = ("layout", "steps")
    moving = (
        *("ends", "what", "lit", "inside", "now", "token", "first", "vmax"),
        *("marked", "changed"),
    )

    def __post_init__(self) -> None:
        N = len(self.layout.boxes)
        require(len(self.steps) == N, "steps", f"be of {N} boxes", len(self.steps))
        spots = len(self.layout.spots)
        require(len(self.ends) == spots, "ends", f"be {spots} texts", len(self.ends))
        whole_number("lit", self.lit, 0, N - 1)
        whole_number("now", self.now, 0, len(self.inside) - 1)

    def check(self, arrays: Mapping[str, Array]) -> None:
        """Raise unless the array has a row for each box."""
        rows = len(arrays[self.name])
        N = len(self.layout.boxes)
        require(rows == N, self.name, f"have {N} rows", rows)

    def choice(self, row: int, column: int) -> tuple[str, Any] | None:
        """A click on a box goes to its first step, one on a step there."""
        first, last = self.steps[whole_number("box", row, 0, len(self.steps) - 1)]
        return self.control, min(last, first + max(0, column - 1))

    def parts(self) -> list[str]:
        """What the boxes are called, each by a name of its own."""
        words = [box.words for box in self.layout.boxes]
        return [
            f"{word} {words[: n + 1].count(word)}" if words.count(word) > 1 else word
            for n, word in enumerate(words)
        ]

    def table(self, arrays: Mapping[str, Array]) -> list[Sequence[str]]:
        """One line per box: its steps, and the vector that left it."""
        x = arrays[self.name]
        lines: list[Sequence[str]] = [
            ["", "steps", *(str(n + self.first) for n in range(x.shape[1]))]
        ]
        for n, (part, row) in enumerate(zip(self.parts(), x, strict=True)):
            first, last = self.steps[n]
            mark = "▸ " if n == self.lit else ""
            part += " ≠" * (n in {*self.marked, *self.changed})
            steps = f"{first}–{last}" if last > first else str(first)
            known = ["" if np.isnan(v) else plots.number(v, self.digits) for v in row]
            lines.append([mark + part, steps, *known])
        return lines

    def at_rest(self, arrays: Mapping[str, Array]) -> StaticDrawing:
        """The boxes, the ways between them, and the vector above each."""
        wide, high = self.layout.size

        def draw(area: plots.Area) -> None:
            self._draw_ways(area)
            for n, row in enumerate(arrays[self.name]):
                self._draw_box(area, n)
                self._draw_strip(area, n, row)
            self._draw_inside(area)
            for spot, words in zip(self.layout.spots, self.ends, strict=True):
                _write(area, spot, plots.drawable(words))

        size = (EM * wide, EM * high)
        return StaticDrawing(
            self, size, ((0, wide), (high, 0)), draw, (0.12, -0.3, 0.0, 0.0)
        )

    def _draw_ways(self, area: plots.Area) -> None:
        for frame in self.layout.frames:
            area.boxes([frame], facecolor="none", edgecolor=plots.EDGE, linewidth=1.2)
        for points, hue, tip in self.layout.wires:
            color = plots.HUES.get(hue, plots.QUIET)
            *before, last = points
            area.line(*zip(*points, strict=True), color=color, lw=1.1)
            if tip:
                area.arrow(before[-1], last, color, 1.1)

    def _draw_box(self, area: plots.Area, n: int) -> None:
        x, y, wide, high, words, hue = self.layout.boxes[n]
        lit = n == self.lit
        ink = self._fill(area, (x, y, wide, high), hue, lit)
        if n in {*self.marked, *self.changed}:
            look = {"bold": n in self.marked, "align": 0.5}
            beside = x > self.layout.boxes[0].x  # as in the page
            at = x + 0.2 if beside else x + wide + 0.2
            area.word("≠", at, y - 0.2, 12, **look)
        style: dict[str, Any] = {"align": 0.5, "room": wide - 0.3, "color": ink}
        area.word(words, x + wide / 2, y + high / 2, 8.5, **style)

    def _fill(
        self, area: plots.Area, box: tuple[float, ...], hue: str, lit: bool
    ) -> str:
        """Fill a box, and give the color of what is written in it."""
        fill, ink = plots.shade(hue or "weights", TINT if hue else 0)
        edge = plots.HUES.get(hue, plots.QUIET)
        if lit:
            fill, ink, edge = plots.INK, plots.PAPER["light"], plots.INK
        area.boxes([box], facecolor=fill, edgecolor=edge, linewidth=0.9)
        return ink

    def _draw_strip(self, area: plots.Area, n: int, row: Array) -> None:
        if np.isnan(row).all():
            return
        x, y, wide, high, *_ = self.layout.boxes[n]
        step = (wide - 1.6) / len(row)
        tall = STRIP * (high / SHARE - high)
        for k, value in enumerate(row):
            hue = "negative" if value < 0 else self.palette
            fill, _ = plots.shade(hue, plots.step_of(value, self.vmax))
            box = (x + 0.8 + k * step, y - tall, step, tall)
            look = {"facecolor": fill, "edgecolor": plots.EDGE, "linewidth": 0.4}
            area.boxes([box], **look)

    def _draw_inside(self, area: plots.Area) -> None:
        """What the box that is lit does, and its steps, three in a line."""
        left, top, room = self.layout.inside
        look: dict[str, Any] = {"middle": False}
        area.word(
            self.layout.boxes[self.lit].words, left, top + 0.8, 9, bold=True, **look
        )
        for n, line in enumerate(textwrap.wrap(self.what, 30)):
            area.word(plots.drawable(line), left, top + 2.2 + 1.2 * n, 8.5, **look)
        wide, high = (room - 0.6) / 3, 1.5
        for n, (words, hue) in enumerate(self.inside if len(self.inside) > 1 else ()):
            x = left + n % 3 * (wide + 0.3)
            y = top + 4.4 + n // 3 * (high + 0.3)
            ink = self._fill(area, (x, y, wide, high), hue, n == self.now)
            style: dict[str, Any] = {"align": 0.5, "room": wide - 0.3, "color": ink}
            area.word(words, x + wide / 2, y + high / 2, 8, **style)


def _write(area: plots.Area, spot: Spot, text: str) -> None:
    """Write words at a spot: broken where they are too long, then cut."""
    x, y, room, most = spot
    lines = [text]
    if most > 1 and plots.width(text, SIZE) > 72 * EM * room:
        breaks = [n for n, letter in enumerate(text) if letter == " "]
        middle = min(breaks, key=lambda n: abs(2 * n - len(text)), default=len(text))
        lines = [text[:middle], text[middle + 1 :]]
    top = y - LINE * (most - 1) / 2
    for n, line in enumerate(lines):
        long = plots.width(line, SIZE) > 72 * EM * SAID
        at, align = (x - SAID / 2, 0.0) if long else (x, 0.5)
        look: dict[str, Any] = {"room": room, "paper": plots.PAPER["light"]}
        area.word(line, at, top + LINE * n, SIZE, align=align, **look)

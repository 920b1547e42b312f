"""An exercise as data, and the verdict that a check gives on an answer."""

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transformer_lib.oracles import numpy_reference as reference

Array = NDArray[Any]
Function = Callable[..., Any]
HEADINGS = {
    "right": "right",
    "error": "an error",
    "endless": "it does not end",
    "waits": "this one waits for you",
}
COLOURS = {"right": "--jp-success-color1", "error": "--jp-error-color1"}


@dataclass(frozen=True)
class Exercise:
    """A function that the reader is asked to write.

    Args:
        solution: the source of a right answer. It may use `np` and `reference`, the
            library's NumPy oracle. Its first two lines are the question.
        right: the same function, from the library where it has one.
        cases: arguments to call it with, those that are easiest to read first.
        holds: what is true of a right answer, and what to look at next.
        mistakes: what the results of each known misconception show, with a hint; and
            the misconception as an edit of the solution, "old text → new text".
    """

    solution: str
    right: Function
    cases: Sequence[tuple[Any, ...]]
    holds: str
    mistakes: Mapping[str, str]

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.solution.removeprefix("def ").partition("(")[0]

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters."""
        return self.solution.partition("(")[2].partition(")")[0].split(", ")

    @property
    def template(self) -> str:
        """The function as the reader finds it: still empty."""
        return "\n".join([*self.solution.splitlines()[:2], "    ..."])

    def made(self, edit: str = "") -> Function:
        """Make a function of the solution, or of the mistake that an edit makes."""
        old, _, new = edit.partition(" → ")
        names: dict[str, Any] = {"np": np, "reference": reference}
        exec(self.solution.replace(old, new) if old else self.solution, names)
        function: Function = names[self.name]
        return function


@dataclass(frozen=True, repr=False)
class Verdict:
    """What a check found, as text and as HTML.

    Args:
        exercise: the name of the exercise.
        kind: "right", "mistake", "different", "shape", "type", "changed", "error",
            "endless" or "waits".
        text: what the answer shows, in a sentence or two.
    """

    exercise: str
    kind: str
    text: str

    @property
    def heading(self) -> str:
        """The exercise, and what became of it in a few words."""
        return f"{self.exercise}: {HEADINGS.get(self.kind, 'not yet')}."

    def __repr__(self) -> str:
        return f"{self.heading} {self.text}"

    def _repr_html_(self) -> str:
        colour = COLOURS.get(self.kind, "--jp-warn-color1")
        text = re.sub("`(.+?)`", r"<code>\1</code>", html.escape(self.text))
        return (
            f'<div style="border-left: 4px solid var({colour}, currentColor); '
            f'padding: 0.3em 0.8em"><strong>{self.heading}</strong> {text}</div>'
        )


def draw(seed: int, *shapes: tuple[int, ...]) -> tuple[Array, ...]:
    """Make an array of short normal numbers for each shape, the same for each seed."""
    random = np.random.default_rng(seed)
    return tuple(random.normal(size=shape).round(2) for shape in shapes)

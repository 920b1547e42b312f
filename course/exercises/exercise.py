"""An exercise as data, and the verdict that a check gives on an answer."""

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from transformer_lib.oracles import numpy_reference as reference

Array = NDArray[Any]
Function = Callable[..., Any]
HEADINGS = {
    "right": "correct",
    "error": "an error",
    "endless": "it does not stop",
    "empty": "not attempted yet",
}
COLORS = {"right": "--jp-success-color1", "error": "--jp-error-color1"}


@dataclass(frozen=True, eq=False)  # an exercise is itself alone
class Exercise:
    """A function that the reader is asked to write.

    Args:
        solution: the source of a right answer. It may use `np`, `torch` and
            `reference`, the library's NumPy oracle. Its first two lines are the
            question.
        cases: the arguments of each call that a check makes, the most readable first.
        conclusion: what is true of a right answer, and what to look at next.
        mistakes: the feedback on each known mistake (what the results show, and a
            hint), and the source of the function with this mistake.
        planted: the mistake that the reader finds in the template and mends; if there
            is none, the body is empty.
    """

    solution: str
    cases: Sequence[tuple[Any, ...]]
    conclusion: str
    mistakes: Mapping[str, str]
    planted: str = ""

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
        """The function as the reader finds it: with a mistake, or an empty body."""
        if self.planted:
            return self.mistakes[self.planted]
        return "\n".join([*self.solution.splitlines()[:2], "    ..."])

    def build(self, mistake: str = "") -> Function:
        """Build the solution, or the function that makes a mistake."""
        names: dict[str, Any] = {"np": np, "torch": torch, "reference": reference}
        exec(self.mistakes[mistake] if mistake else self.solution, names)
        function: Function = names[self.name]
        return function


@dataclass(frozen=True)
class Verdict:
    """What a check found, as text and as HTML.

    Args:
        exercise: the name of the exercise.
        kind: "right", "mistake", "different", "shape", "type", "changed", "error",
            "endless" or "empty".
        text: the feedback, in a sentence or two.
    """

    exercise: str
    kind: str
    text: str

    @property
    def heading(self) -> str:
        """The exercise and its result in a few words."""
        return f"{self.exercise}: {HEADINGS.get(self.kind, 'not yet')}."

    def __repr__(self) -> str:
        return f"{self.heading} {self.text}"

    def _repr_html_(self) -> str:
        color = COLORS.get(self.kind, "--jp-warn-color1")
        text = re.sub("`(.+?)`", r"<code>\1</code>", html.escape(self.text))
        return (
            f'<div style="border-left: 4px solid var({color}, currentColor); '
            f'padding: 0.3em 0.8em"><strong>{self.heading}</strong> {text}</div>'
        )

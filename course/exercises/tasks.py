"""Exercises as text: in Markdown, one section for each function to write.

The heading of a section is the name of the function. `tasks/05_attention.md` shows what
a section contains: the solution, followed by the calls that a check makes, the most
readable first; what is true of a right answer, and what to look at next; and a list of
known mistakes. An item of the list is the feedback (what the results show, and a hint)
and then the edits that turn the solution into this mistake: `old` → `new`. If the first
one begins with **Planted.**, the reader finds this mistake in the template and mends it
(`tasks/18_find_the_bug.md`).
"""

import ast
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from transformer_lib.oracles import numpy_reference as reference

from .exercise import Array, Exercise

EDIT = re.compile(r"  `([^`\n]+)` →(?: `([^`\n]+)`)?\n")
MISTAKE = re.compile(rf"- (.+)\n((?:{EDIT.pattern})+)")
PLANTED = "**Planted.** "
SECTION = re.compile(
    r"(?P<name>\w+)\n\n```python\n(?P<code>(?s:.+?))```\n\n"
    rf"(?P<conclusion>.+)\n\n(?P<mistakes>(?:{MISTAKE.pattern})+)\n*"
)


def read_exercises(file: pathlib.Path) -> Iterator[Exercise]:
    """Read the exercises of a file, in its order.

    Raises:
        ValueError: a section has another form, or the solution does not contain what an
            edit replaces. The message names the file and the exercise.
    """
    _, *sections = re.split("^## ", file.read_text("utf-8"), flags=re.MULTILINE)
    for section in sections:
        where = f"{file.name}, {section.splitlines()[0]}"
        found = SECTION.fullmatch(section)
        if not found:
            raise ValueError(f"{where}: expected an exercise as in 05_attention.md")
        solution, cases = _solution(found["code"], found["name"], where)
        listed = MISTAKE.findall(found["mistakes"])
        mistakes = {
            hint.removeprefix(PLANTED): _edited(solution, edits, where)
            for hint, edits, *_ in listed
        }
        first = listed[0][0]
        planted = first.removeprefix(PLANTED) if first.startswith(PLANTED) else ""
        yield Exercise(solution, cases, found["conclusion"], mistakes, planted)


def _solution(code: str, name: str, where: str) -> tuple[str, list[tuple[Any, ...]]]:
    """Return the source of a function, and its arguments in the calls that follow."""
    function, *calls = ast.parse(code, filename=where).body
    sources = [ast.get_source_segment(code, part) or "" for part in (function, *calls)]
    starts = [source.partition("(")[0] for source in sources]
    if len(calls) == 0 or starts != [f"def {name}", *[name] * len(calls)]:
        raise ValueError(f"{where}: expected the function {name} and then calls of it")
    names: dict[str, Any] = {"np": np, "torch": torch, "reference": reference}
    names |= {"draw": draw, name: _arrays}
    return sources[0], [eval(call, names) for call in sources[1:]]


def _arrays(*given: object) -> tuple[Any, ...]:
    """Return arguments, a list as an array."""
    return tuple(np.array(x) if isinstance(x, list) else x for x in given)


def _edited(solution: str, edits: str, where: str) -> str:
    """Make all edits at once, each wherever the solution contains its old text."""
    new = dict(EDIT.findall(edits))
    for old in new:
        if old not in solution:
            raise ValueError(f"{where}: `{old}` is not in the solution")
    return re.sub("|".join(map(re.escape, new)), lambda old: new[old[0]], solution)


def draw(seed: int, *shapes: tuple[int, ...]) -> tuple[Array, ...]:
    """Draw an array of each shape: normal numbers with two decimals, by the seed."""
    random = np.random.default_rng(seed)
    return tuple(random.normal(size=shape).round(2) for shape in shapes)

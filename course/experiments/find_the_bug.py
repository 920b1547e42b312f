"""Twelve programs with a bug each, what they show, and what the instruments say.

The functions here are those of notebook 18: `symptom` reads what was kept, and `rerun`
trains the program with the reader's own function.
"""

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from transformer_lib.checks.validation import brief

from ..bugs.cases import CASES, Symptom
from ..bugs.instruments import INSTRUMENTS, OVERFIT_STEPS
from ..bugs.program import BATCH, RATE, STEPS
from .experiment import Experiment, grid
from .results import Row

SEEDS = range(5)
VERSIONS = ("planted", "mended")


def run(case: int, version: str, seed: int) -> Row:
    """Run one version of a case, and ask every instrument.

    Returns:
        its "symptom" (numbers, texts, curves and a matrix), and the "answers" by the
        name of the instrument. Of seeds after the first the numbers alone are kept.
    """
    symptom, trained = CASES[case].training_run(version, seed)
    if seed:
        return {"numbers": {**symptom.numbers}}
    answers = {}
    for name, ask in INSTRUMENTS.items():
        with torch.random.fork_rng():
            torch.manual_seed(0)  # in case 11 every pass draws random numbers
            answers[name] = {**ask(trained)}
    kept = {name: [*curve] for name, curve in symptom.curves.items()}
    return {
        "numbers": {**symptom.numbers},
        "texts": {**symptom.texts},
        "curves": kept,
        "matrix": [[*row] for row in symptom.matrix],
        "answers": answers,
    }


EXPERIMENT = Experiment(
    name="find_the_bug",
    runs=grid(seed=SEEDS, case=CASES, version=VERSIONS),
    measure=run,
    settings={
        "steps": STEPS,
        "rate": RATE,
        "batch": BATCH,
        "steps on one batch": OVERFIT_STEPS,
    },
)


def kept(case: int, version: str = "planted") -> Row:
    """Read the row of a case with the first seed."""
    [row] = EXPERIMENT.results(case=case, version=version, seed=0)
    return row


def symptom(case: int) -> Symptom:
    """Read what the program of a case shows; it was trained before, with its bug."""
    row = kept(case)
    parts = ("numbers", "texts", "curves", "matrix")
    return Symptom(*(row[name] for name in parts))


def answers(case: int) -> Mapping[str, tuple[Row, Row]]:
    """Read the instruments' answers: for this program, and for a healthy one."""
    ill, healthy = (kept(case, version)["answers"] for version in VERSIONS)
    return {name: (ill[name], healthy[name]) for name in INSTRUMENTS}


def over_seeds(case: int, version: str, number: str) -> list[float]:
    """Read one number of a version of a case, for all seeds; ∞ if it is not finite."""
    rows = EXPERIMENT.results(case=case, version=version)
    found = [row["numbers"][number] for row in rows]
    return [inf if x is None else x for x in found]


def rings() -> NDArray[np.bool_]:
    """Return which instrument (8) rings in which case (12)."""
    both = [answers(case) for case in CASES]
    return np.array(
        [[_rings(name, *one[name]) for one in both] for name in INSTRUMENTS]
    )


def _rings(name: str, ill: Row, healthy: Row) -> bool:
    """Whether an answer differs clearly from that of the healthy program.

    Losses of two trained programs always differ, so two answers are judged by
    themselves: a gradient check by its error, a repeated evaluation by its difference.
    An error that is not finite says nothing: there is no slope to compare.
    """
    if name == "gradient check":
        return bool(ill["error"] and ill["error"] > 0.01)
    if None in ill.values():
        return True
    if name == "train and eval":
        ones = abs(ill.get("mean of ones", 1.0) - 1.0)
        return bool(ones > 0.1 or abs(ill["evaluation"] - ill["once more"]) > 0.01)
    least = 0.1 if name in ("first loss", "one batch") else 0.01
    return any(abs(x - healthy[label]) > least for label, x in ill.items())


@dataclass(frozen=True)
class Rerun:
    """What a program shows now, beside what it showed with its bug.

    Args:
        gone: whether the symptom is gone.
        before, now: the numbers.
    """

    gone: bool
    before: Symptom
    now: Symptom

    @property
    def verdict(self) -> str:
        """What has become of the symptom, in a few words."""
        return "The symptom is gone." if self.gone else "The symptom is still there."

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """Each number and text: its name, before, and now."""
        before, now = self.before.said(), self.now.said()
        return [(name, before.get(name, "–"), x) for name, x in now.items()]

    def __repr__(self) -> str:
        rows = [("", "before", "now"), *self.rows]
        wide = [max(len(row[n]) for row in rows) for n in range(3)]
        lines = (
            f"{name:{wide[0]}}  {a:>{wide[1]}}  {b:>{wide[2]}}" for name, a, b in rows
        )
        return "\n".join([self.verdict, *(line.rstrip() for line in lines)])

    def _repr_html_(self) -> str:
        color = "--jp-success-color1" if self.gone else "--jp-warn-color1"
        return (
            f'<div style="border-left: 4px solid var({color}, currentColor); '
            f'padding: 0.3em 0.8em"><pre>{html.escape(repr(self))}</pre></div>'
        )


def rerun(function: Callable[..., Any]) -> Rerun:
    """Train the program of a case again, with the reader's function in its place.

        rerun(my_case_1)

    Raises:
        ValueError: the function is not called as that of a case.
    """
    name = getattr(function, "__name__", "").removeprefix("my_").removeprefix("case_")
    if not (name.isdecimal() and int(name) in CASES):
        wanted = "be that of a case, as in rerun(my_case_1)"
        got = brief(getattr(function, "__name__", function))
        raise ValueError(f"function must {wanted}, got {got}")
    case = CASES[int(name)]
    now = case.run(function)
    return Rerun(case.gone(now.numbers), symptom(case.number), now)

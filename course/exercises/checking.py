"""Run a reader's function on the cases, and find what its results show."""

import linecache
import re
import traceback
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from . import running
from .exercise import Array, Exercise, Function, Verdict
from .running import REAL, Outcome, TimeLimitExceeded, run


def judge(exercise: Exercise, function: Function) -> Verdict:
    """Compare a function with the solution and with the known mistakes."""
    kind, text = _finding(exercise, function)
    return Verdict(exercise.name, kind, text)


def _finding(exercise: Exercise, function: Function) -> tuple[str, str]:
    """Return the kind of a verdict and its text."""
    got = _outcomes(exercise, function)
    right = known_outcomes(exercise)[""]
    if _is_empty(function, got[0]):
        return "empty", "Replace the `...` and run the cell."
    if stopped := [o.error for o in got if isinstance(o.error, TimeLimitExceeded)]:
        return "endless", _stopped(function, stopped[0])
    if mistake := recognize(exercise, got):
        return "mistake", mistake
    wrong = [n for n in range(len(got)) if not agree(got[n], right[n])]
    if wrong and (fault := _fault(function, got[wrong[0]], right[wrong[0]].result)):
        return fault
    if changed := {exercise.parameters[i] for outcome in got for i in outcome.changed}:
        names = " and ".join(f"`{name}`" for name in sorted(changed))
        return "changed", f"It changes its argument {names}. Work on a copy."
    if not wrong:
        return "right", exercise.conclusion
    arguments = _shown(exercise.parameters, exercise.cases[wrong[0]])
    difference = _difference(got[wrong[0]].result, right[wrong[0]].result)
    if note := got[wrong[0]].note:
        return "type", f"It returns {note}. For {arguments}: {difference}"
    return "different", f"For {arguments}: {difference}"


@cache
def known_outcomes(exercise: Exercise) -> dict[str, list[Outcome]]:
    """Return what the solution gives, under "", and what each known mistake gives."""
    names = ("", *exercise.mistakes)
    return {name: _outcomes(exercise, exercise.build(name)) for name in names}


def recognize(exercise: Exercise, got: Sequence[Outcome]) -> str | None:
    """Find the known mistake that gives these results, if there is one.

    The results are compared as they are. If no mistake gives them, NaN in them is
    ignored: it may come from a second mistake, such as a softmax of large scores.
    """
    for ignore_nan in (False, True):
        for text, other in known_outcomes(exercise).items():
            pairs = zip(got, other, strict=True)
            if all(agree(a, b, ignore_nan=ignore_nan) for a, b in pairs):
                return text or None
    return None


def agree(got: Outcome, other: Outcome, *, ignore_nan: bool = False) -> bool:
    """Whether two calls gave the same; `ignore_nan` accepts NaN in the first."""
    if got.error or other.error:
        return bool(got.error and other.error)
    a, b = got.result, other.result
    if not _is_real(a) or a.shape != b.shape or _content(a) != _content(b):
        return False
    return bool((_close(a, b) | (ignore_nan & np.isnan(a))).all())


def _outcomes(exercise: Exercise, function: Function) -> list[Outcome]:
    """Call a function with each case, until a call takes too long."""
    found: list[Outcome] = []
    for case in exercise.cases:
        stopped = found and isinstance(found[-1].error, TimeLimitExceeded)
        found.append(found[-1] if stopped else run(function, case))
    return found


def _is_real(result: object) -> bool:
    return isinstance(result, np.ndarray) and result.dtype.kind in REAL


def _content(x: Array) -> str:
    return "True and False" if x.dtype == bool else "numbers"


def _close(a: Array, b: Array) -> Array:
    """Where two arrays are the same, up to what float32 rounds away."""
    return np.isclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)


def _is_empty(function: Function, first: Outcome) -> bool:
    """Whether the body is still the template's, or says that it is not implemented."""
    code = getattr(function, "__code__", None)
    if code is None:
        return False
    if first.error:  # nothing but `raise NotImplementedError`
        return bool(code.co_names == ("NotImplementedError",))
    nothing = any(first.result is x for x in (None, ..., NotImplemented))
    # a body that computes nothing never needs two places on the stack
    return bool(nothing and code.co_stacksize <= 1)


def _fault(function: Function, got: Outcome, expected: Array) -> tuple[str, str] | None:
    """Name what is wrong if the numbers cannot be compared."""
    result = got.result
    if got.error:
        return "error", _error(function, got.error)
    if result is None:
        return "type", "It returns nothing. Is a `return` missing?"
    if not _is_real(result):
        found = f"a value of type {type(result).__name__}"
        if isinstance(result, np.ndarray):
            found = f"an array of type {result.dtype}"
        return "type", f"It returns {found}, expected an array of {_content(expected)}."
    if result.shape != expected.shape:
        return "shape", f"It returns {result.shape}, expected {expected.shape}."
    if _content(result) != _content(expected):
        return "type", f"It returns {_content(result)}, expected {_content(expected)}."
    return None


def _stopped(function: Function, error: BaseException) -> str:
    """Name the line that an answer had reached when its time was over."""
    lines = _lines(function, error)
    what = _line(function, lines[-1]) if lines else "It"
    limit = f"{running.TIME_LIMIT:g} seconds"
    return f"{what} was still running after {limit}. What ends it?"


def _error(function: Function, error: BaseException) -> str:
    """Name an error, with the line of the reader's code that raised it."""
    endless = isinstance(error, RecursionError)
    what = f"{type(error).__name__}: {_one_line(_message(error))}"
    if endless:  # Python's own message depends on how deep the stack already was
        what = "RecursionError: the function calls itself without end"
    lines = _lines(function, error)
    if not lines:
        return f"The call raises {what}"
    return f"{_line(function, lines[0 if endless else -1])} raises {what}"


def _lines(function: Function, error: BaseException) -> list[int]:
    """The lines of the reader's code on the way to an error, the outermost first."""
    file = function.__code__.co_filename if hasattr(function, "__code__") else ""
    frames = traceback.walk_tb(error.__traceback__)
    return [line for frame, line in frames if frame.f_code.co_filename == file]


def _line(function: Function, number: int) -> str:
    text = _one_line(linecache.getline(function.__code__.co_filename, number))
    return f"Line {number}{f', `{text}`,' if text else ''}"


def _message(error: BaseException) -> str:
    """Return an error's message, which a reader's own class may fail to give."""
    try:
        return str(error)
    except Exception:
        return "<its message cannot be read>"


def _one_line(text: str) -> str:
    """Fit text into one line, with no address and no control character."""
    text = re.sub(" at 0x[0-9a-fA-F]+", "", " ".join(text.split()))
    text = "".join(c if c.isprintable() else "\ufffd" for c in text)
    return text if len(text) <= 160 else text[:159] + "…"


def _difference(got: Array, expected: Array) -> str:
    where = tuple(np.argwhere(~_close(got, expected))[0].tolist())
    values = (x[where].item() for x in (got, expected))
    a, b = (str(x) if isinstance(x, bool) else f"{x:.4g}" for x in values)
    what = f"entry {list(where)}" if where else "it"
    return f"{what} is {a}, expected {b}."


def _shown(names: Sequence[str], case: tuple[Any, ...]) -> str:
    return ", ".join(
        f"{name} of shape {value.shape}"
        if isinstance(value, np.ndarray) and value.size > 12
        else f"{name} = {np.asarray(value).tolist()}"
        for name, value in zip(names, case, strict=True)
        if not callable(value)
    )

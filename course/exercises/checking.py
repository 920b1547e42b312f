"""Run a reader's function on cases, and say what its results show."""

import linecache
import re
import traceback
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import running
from .exercise import Array, Exercise, Function, Verdict
from .running import REAL, DoesNotEnd, Outcome, run


def judge(exercise: Exercise, function: Function) -> Verdict:
    """Compare a function with the right one and with the known mistakes."""
    got = _outcomes(exercise, function)
    right = _outcomes(exercise, exercise.right)
    kind = "right"
    text = exercise.holds
    changed = {exercise.parameters[i] for outcome in got for i in outcome.changed}
    wrong = [n for n in range(len(got)) if not agree(got[n], right[n])]
    if _waits(function, got[0]):
        kind = "waits"
        text = "Write your lines in place of `...`, and run the cell."
    elif endless := [o.error for o in got if isinstance(o.error, DoesNotEnd)]:
        kind = "endless"
        text = _stopped(function, endless[0])
    elif mistake := recognise(exercise, got, right):
        kind = "mistake"
        text = mistake
    elif wrong and (fault := _fault(function, got[wrong[0]], right[wrong[0]].result)):
        kind, text = fault
    elif changed:
        names = " and ".join(f"`{name}`" for name in sorted(changed))
        kind = "changed"
        text = f"It changes its argument {names}. Work on a copy."
    elif wrong:
        text = _difference(got[wrong[0]].result, right[wrong[0]].result)
        where = _shown(exercise.parameters, exercise.cases[wrong[0]])
        kind = "different"
        text = f"For {where}: {text}"
        if form := got[wrong[0]].form:
            kind = "type"
            text = f"It returns {form}. {text}"
    return Verdict(exercise.name, kind, text)


def recognise(
    exercise: Exercise, got: Sequence[Outcome], right: Sequence[Outcome]
) -> str | None:
    """Find the known mistake that gives these results, if there is one.

    The results are compared as they are. If that finds nothing, NaN in them is passed
    over: it may come from a second mistake, such as a softmax of large scores.
    """
    shown = {
        text: _outcomes(exercise, exercise.made(edit))
        for text, edit in exercise.mistakes.items()
    }
    for but_nan in (False, True):
        for text, other in {"": right, **shown}.items():
            pairs = zip(got, other, strict=True)
            if all(agree(a, b, but_nan=but_nan) for a, b in pairs):
                return text or None
    return None


def agree(got: Outcome, other: Outcome, *, but_nan: bool = False) -> bool:
    """Whether two calls came to the same; `but_nan` passes over NaN in the first."""
    if got.error or other.error:
        return bool(got.error and other.error)
    a, b = got.result, other.result
    if not _is_real(a) or a.shape != b.shape or _holds(a) != _holds(b):
        return False
    return bool((_close(a, b) | (but_nan & np.isnan(a))).all())


def _outcomes(exercise: Exercise, function: Function) -> list[Outcome]:
    found: list[Outcome] = []
    for case in exercise.cases:
        endless = found and isinstance(found[-1].error, DoesNotEnd)
        found.append(found[-1] if endless else run(function, case))
    return found


def _is_real(result: object) -> bool:
    return isinstance(result, np.ndarray) and result.dtype.kind in REAL


def _holds(x: Array) -> str:
    return "True and False" if x.dtype == bool else "numbers"


def _close(a: Array, b: Array) -> Array:
    """Where two arrays are the same, up to what float32 rounds away."""
    return np.isclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)


def _waits(function: Function, first: Outcome) -> bool:
    """Whether the body is still empty, or says itself that it is to be written."""
    code = getattr(function, "__code__", None)
    if code is None:
        return False
    if first.error:  # `raise NotImplementedError`, and nothing else is named
        return bool(code.co_names == ("NotImplementedError",))
    nothing = any(first.result is x for x in (None, ..., NotImplemented))
    # a body that computes nothing never holds two things at a time
    return bool(nothing and code.co_stacksize <= 1)


def _fault(function: Function, got: Outcome, expected: Array) -> tuple[str, str] | None:
    """Name what is wrong before any number can be compared."""
    result = got.result
    if got.error:
        return "error", _error(function, got.error)
    if result is None:
        return "type", "It returns nothing. Is a `return` missing?"
    if not _is_real(result):
        found = f"a value of type {type(result).__name__}"
        if isinstance(result, np.ndarray):
            found = f"an array of type {result.dtype}"
        return "type", f"It returns {found}, expected an array of {_holds(expected)}."
    if result.shape != expected.shape:
        return "shape", f"It returns {result.shape}, expected {expected.shape}."
    if _holds(result) != _holds(expected):
        return "type", f"It returns {_holds(result)}, expected {_holds(expected)}."
    return None


def _stopped(function: Function, error: BaseException) -> str:
    """Say where an answer was when its time was over."""
    lines = _lines(function, error)
    who = _line(function, lines[-1]) if lines else "It"
    return f"{who} was still at work after {running.SECONDS:g} seconds. What ends it?"


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
    """Say an error's own words; a reader's class may fail to."""
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
    )

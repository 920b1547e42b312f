"""Run a reader's function: from usual settings, for a limited time, whatever it raises.

An answer runs in the reader's own thread, so that a debugger and an interrupt work as
they do elsewhere. What it sets, as a seed or a default type, is set back.
"""

import copy
import ctypes
import math
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np
import torch

from .exercise import Array, Function

SECONDS = 5.0  # for one call; right answers take thousandths
PAUSE = 0.01  # between two tries to end a call that catches what ends it
MOST_CALLS = 1_000  # within each other: where Python as it is stops a recursion
ROOM = 20  # calls
REAL = "biuf"  # NumPy's letters for True and False, whole numbers and real ones
#: In Python 3.12 the interpreter hangs if one of several pending calls raises.
ADDS_ITSELF = sys.version_info[:2] != (3, 12)
Setting = tuple[Callable[[], Any], Callable[[Any], object], Any]


class DoesNotEnd(BaseException):
    """An answer has taken its time; no `except Exception` of its own catches this."""


@dataclass(frozen=True)
class Outcome:
    """What one call came to.

    Args:
        result: an array where numbers were returned in any form; else as returned.
        error: what it raised, or `DoesNotEnd`.
        changed: the places of the arguments that it changed.
        form: what is to be said of the form of the result if its numbers are wrong.
    """

    result: Any = None
    error: BaseException | None = None
    changed: tuple[int, ...] = ()
    form: str = ""


def run(function: Function, case: tuple[Any, ...]) -> Outcome:
    """Call a function with copies of the arguments, from the same settings each time.

    Raises:
        KeyboardInterrupt: the reader interrupted it, whatever the answer made of that.
    """
    given = copy.deepcopy(case)
    failed = None
    with _usual_settings(), _interrupts() as pressed:
        try:
            result, form = _as_array(_limited(function, given))
        except BaseException as error:
            failed = error
    if pressed:
        raise KeyboardInterrupt
    if failed is not None:
        return Outcome(error=failed)
    pairs = enumerate(zip(case, given, strict=True))
    changed = tuple(i for i, (a, b) in pairs if not _same(a, b))
    return Outcome(result, changed=changed, form=form)


class _Limit:
    """When time is over, the interpreter looks here between two steps, and this raises.

    The main thread is asked to by a pending call, so no signal and no tracing is
    needed: it is the same on every system, and beside every debugger. It does not reach
    into a single step that stays in C: `time.sleep(1e9)`, `list(itertools.count())`;
    nor, in Python 3.12, out of a loop whose every step stands in a bare `except:`.
    """

    end = math.inf
    asked = False

    def watch(self, over: threading.Event, seconds: float) -> None:
        """Ask for a look after so many seconds, and on until the call is over."""
        if not over.wait(seconds):
            while self.end < math.inf and not over.wait(PAUSE):
                if not self.asked:  # a look takes room, however deep the calls are
                    sys.setrecursionlimit(sys.getrecursionlimit() + ROOM)
                    self.ask()

    def ask(self) -> None:
        """Ask the main thread to look here before its next step."""
        self.asked = True
        _add_pending_call(_is_true, id(self))

    def __bool__(self) -> bool:
        self.asked = False
        if time.monotonic() < self.end:
            return False
        if ADDS_ITSELF:  # so each next step raises too, also where one is caught
            self.ask()
        raise DoesNotEnd


_limit = _Limit()
_add_pending_call = ctypes.pythonapi.Py_AddPendingCall
_add_pending_call.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
_is_true = ctypes.cast(ctypes.pythonapi.PyObject_IsTrue, ctypes.c_void_p).value


def _limited(function: Function, given: tuple[Any, ...]) -> object:
    """Call a function; in the main thread it is stopped when its time is over."""
    if threading.current_thread() is not threading.main_thread():
        return function(*given)
    over = threading.Event()
    before = _limit.end
    watch = (over, SECONDS)
    threading.Thread(target=_limit.watch, args=watch, daemon=True).start()
    _limit.end = min(before, time.monotonic() + SECONDS)
    try:
        return function(*given)
    finally:
        _limit.end = before  # at once, by a step that cannot be stopped
        over.set()


@contextmanager
def _interrupts() -> Iterator[list[bool]]:
    """A list that is no longer empty once the reader has interrupted the kernel."""
    pressed: list[bool] = []
    before = signal.getsignal(signal.SIGINT)
    here = threading.current_thread() is threading.main_thread()
    if not (here and callable(before)):
        yield pressed
        return

    def hear(number: int, frame: FrameType | None) -> None:
        pressed.append(True)
        before(number, frame)

    signal.signal(signal.SIGINT, hear)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _set_device(device: torch.device) -> None:
    if (
        device != torch.get_default_device()
    ):  # even to set the usual one makes torch slow
        torch.set_default_device(None if device.type == "cpu" else device)


SETTINGS: tuple[Setting, ...] = (  # how each is read and set, and what it usually is
    (torch.get_default_dtype, torch.set_default_dtype, torch.float32),
    (torch.get_default_device, _set_device, torch.device("cpu")),
    (torch.is_grad_enabled, torch.set_grad_enabled, True),
    (
        torch.get_rng_state,
        torch.set_rng_state,
        torch.Generator("cpu").manual_seed(0).get_state(),
    ),
    (np.random.get_state, np.random.set_state, np.random.RandomState(0).get_state()),
    (random.getstate, random.setstate, random.Random(0).getstate()),
    (sys.getrecursionlimit, sys.setrecursionlimit, MOST_CALLS),
)


@contextmanager
def _usual_settings() -> Iterator[None]:
    """What a new kernel has inside, and then again what the reader had."""
    before = [read() for read, _, _ in SETTINGS]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _, put, usual in SETTINGS:
                put(usual)
            yield
    finally:
        for (_, put, _), own in zip(SETTINGS, before, strict=True):
            put(own)


def _as_array(result: object) -> tuple[object, str]:
    """Give numbers as an array, and what is to be said of the form they had."""
    try:
        numbers = _numbers(result)
        form = ""
    except Exception:  # of a kind or on a device that NumPy has not
        return result, ""
    if isinstance(result, list):
        form = "a value of type list, expected an array of numbers"
    elif isinstance(result, torch.Tensor | np.ndarray) and _is_coarse(result):
        kind = str(result.dtype).removeprefix("torch.")
        form = f"an array of type {kind}, expected float32 or float64"
    plain = numbers.dtype.kind not in REAL and isinstance(result, list | int)
    return (result, "") if plain else (numbers, form)


def _numbers(result: object) -> Array:
    if isinstance(result, list):  # of rows, which may be pairs
        rows = [list(part) if isinstance(part, tuple) else part for part in result]
        return np.array([_numbers(row) for row in rows])
    if isinstance(result, torch.Tensor) and result.layout == torch.strided:
        return np.array(
            (result.float() if _is_coarse(result) else result).numpy(force=True)
        )
    if isinstance(result, np.ndarray | np.generic | int | float):
        return np.array(result)
    raise TypeError


def _is_coarse(x: torch.Tensor | Array) -> bool:
    """Whether numbers have so few digits that right ones could not be told."""
    real = x.is_floating_point() if isinstance(x, torch.Tensor) else x.dtype.kind == "f"
    return real and x.dtype.itemsize < 4


def _same(before: object, after: object) -> bool:
    a, b = np.asarray(before), np.asarray(after)
    return a.shape == b.shape and a.tobytes() == b.tobytes()

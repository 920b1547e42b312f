"""Run a reader's function with default settings and a time limit, whatever it raises.

The function runs in the reader's own thread, so debuggers and interrupts work as usual.
Whatever it sets, such as a seed or a default dtype, is restored afterwards.
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

TIME_LIMIT = 5.0  # seconds for one call; right answers take milliseconds
PAUSE = 0.01  # seconds between two attempts to stop a call that catches the first
RECURSION_LIMIT = 1_000  # Python's default
EXTRA_FRAMES = 20  # so that a call can be stopped however deep its recursion is
REAL = "biuf"  # the kinds of NumPy's booleans, integers and floating-point numbers
#: In Python 3.12 the interpreter hangs if one of several pending calls raises.
REPEATS = sys.version_info[:2] != (3, 12)
Setting = tuple[Callable[[], Any], Callable[[Any], object], Any]


class TimeLimitExceeded(BaseException):
    """A call took too long. No `except Exception` in the function catches this."""


@dataclass(frozen=True)
class Outcome:
    """The result of one call.

    Args:
        result: an array if numbers were returned in any form, else what was returned.
        error: what the call raised, or `TimeLimitExceeded`.
        changed: the indices of the arguments that it changed.
        note: a remark on the type of the result, to add if its numbers are wrong.
    """

    result: Any = None
    error: BaseException | None = None
    changed: tuple[int, ...] = ()
    note: str = ""


def run(function: Function, case: tuple[Any, ...]) -> Outcome:
    """Call a function with copies of the arguments and the same settings each time.

    Raises:
        KeyboardInterrupt: the reader interrupted it, even if the function caught that.
    """
    given = copy.deepcopy(case)
    failed = None
    with _default_settings(), _interrupts() as interrupts:
        try:
            result, note = _as_array(_limited(function, given))
        except BaseException as error:
            failed = error
    if interrupts:
        raise KeyboardInterrupt
    if failed is not None:
        return Outcome(error=failed)
    pairs = enumerate(zip(case, given, strict=True))
    changed = tuple(i for i, (a, b) in pairs if not _same(a, b))
    return Outcome(result, changed=changed, note=note)


class _Limit:
    """The time limit: when it is over, a pending call raises between two bytecodes.

    A pending call needs neither signals nor tracing, so it works on every system and
    with every debugger. It cannot stop a single call into C that does not return, such
    as `time.sleep(1e9)` or `list(itertools.count())`; nor, in Python 3.12, a loop whose
    whole body is inside a bare `except:`.
    """

    end = math.inf
    pending = False

    def watch(self, over: threading.Event, seconds: float) -> None:
        """Check the time after so many seconds, and then until the call is over."""
        if not over.wait(seconds):
            while self.end < math.inf and not over.wait(PAUSE):
                if not self.pending:
                    sys.setrecursionlimit(sys.getrecursionlimit() + EXTRA_FRAMES)
                    self.schedule()

    def schedule(self) -> None:
        """Have the main thread check the time before its next bytecode."""
        self.pending = True
        _add_pending_call(_is_true, id(self))

    def __bool__(self) -> bool:
        self.pending = False
        if time.monotonic() < self.end:
            return False
        if REPEATS:  # so that the next bytecode raises too if this one is caught
            self.schedule()
        raise TimeLimitExceeded


_limit = _Limit()
_add_pending_call = ctypes.pythonapi.Py_AddPendingCall
_add_pending_call.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
_is_true = ctypes.cast(ctypes.pythonapi.PyObject_IsTrue, ctypes.c_void_p).value


def _limited(function: Function, given: tuple[Any, ...]) -> object:
    """Call a function; in the main thread it is stopped at the time limit."""
    if threading.current_thread() is not threading.main_thread():
        return function(*given)
    over = threading.Event()
    before = _limit.end
    watch = (over, TIME_LIMIT)
    threading.Thread(target=_limit.watch, args=watch, daemon=True).start()
    _limit.end = min(before, time.monotonic() + TIME_LIMIT)
    try:
        return function(*given)
    finally:
        _limit.end = before  # one bytecode, so it cannot be interrupted
        over.set()


@contextmanager
def _interrupts() -> Iterator[list[bool]]:
    """Collect the reader's interrupts of the kernel in a list."""
    interrupts: list[bool] = []
    before = signal.getsignal(signal.SIGINT)
    here = threading.current_thread() is threading.main_thread()
    if not (here and callable(before)):
        yield interrupts
        return

    def handle(number: int, frame: FrameType | None) -> None:
        interrupts.append(True)
        before(number, frame)

    signal.signal(signal.SIGINT, handle)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)


def _set_device(device: torch.device) -> None:
    # Even setting the default device makes torch slower.
    if device != torch.get_default_device():
        torch.set_default_device(None if device.type == "cpu" else device)


def _set_errors(kinds: dict[str, str]) -> None:
    # Unlike `np.errstate`, this can be undone from any thread, as when a generator that
    # was interrupted is cleared away.
    np.seterr(**kinds)  # type: ignore[arg-type]


SETTINGS: tuple[Setting, ...] = (  # how each is read and set, and its default
    (torch.get_default_dtype, torch.set_default_dtype, torch.float32),
    (torch.get_default_device, _set_device, torch.device("cpu")),
    (torch.is_grad_enabled, torch.set_grad_enabled, True),
    (
        torch.get_rng_state,
        torch.set_rng_state,
        torch.Generator("cpu").manual_seed(0).get_state(),
    ),
    (np.random.get_state, np.random.set_state, np.random.RandomState(0).get_state()),
    (np.geterr, _set_errors, dict.fromkeys(np.geterr(), "ignore")),
    (random.getstate, random.setstate, random.Random(0).getstate()),
    (sys.getrecursionlimit, sys.setrecursionlimit, RECURSION_LIMIT),
)


@contextmanager
def _default_settings() -> Iterator[None]:
    """Set what a new kernel has, and afterwards restore what the reader had."""
    before = [read() for read, _, _ in SETTINGS]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _, write, default in SETTINGS:
                write(default)
            yield
    finally:
        for (_, write, _), own in zip(SETTINGS, before, strict=True):
            write(own)


def _as_array(result: object) -> tuple[object, str]:
    """Return numbers as an array, with a remark if they had another type."""
    try:
        numbers = _numbers(result)
        note = ""
    except Exception:  # of a type or on a device that NumPy does not have
        return result, ""
    if isinstance(result, list):
        note = "a value of type list, expected an array of numbers"
    elif isinstance(result, torch.Tensor | np.ndarray) and _has_low_precision(result):
        kind = str(result.dtype).removeprefix("torch.")
        note = f"an array of type {kind}, expected float32 or float64"
    other = numbers.dtype.kind not in REAL and isinstance(result, list | int)
    return (result, "") if other else (numbers, note)


def _numbers(result: object) -> Array:
    if isinstance(result, list):  # of rows, which may be pairs
        rows = [list(part) if isinstance(part, tuple) else part for part in result]
        return np.array([_numbers(row) for row in rows])
    if isinstance(result, torch.Tensor) and result.layout == torch.strided:
        return np.array(
            (result.float() if _has_low_precision(result) else result).numpy(force=True)
        )
    if isinstance(result, np.ndarray | np.generic | int | float):
        return np.array(result)
    raise TypeError


def _has_low_precision(x: torch.Tensor | Array) -> bool:
    """Whether numbers have too few digits to be compared."""
    if isinstance(x, torch.Tensor):
        floating = x.is_floating_point()
    else:
        floating = x.dtype.kind == "f"
    return floating and x.dtype.itemsize < 4


def _same(before: object, after: object) -> bool:
    a, b = np.asarray(before), np.asarray(after)
    return a.shape == b.shape and a.tobytes() == b.tobytes()

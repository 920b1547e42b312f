"""Functions that a library registers for explorers, called by every sheet and run.

The toolkit knows no framework. A library registers the functions that operations call,
so that a sheet shows what the library computes, and the contexts of a computation:

    register(masked_softmax=masked_softmax, relu=torch_relu)

A function that takes arrays and parameters is an operation of its own: `Sheet.add`
calls it by its name. Without a library, NumPy computes.
"""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from .validation import require

#: By name: the operations, in operations.py, and what these call. "quiet" returns the
#: context of each run of an explorer's function; "isolated", called once per job,
#: returns a function that gives the context of each of its steps.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "quiet": nullcontext,
    "isolated": lambda: nullcontext,
}


def register(**functions: Callable[..., Any]) -> None:
    """Register functions by name; a later one replaces an earlier one."""
    FUNCTIONS.update(functions)


def registered(name: str, argument: str = "name") -> Callable[..., Any]:
    """Return a registered function; errors call its name as the caller's argument.

    Raises:
        LookupError: nothing was registered under this name.
    """
    known = ", ".join(sorted(FUNCTIONS))
    wanted = f"be one of {known}; add one by register(...)"
    require(name in FUNCTIONS, argument, wanted, repr(name), LookupError)
    return FUNCTIONS[name]

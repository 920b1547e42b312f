"""Functions that a library registers for explorers, called by every sheet and run.

The toolkit knows no framework. A library registers the functions that operations call,
so that a sheet shows what the library computes, and the contexts of a computation:

    register(softmax=masked_softmax)

Without a library, NumPy computes `softmax`, and no context is entered.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Around = Callable[[], AbstractContextManager[Any]]


def _softmax(scores: Array, mask: NDArray[np.bool_] | None = None) -> Array:
    """Turn each row into weights that sum to 1; a fully masked row gives zeros."""
    open_scores = scores if mask is None else np.where(mask, scores, -np.inf)
    largest = open_scores.max(axis=-1, keepdims=True)
    shift = np.where(np.isfinite(largest), largest, 0.0)
    parts = np.exp(open_scores - shift)
    total = parts.sum(axis=-1, keepdims=True)
    weights: Array = parts / np.where(total > 0, total, 1.0)
    return weights


#: By name: what operations call. "softmax" takes scores and a boolean mask or None;
#: "quiet" returns the context of each run of an explorer's function; "isolated", called
#: once per job, returns a function that gives the context of each of its steps.
FUNCTIONS: dict[str, Any] = {
    "softmax": _softmax,
    "quiet": nullcontext,
    "isolated": lambda: nullcontext,
}


def register(**functions: Callable[..., Any]) -> None:
    """Register functions by name; a later one replaces an earlier one."""
    FUNCTIONS.update(functions)


def registered(name: str) -> Callable[..., Any]:
    """Return a registered function.

    Raises:
        LookupError: nothing was registered under this name.
    """
    if name not in FUNCTIONS:
        known = ", ".join(sorted(FUNCTIONS))
        raise LookupError(
            f"name must be of a registered function, {known}, got {name!r}"
        )
    function: Callable[..., Any] = FUNCTIONS[name]
    return function

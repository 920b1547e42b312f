"""Operations: functions of arrays, and of parameters that are plain data.

A table's record names its operation, the tables that went in, and the parameters.
Nothing else decides its numbers, so that `evaluate` computes them again from there.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .drawing import Array
from .functions import register, registered

SIGNS = {"+": np.add, "−": np.subtract, "×": np.multiply, "÷": np.divide}
Step = tuple[str, float | None]  # a sign, and a number or None for the next input
Record = dict[str, Any]  # how a table was made, as plain data; see `trace.Table`
#: The record of numbers that stand for themselves.
LEAF: Record = {"op": "leaf", "inputs": [], "params": {}, "labels": []}


def evaluate(record: Record, arrays: Mapping[str, Array]) -> Array:
    """Compute the numbers of a table from its record and the tables that went in.

    Raises:
        KeyError: one of its inputs is not among the arrays.
        LookupError: its operation is not registered.
    """
    inputs = [arrays[name] for name in record["inputs"]]
    values = registered(record["op"], "op")(*inputs, **record["params"])
    return np.asarray(values, dtype=np.float64)


def elementwise(
    a: Array,
    *others: Array,
    steps: Sequence[Step] = (),
    function: str = "",
    decimals: int | None = None,
) -> Array:
    """One step after another, done to each number; then a function; then rounded."""
    values = _stepped(a, others, steps)
    if function:
        with np.errstate(invalid="ignore"):
            values = registered(function, "function")(values)
    if decimals is not None:
        values = values.round(decimals) + 0.0  # no −0
    return values


def matmul(
    a: Array,
    b: Array,
    bias: Array | None = None,
    *,
    transposed: bool = False,
    steps: Sequence[Step] = (),
) -> Array:
    """The product a b, or a bᵀ, plus a bias; then one step after another."""
    product: Array = a @ (b.T if transposed else b)
    return _stepped(product if bias is None else product + bias, (), steps)


def reduce(a: Array, *, how: str) -> Array:
    """The sum or the mean of each row, (rows, 1)."""
    reduced: Array = getattr(a, how)(axis=1, keepdims=True)
    return reduced


def normalize_rows(a: Array) -> Array:
    """Each number divided by its row's sum; NaN where that is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: Array = a / a.sum(axis=1, keepdims=True)
    return shares


def softmax(scores: Array, mask: Array | None = None, *, bare: bool = False) -> Array:
    """Each row as weights that sum to 1; bare, a row of −∞ alone gives NaN."""
    if bare:
        with np.errstate(invalid="ignore"):
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return normalize_rows(powers)
    seen = None if mask is None else mask == 1
    weights: Array = registered("masked_softmax")(scores, seen)
    return weights


def mask(a: Array, mask: Array, *, hidden_as: float | None = None) -> Array:
    """The numbers where the mask is 1, another one elsewhere; None stands for −∞."""
    return np.where(mask == 1, a, -np.inf if hidden_as is None else hidden_as)


def fill(a: Array, b: Array) -> Array:
    """The numbers of a, and those of b where a has none: where it is NaN."""
    return np.where(np.isnan(a), b, a)


def pick(a: Array, *, rows: Sequence[int]) -> Array:
    """Some rows, in this order."""
    return a[list(rows)]


def stack(*rows: Array) -> Array:
    """Tables one below the other."""
    return np.concatenate(rows)


def concat(*tables: Array) -> Array:
    """Tables side by side."""
    return np.concatenate(tables, axis=1)


def masked_softmax(scores: Array, seen: Any = None) -> Array:
    """Turn each row into weights that sum to 1; a row that is all masked gives 0."""
    known = scores if seen is None else np.where(seen, scores, -np.inf)
    top = known.max(axis=-1, keepdims=True)
    powers = np.exp(known - np.where(np.isfinite(top), top, 0.0))
    total = powers.sum(axis=-1, keepdims=True)
    weights: Array = powers / np.where(total > 0, total, 1.0)
    return weights


def _stepped(a: Array, others: Sequence[Array], steps: Sequence[Step]) -> Array:
    """The numbers after some steps, which take the other tables one by one."""
    rest = iter(others)
    with np.errstate(divide="ignore", invalid="ignore"):
        for sign, number in steps:
            a = SIGNS[sign](a, next(rest) if number is None else number)
    return a


SYMBOLS: dict[str, Callable[..., Any]] = {"√": np.sqrt}  # no keywords in Python
register(
    elementwise=elementwise,
    matmul=matmul,
    reduce=reduce,
    normalize_rows=normalize_rows,
    softmax=softmax,
    mask=mask,
    fill=fill,
    pick=pick,
    stack=stack,
    concat=concat,
    masked_softmax=masked_softmax,
    exp=np.exp,
    ReLU=lambda x: np.maximum(x, 0.0),
    **SYMBOLS,
)

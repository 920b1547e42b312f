"""mixing_bench: what a row of attention weights does: it averages the values."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..toolkit import panels
from ..toolkit.explorer import Arrays, Explorer
from ..toolkit.inputs import matrix_input, token_labels
from ..toolkit.panel import Panel

Matrix = NDArray[np.float64]


def mixing_bench(
    weights: ArrayLike, V: ArrayLike, tokens: Sequence[str] | None = None
) -> Explorer:
    """An attention matrix to edit by hand, times values to edit by hand.

    Each row is divided by its sum, so that its weights are shares of one whole.

    Args:
        weights: (T, S), no number below 0, no row all 0; at most 64 a side.
        V: values (S, d_v).
        tokens: a word for each row when T = S; by default 1, 2, ….

    Returns:
        an Explorer without controls: its matrices "parts" and "V" are edited.

    Raises:
        TypeError, ValueError: a matrix is none of these, or the shapes do not fit.

    Source: D1.5, D1.6, D1.13.4.
    """
    parts = matrix_input("weights", weights)
    values = matrix_input("V", V)
    names = token_labels(tokens, *parts.shape)
    return Explorer(
        mixing_steps,
        lambda arrays: mixing_panels(arrays, *names),
        {},
        {"parts": parts, "V": values},
    )


def mixing_steps(parts: Matrix, V: Matrix) -> Arrays:
    """Weights = parts ÷ their row's sum, output = weights V.

    Args:
        parts: (T, S), no number below 0, no row all 0.
        V: (S, d_v).

    Returns:
        "parts", "weights" (T, S), "V" (S, d_v), "output" (T, d_v) and their parts.

    Raises:
        ValueError: a part is negative, a row is all 0, or the shapes do not fit.
    """
    _check(parts, V)
    total = parts.sum(1, keepdims=True)
    weights = parts / total
    return {
        "parts": parts,
        "parts.total": total,
        "weights": weights,
        "V": V,
        "output": weights @ V,
        "output.products": weights[:, None] * V.T,  # (T, d_v, S)
    }


def _check(parts: Matrix, V: Matrix) -> None:
    """Refuse parts that are no shares of the rows of V."""
    if parts.shape[1] != len(V):
        raise ValueError(
            "weights must have a column for each row of V, "
            f"got weights {parts.shape} and V {V.shape}"
        )
    if parts.min() < 0:
        raise ValueError(f"a part must not be negative, got {parts.min():g}")
    if not parts.any(axis=1).all():
        none = np.argmin(parts.any(axis=1)) + 1
        raise ValueError(f"a row needs a part above 0, got none in row {none}")


def mixing_panels(
    arrays: Arrays, queries: Sequence[str], keys: Sequence[str]
) -> list[Panel]:
    """The four matrices: parts, weights, V and the output."""
    parts = panels.given_table("parts", queries, keys, arrays["parts"])
    sentence = "what “{row}” takes from “{column}”, before its row is divided"
    recipe = {"of": "parts", "parts": "parts", "total": "parts.total"}
    return [
        replace(parts, palette="weights", sentence=sentence),
        panels.weights(queries, keys, "part ÷ its row's sum", recipe),
        panels.given("V", "values", "value", keys, arrays["V"]),
        panels.output(queries, arrays["V"]),
    ]

"""mixing_bench: what a row of attention weights does: it averages the values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .explorer import Arrays, Explorer
from .inputs import matrix_input, token_labels
from .views import Panel

LARGEST = 16
Matrix = NDArray[np.float64]


def mixing_bench(
    weights: ArrayLike, V: ArrayLike, tokens: Sequence[str] | None = None
) -> Explorer:
    """An attention matrix to edit by hand, times values to edit by hand.

    Each row is divided by its sum, so that its weights are shares of one whole.

    Args:
        weights: (T, S), no number below 0, no row all 0; at most 16 a side.
        V: values (S, d_v).
        tokens: a word for each row when T = S; by default 1, 2, ….

    Returns:
        an Explorer without controls: its matrices "parts" and "V" are edited.

    Raises:
        TypeError, ValueError: a matrix is none of these, or the shapes do not fit.

    Source: D1.5, D1.6, D1.13.4.
    """
    parts = matrix_input("weights", weights, LARGEST)
    values = matrix_input("V", V, LARGEST)
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
    if parts.shape[1] != len(V):
        raise ValueError(
            "weights must have a column for each row of V, "
            f"got weights {parts.shape} and V {V.shape}"
        )
    if parts.min() < 0:
        raise ValueError(f"a part must not be negative, got {parts.min():g}")
    total = parts.sum(1, keepdims=True)
    if not total.all():
        raise ValueError(
            f"a row needs a part above 0, got none in row {np.argmin(total) + 1}"
        )
    weights = parts / total
    return {
        "parts": parts,
        "parts.total": total,
        "weights": weights,
        "V": V,
        "output": weights @ V,
        "output.products": weights[:, None] * V.T,  # (T, d_v, S)
    }


def mixing_panels(
    arrays: Arrays, queries: Sequence[str], keys: Sequence[str]
) -> list[Panel]:
    """The four matrices: parts, weights, V and the output."""
    contents = [str(n + 1) for n in range(arrays["V"].shape[1])]
    largest = float(np.abs(arrays["V"]).max()) or 1.0
    square: dict[str, Any] = {"rows": queries, "columns": keys}
    make: Any = Panel
    return [
        make(
            name="parts",
            title="parts",
            formula="",
            **square,
            axes=("query", "key"),
            limit=1.5 * float(arrays["parts"].max()),
            sentence="what “{row}” takes from “{column}”, before its row is divided",
            recipe={"kind": "plain"},
            editable=True,
        ),
        make(
            name="weights",
            title="weights",
            formula="part ÷ its row's sum",
            **square,
            axes=("query", "key"),
            sentence="“{row}” gives this share of its attention to “{column}”",
            recipe={"kind": "share", "of": "parts", "parts": "parts"}
            | {"total": "parts.total"},
            note="each row sums to 1",
        ),
        make(
            name="V",
            title="V",
            formula="values",
            rows=keys,
            columns=contents,
            axes=("value", "feature"),
            palette="value",
            limit=1.5 * largest,
            sentence="value of “{row}”, feature {column}",
            recipe={"kind": "plain"},
            editable=True,
        ),
        make(
            name="output",
            title="output",
            formula="weights · V",
            rows=queries,
            columns=contents,
            axes=("query", "feature"),
            palette="output",
            limit=1.5 * largest,
            sentence="output of “{row}”, feature {column}: the values, averaged",
            recipe={"kind": "dot", "left": "weights", "right": "V"}
            | {"across": "column", "products": "output.products"},
            note="averages of V's rows",
        ),
    ]

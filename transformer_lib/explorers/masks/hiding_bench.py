"""hiding_bench: one row of scores, and what five ways of hiding keys make of it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from numbers import Integral

import numpy as np
import torch
from numpy.typing import NDArray

from ..toolkit.explorer import Arrays, Explorer
from ..toolkit.inputs import labels, matrix_input
from ..toolkit.panel import Panel
from .hiding import WAYS, adjusted, conventions, weigh
from .mask_panels import BOOLEAN, full_colour, mask_panel

Matrix = NDArray[np.float64]


def hiding_bench(
    scores: Sequence[float],
    values: Sequence[float],
    tokens: Sequence[str] | None = None,
    hidden: Sequence[int] = (),
) -> Explorer:
    """One query's row, hidden in five ways side by side.

    Args:
        scores: the S scaled scores of one query; at most 64.
        values: S numbers, one per key.
        tokens: S words; by default 1, 2, ….
        hidden: which keys are hidden to begin with, counted from 0.

    Returns:
        an Explorer without controls: "scores", "values" and "look" (1 may look, 0 may
        not) are edited.

    Raises:
        TypeError, ValueError: a row is no row of numbers, or the sizes do not fit.
        IndexError: there is no key of that number.

    Source: D2.8, D3.4.3.
    """
    s = matrix_input("scores", _row("scores", scores))
    v = matrix_input("values", _row("values", values))
    if s.shape != v.shape:
        raise ValueError(
            f"values must hold {s.size} numbers, one for each score, got {v.size}"
        )
    keys = labels("tokens", tokens, s.size)
    look = np.ones(s.shape)
    look[0, _places(hidden, s.size)] = 0
    return Explorer(
        hiding_steps,
        lambda arrays: hiding_panels(arrays, keys),
        {},
        {"scores": s, "values": v, "look": look},
    )


def _places(hidden: Sequence[int], size: int) -> list[int]:
    if isinstance(hidden, str) or not isinstance(hidden, Iterable):
        raise TypeError(f"hidden must be a list of key numbers, got {hidden!r}")
    for key in hidden:
        if isinstance(key, bool) or not isinstance(key, Integral):
            raise TypeError(f"hidden must hold whole numbers, got {key!r}")
        if key not in range(size):
            raise IndexError(f"hidden must name keys 0 to {size - 1}, got {key!r}")
    return list(hidden)


def _row(name: str, numbers: Sequence[float] | torch.Tensor) -> list[list[float]]:
    if isinstance(numbers, torch.Tensor):
        numbers = numbers.detach().cpu().tolist()
    if np.ndim(numbers) != 1:
        raise ValueError(f"{name} must be one row, got shape {np.shape(numbers)}")
    return [list(numbers)]


def hiding_steps(scores: Matrix, values: Matrix, look: Matrix) -> Arrays:
    """The weights of one query, and its output, by each of `hiding.WAYS`.

    Args:
        scores: (1, S).
        values: (1, S).
        look: (1, S); 1 may look, 0 may not.

    Returns:
        "weights" (5, S), "sum" (5, 1), "output" (5, 1) with its "products" (5, 1, S),
        the arguments, and the mask as `hiding.conventions` writes it.

    Raises:
        ValueError: a cell of the mask holds another number.
    """
    s, v = torch.from_numpy(scores), torch.from_numpy(values)
    may_look = adjusted(torch.ones(s.shape, dtype=torch.bool), look)
    rows = [weigh(s, may_look, way)["weights"] for way in WAYS]
    weights = torch.cat(rows)  # (5, S)
    products = weights * v  # (5, S)
    return {
        "scores": scores,
        "values": values,
        "look": look,
        **conventions(may_look),
        "weights": weights.numpy(),
        "sum": weights.sum(-1, keepdim=True).numpy(),
        "output": products.sum(-1, keepdim=True).numpy(),
        "output.products": products[:, None].numpy(),
    }


def hiding_panels(arrays: Arrays, keys: Sequence[str]) -> list[Panel]:
    """The row, its mask and its values above; the five ways below."""
    mask = Panel(**mask_panel(arrays, "may_look", "look", (["query"], keys)))
    weights = _weights(keys, np.repeat(arrays["may_look"] == 0, len(WAYS), axis=0))
    scores, total = _scores(full_colour(arrays["scores"]), keys), _sum()
    limit = full_colour(arrays["values"])
    values, output = _values(scores, limit), _output(total, limit)
    return [scores, mask, values, weights, total, output]


def _scores(limit: float, keys: Sequence[str]) -> Panel:
    return Panel(
        name="scores",
        title="scores",
        formula="of one query, scaled",
        rows=["query"],
        columns=keys,
        axes=("query", "key"),
        palette="scores",
        limit=limit,
        sentence="its scaled score for “{column}”",
        editable=True,
    )


def _values(scores: Panel, limit: float) -> Panel:
    return replace(
        scores,
        name="values",
        title="values",
        formula="one feature each",
        rows=["value"],
        axes=("value", "key"),
        palette="value",
        limit=limit,
        sentence="the value of “{column}”",
    )


def _weights(keys: Sequence[str], hidden: NDArray[np.bool_]) -> Panel:
    of = [["score", "scores"], ["may look?", "may_look", "", BOOLEAN]]
    return Panel(
        name="weights",
        title="weights",
        formula="by five ways of hiding",
        rows=WAYS,
        columns=keys,
        axes=("hidden by", "key"),
        words=("0",),
        hidden=hidden,
        veil="",
        sentence="the weight of “{column}”, hidden keys hidden by: {row}",
        recipe={"kind": "cells", "of": of, "ends": True},
        note="0 is exactly 0",
        group=1,
    )


def _sum() -> Panel:
    return Panel(
        name="sum",
        title="sum",
        formula="of weights",
        rows=WAYS,
        columns=["Σ"],
        axes=("hidden by", "sum"),
        words=("0",),
        sentence="the sum of the row's weights, hidden by: {row}",
        group=1,
    )


def _output(total: Panel, limit: float) -> Panel:
    dot = {"kind": "dot", "left": "weights", "right": "values", "across": "row"}
    return replace(
        total,
        name="output",
        title="output",
        formula="Σ weight · value",
        columns=["z"],
        axes=("hidden by", "output"),
        palette="output",
        limit=limit,
        sentence="the output, hidden keys hidden by: {row}",
        recipe={**dot, "products": "output.products"},
    )

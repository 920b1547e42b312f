"""mixing_bench: what a row of attention weights does: it averages the values."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ..toolkit.explorer import Explorer
from ..toolkit.inputs import matrix_input, token_axes
from ..toolkit.looks import AVERAGES
from ..toolkit.sheet import Axis, Matrix, Sheet


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
    inputs = {"parts": matrix_input("weights", weights), "V": matrix_input("V", V)}
    axes = token_axes(tokens, *inputs["parts"].shape)
    return Explorer("mixing_bench", partial(mixing_sheet, axes=axes), inputs=inputs)


def mixing_sheet(parts: Matrix, V: Matrix, axes: tuple[Axis, Axis]) -> Sheet:
    """Weights = parts ÷ their row's sum, output = weights V; T × S parts, S values."""
    if parts.min() < 0:
        raise ValueError(f"a part must not be negative, got {parts.min():g}")
    if not parts.any(axis=1).all():
        none = np.argmin(parts.any(axis=1)) + 1
        raise ValueError(f"a row needs a part above 0, got none in row {none}")
    s = Sheet()
    given = s.given("parts", *axes, parts)
    v = s.given("V", Axis("value", axes[1].labels), "feature", V)
    weights = s.share("weights", given)
    output = s.mix("output", weights, v)
    said = "what “{row}” takes from “{column}”, before its row is divided"
    s.show(given, palette="weights", sentence=said, editable=True)
    s.show(weights, formula="part ÷ its row's sum")
    s.show(v, formula="values", editable=True)
    s.show(output, formula="weights · V", **AVERAGES)
    return s

"""attention_bench: scaled dot-product attention, every number of it, on the bench."""

import math
from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from ... import plots
from ...support.validation import check_number
from ..masks.hiding import preset
from ..toolkit.controls import choice, slider, switch
from ..toolkit.drawing import Matrix
from ..toolkit.explorer import Explorer
from ..toolkit.inputs import matrix_input, token_axes
from ..toolkit.looks import fine
from ..toolkit.sheet import Sheet
from ..toolkit.trace import Axis, Table


def attention_bench(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, tokens: Sequence[str] | None = None
) -> Explorer:
    """Attention on numbers that can be changed: scores, scale, softmax, output.

    Args:
        Q: queries (T, d_k). Q, K and V can be edited in the explorer.
        K: keys (S, d_k).
        V: values (S, d_v).
        tokens: a word for each row when T = S; by default 1, 2, ….

    Returns:
        an Explorer with controls "scale", "temperature" and "mask".

    Raises:
        TypeError, ValueError: a matrix is no finite matrix of numbers, shapes do not
            fit, a size is above 64, or the tokens are not one word per row.

    Source: Vaswani et al. (2017), §3.2.1; D0.5, D1.11, D1.14.
    """
    inputs = {n: matrix_input(n, x) for n, x in (("Q", Q), ("K", K), ("V", V))}
    axes = token_axes(tokens, len(inputs["Q"]), len(inputs["K"]))
    controls = {
        "scale": switch("divide by √d_k", True),
        "temperature": slider("temperature", 1.0, 0.1, 5.0, 0.1),
        "mask": choice("mask", ["none", "causal"]),
    }
    return Explorer(
        "attention_bench",
        lambda **given: attention_sheet(axes=axes, **given),
        controls,
        inputs,
    )


def attention_sheet(
    Q: Matrix,
    K: Matrix,
    V: Matrix,
    *,
    axes: tuple[Axis, Axis],
    scale: bool = True,
    temperature: float = 1.0,
    mask: str = "none",
) -> Sheet:
    """Every step of attention: weights = softmax(Q Kᵀ / (√d_k · temperature)).

    Args:
        Q: queries (T, d_k).
        K: keys (S, d_k).
        V: values (S, d_v).
        axes: the queries and the keys.
        scale: whether to divide by √d_k.
        temperature: finite, above 0; large flattens the weights, small sharpens them.
        mask: "none" or "causal" (which needs T = S).

    Raises:
        ValueError: the temperature or the mask is none of these, or shapes do not fit.
    """
    check_number("temperature", temperature, 0, above=True)
    s = Sheet()
    q = s.given("Q", axes[0], Axis.numbered("feature", Q.shape[1]), Q)
    k = s.given("K", axes[1], Axis.numbered("feature", K.shape[1]), K)
    values = Axis.of("value", axes[1].labels)
    v = s.given("V", values, Axis.numbered("feature", V.shape[1]), V)
    scores = s.dot("scores", q, k)
    called, divisor = _divisor(Q.shape[1], scale, temperature)
    steps = [("÷", called, divisor)] if called else []
    scaled = s.scale("scaled", scores, *steps, lead="score")
    may_look = _may_look(s, mask, axes)
    weights = s.softmax("weights", scaled, may_look)
    output = s.mix("output", weights, v)
    for given, formula in ((q, "queries"), (k, "keys"), (v, "values")):
        s.show(given, formula=formula, editable=True)
    _show_steps(s, (scores, scaled, weights, output), called)
    return s


def _divisor(d_k: int, scale: bool, temperature: float) -> tuple[str, float]:
    """√d_k times the temperature: in words, as far as it changes anything; a number."""
    parts = [f"√{d_k}"] if scale else []
    if temperature != 1.0:
        parts.append(plots.number(temperature, 1))
    called = f"({' · '.join(parts)})" if len(parts) == 2 else "".join(parts)
    return called, temperature * (math.sqrt(d_k) if scale else 1.0)


def _may_look(s: Sheet, mask: str, axes: tuple[Axis, Axis]) -> Table | None:
    """The mask as a table of the sheet, or None where nothing is hidden."""
    T, S = (len(axis.labels) for axis in axes)
    may_look = preset(mask, T, S, S)
    return None if mask == "none" else s.given("may look", *axes, may_look)


def _show_steps(s: Sheet, steps: Sequence[Table], divisor: str) -> None:
    """The four tables below the given ones, numbered in the order they come about."""
    scores, scaled, weights, output = steps
    first = s.show(
        scores,
        formula="QKᵀ",
        sentence="score of “{row}” for “{column}”: its query · that key",
        group=1,
        step=1,
    )
    s.show(
        scaled,
        formula=f"scores ÷ {divisor}" if divisor else "scores, not scaled",
        limit=first.limit,  # one for both: the scale's effect is seen
        hidden=weights.hidden,
        digits=fine(scaled),
        sentence="scaled score of “{row}” for “{column}”",
        note=f"divided by {plots.number(_number(scaled), 3)}",
        group=1,
        step=2,
    )
    look: dict[str, Any] = {"digits": fine(weights), "group": 1}
    s.show(weights, formula="softmax of each row", step=3, **look)
    mixed = "output of “{row}”, feature {column}: the values, averaged"
    note = "averages of V's rows"
    look["digits"] = fine(output)
    s.show(output, formula="weights · V", sentence=mixed, note=note, step=4, **look)


def _number(scaled: Table) -> float:
    """What the scores were divided by."""
    return next((number for _, number in scaled.made["steps"]), 1.0)

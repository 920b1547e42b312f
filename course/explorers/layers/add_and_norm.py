"""add_and_norm: one sub-layer inside Add & Norm, step by step."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from explorable import Array, Axis, Explorer, Sheet, Style
from explorable.controls import choice, one_of, slider, stops, told_apart
from explorable.inputs import labels, matrix_input

from .steps import compact, norm_of, show_vector

Order = Literal["post-norm", "pre-norm"]
ORDERS = get_args(Order)
FORMULAS = {"post-norm": "norm(x + f(x))", "pre-norm": "x + f(norm(x))"}
SCALES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
EPS = (1e-5, 0.001, 0.01, 0.1, 1.0)


def add_and_norm(
    x: ArrayLike,
    W: ArrayLike,
    tokens: Sequence[str] | None = None,
    *,
    order: Order = "post-norm",
) -> Explorer:
    """Add a sub-layer's output to its input; normalize before or after.

        post-norm: norm(x + f(x))        pre-norm: x + f(norm(x))
        norm(x) = γ (x − μ) / √(σ² + ε) + β        f(x) = x W

    Args:
        x: (T, D), at most 64 a side. x, W, γ and β can be edited in the explorer.
        W: (D, D), the simplest sub-layer.
        tokens: one word per row; by default 1, 2, ….
        order: "post-norm" or "pre-norm".

    Returns:
        an Explorer with the controls "order", "scale" and "shift" of the input,
        "eps", and "token", whose vector is drawn as bars.

    Raises:
        TypeError, ValueError: the matrices or the words do not fit together.

    Source: Ba, Kiros and Hinton (2016); Vaswani et al. (2017), §5.4; D0.3.4, D2.4,
    D3.6.
    """
    inputs = {"x": matrix_input("x", x), "W": matrix_input("W", W)}
    count, D = inputs["x"].shape
    if inputs["W"].shape != (D, D):
        raise ValueError(f"W must be {D} × {D}, got shape {inputs['W'].shape}")
    token = Axis("token", labels("tokens", tokens, count))
    one = np.ones((1, D))
    inputs |= {"gamma": one, "beta": 0 * one}
    controls = _controls(token.labels, order)
    return Explorer(
        "add_and_norm",
        add_and_norm_sheet,
        controls,
        inputs,
        axis=token,
        title="Add & Norm",
        task="Scale or shift x, and see what layer normalization undoes.",
        more=("eps",),
    )


def _controls(words: Sequence[str], order: Order) -> Style:
    return {
        "order": choice("order", ORDERS, value=order),
        "scale": stops("x times", SCALES, 1.0),
        "shift": slider("x plus", 0.0, -10.0, 10.0, 0.5),
        "eps": stops("ε", EPS, 1e-5),
        "token": one_of("token", words),
    }


def add_and_norm_sheet(
    x: Array,
    W: Array,
    gamma: Array,
    beta: Array,
    *,
    axis: Axis,
    order: Order,
    scale: float,
    shift: float,
    eps: float,
    token: str,
) -> Sheet:
    """Show each step for x (T, D), W (D, D), γ and β (1, D), and one token's bars."""
    s = Sheet()
    given = s.leaf("x", axis, "feature", x)
    matrix = s.leaf("W", Axis("feature", given.columns.labels), "feature", W)
    moves = ("×", scale, "scale"), ("+", shift, "shift")
    comes = s.elementwise("in", given, *moves, label="x")
    look: Style = {"palette": "scores", "size": compact(given)}
    moved = (scale, shift) != (1.0, 0.0)
    if order == "post-norm":
        f = s.matmul("f", comes, matrix)
        total = s.elementwise("sum", comes, ("+", f, "f(x)"), label="x")
        norm, way = norm_of(s, total, gamma, beta, eps)
        out = s.elementwise("output", total, *way, label="x + f(x)")
        steps = {"x": comes, "f(x)": f, "x + f(x)": total, "norm": out}
        of = "x + f(x)"
        how = "x + f(x), normalized"
    else:
        norm, way = norm_of(s, comes, gamma, beta, eps)
        normed = s.elementwise("norm", comes, *way, label="x")
        f = s.matmul("f", normed, matrix)
        out = s.elementwise("output", comes, ("+", f, "f(norm(x))"), label="x")
        steps = {"x": comes, "norm(x)": normed, "f(norm)": f, "x + f": out}
        of = "x"
        how = "x and what f adds to it"
    n = told_apart(axis.labels).index(token)
    framed: Style = look | {"followed": n}  # the row that the bars show
    s.show(given, formula=moved * f"× {scale:g} + {shift:g}", **framed)
    s.show(matrix, formula="f(x) = x W", **look)
    longest = max(axis.labels, key=len)  # so that β and W align
    s.show(norm["gamma"], "γ", formula="scales", longest=longest, group=1, **look)
    s.show(norm["beta"], "β", formula="shifts", group=1, **look)
    made = {"group": 2, **look}
    s.show(norm["mean"], "μ", sentence=f"mean of {of} for “{{row}}”", **made)
    deviation = f"standard deviation of {of} for “{{row}}”, with ε"
    s.show(norm["root"], "√(σ² + ε)", sentence=deviation, **made)
    said = f"output of “{{row}}”, feature {{column}}: {how}"
    made = framed | {"palette": "output", "group": 2}
    s.show(out, formula=FORMULAS[order], sentence=said, **made)
    hues = "scores", "value", "position", "output"
    show_vector(s, n, steps, hues)
    return s

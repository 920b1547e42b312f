"""add_and_norm: one sub-layer inside Add & Norm, step by step."""

from collections.abc import Sequence
from typing import Literal, get_args

from numpy.typing import ArrayLike

from explorable import Array, Axis, Explorer, Sheet, Style
from explorable.controls import choice, one_of, slider, stops, told_apart
from explorable.inputs import labels, matrix_input

from .steps import compact, digits_of, norm_of, show_vector

Order = Literal["post-norm", "pre-norm"]
ORDERS = get_args(Order)
FORMULAS = {"post-norm": "norm(x + f(x))", "pre-norm": "x + f(norm(x))"}
SCALES = (0.1, 1.0, 10.0, 100.0, 1000.0)
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
        norm(x) = (x − μ) / √(σ² + ε)              f(x) = x W

    What each order computes stands in the order in which it is computed.

    Args:
        x: (T, D), at most 64 a side. x and W can be edited in the explorer.
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
    *,
    axis: Axis,
    order: Order,
    scale: float,
    shift: float,
    eps: float,
    token: str,
) -> Sheet:
    """Show each step for x (T, D) and W (D, D), and one token's bars."""
    s = Sheet()
    given = s.leaf("x", axis, "feature", x)
    matrix = s.leaf("W", Axis("feature", given.columns.labels), "feature", W)
    moves = ("×", scale, "scale"), ("+", shift, "shift")
    comes = s.elementwise("in", given, *moves, label="x")
    if order == "post-norm":
        f = s.matmul("f", comes, matrix)
        total = s.elementwise("sum", comes, ("+", f, "f(x)"), label="x")
        out = s.elementwise("output", total, *norm_of(s, total, eps), label="x + f(x)")
        between = [(f, "f(x)", "x W"), (total, "x + f(x)", "")]
        how = "x + f(x), normalized"
    else:
        normed = s.elementwise("norm", comes, *norm_of(s, comes, eps), label="x")
        f = s.matmul("f", normed, matrix)
        out = s.elementwise("output", comes, ("+", f, "f(norm(x))"), label="x")
        between = [(normed, "norm(x)", ""), (f, "f(norm(x))", "norm(x) W")]
        how = "x and what f adds to it"
    n = told_apart(axis.labels).index(token)
    look: Style = {"palette": "scores", "size": compact(given), "decimals": 2}
    framed = look | {"followed": n}  # the row that the bars show
    moved = (scale, shift) != (1.0, 0.0)
    s.show(given, formula=moved * f"× {scale:g} + {shift:g}", **framed)
    s.show(matrix, **look)
    small = bool(compact(given))  # of large matrices, only what comes in and goes out
    for table, title, formula in between if small else ():
        at = f"{title} of “{{row}}”, feature {{column}}"
        own: Style = {"formula": formula, "sentence": at, "digits": digits_of(table)}
        s.show(table, title, group=1, **framed | own)
    said = f"output of “{{row}}”, feature {{column}}: {how}"
    own = {"palette": "output", "sentence": said, "digits": digits_of(out)}
    s.show(out, formula=FORMULAS[order], group=2, **framed | own)
    show_vector(s, n, {"x": comes, "output": out}, below=not small)
    return s

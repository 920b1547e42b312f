"""layer_norm_lab: layer normalization, one step at a time."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from explorable import Array, Axis, Explorer, Sheet, Style
from explorable.controls import stops
from explorable.inputs import labels, matrix_input
from explorable.style import full_color

from ..operations import norm_steps
from .steps import compact


def layer_norm_lab(x: ArrayLike, tokens: Sequence[str] | None = None) -> Explorer:
    """Normalize each token's vector to mean 0, variance 1; then scale and shift it.

        y = γ (x − μ) / √(σ² + ε) + β

    Args:
        x: (T, D), at most 64 a side. x, γ and β can be edited in the explorer.
        tokens: one word per row; by default 1, 2, ….

    Returns:
        an Explorer with the control "eps".

    Raises:
        TypeError, ValueError: x is not such a matrix, or the words do not fit it.

    Source: Ba, Kiros and Hinton (2016); D1.16.3, D2.4, D3.6.
    """
    given = matrix_input("x", x)
    token = Axis("token", labels("tokens", tokens, len(given)))
    one = np.ones((1, given.shape[1]))
    controls = {"eps": stops("ε", (1e-5, 0.001, 0.01, 0.1, 1.0), 1e-5)}
    inputs = {"x": given, "gamma": one, "beta": 0 * one}
    return Explorer(
        "layer_norm_lab",
        layer_norm_sheet,
        controls,
        inputs,
        token=token,
        title="Layer normalization, step by step",
        task="Edit a number in x and follow it through the mean and the variance.",
    )


def layer_norm_sheet(
    x: Array,
    gamma: Array,
    beta: Array,
    *,
    token: Axis,
    eps: float = 1e-5,
) -> Sheet:
    """Show each step of layer normalization for x (T, D), with γ and β (1, D)."""
    s = Sheet()
    given = s.leaf("x", token, "feature", x)
    t = norm_steps(s, given, eps)
    scales = s.leaf("gamma", Axis("", ("γ",)), given.columns, gamma)
    shifts = s.leaf("beta", Axis("", ("β",)), given.columns, beta)
    by = "÷", t["root"], "√(σ² + ε)"
    z = s.elementwise("z", t["moved"], by, label="x − μ")
    y = s.elementwise("y", z, ("×", scales, "γ"), ("+", shifts, "β"))
    size: Style = {"size": compact(given)}
    signed: Style = {"palette": "scores", "vmax": full_color(x), **size}
    above: Style = {"palette": "weights", **size}
    s.show(given, formula="one row per token", **signed)
    s.show(t["mean"], "μ", formula="mean", sentence="mean of “{row}”", **signed)
    at = "of “{row}”, feature {column}"
    deviation = f"deviation {at}, from the mean"
    s.show(t["moved"], "x − μ", formula="mean 0", sentence=deviation, **signed)
    s.show(t["square"], "(x − μ)²", sentence=f"squared deviation {at}", **above)
    variance = "variance of “{row}”: its mean squared deviation"
    how = "mean of (x − μ)²"
    s.show(t["variance"], "σ²", formula=how, sentence=variance, **above)
    root = "standard deviation of “{row}”, with ε"
    s.show(t["root"], "√(σ² + ε)", sentence=root, **above)
    signed = {"palette": "scores", **size}
    said = f"z {at}: its deviation, in standard deviations"
    formula = "(x − μ) ÷ √(σ² + ε)"
    s.show(z, formula=formula, sentence=said, leads=True, **signed)  # y is the last
    own: Style = signed | {"longest": max(token.labels, key=len)}  # as the tables above
    s.show(scales, "γ", formula="scales", **own)
    s.show(shifts, "β", formula="shifts", **own)
    shown: Style = signed | {"palette": "output"}
    s.show(y, formula="γ z + β", sentence=f"y {at}: z scaled by γ, plus β", **shown)
    return s

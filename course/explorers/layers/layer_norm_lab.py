"""layer_norm_lab: layer normalization, one step at a time."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from explorable import Array, Axis, Explorer, Sheet, Style, plots
from explorable.controls import stops
from explorable.inputs import labels, matrix_input
from explorable.style import full_color

from ..operations import norm_steps
from .steps import compact


def layer_norm_lab(x: ArrayLike, tokens: Sequence[str] | None = None) -> Explorer:
    """Normalize each token's vector to mean 0, variance 1; then scale and shift it.

        y = γ (x − μ) / √(σ² + ε) + β

    Args:
        x: (T, D), at most 64 a side. x, γ and β can be edited in the explorer. At
            first γ doubles the first feature, and β adds 1 to the last one.
        tokens: one word per row; by default 1, 2, ….

    Returns:
        an Explorer with the control "eps".

    Raises:
        TypeError, ValueError: x is not such a matrix, or the words do not fit it.

    Source: Ba, Kiros and Hinton (2016); D1.16.3, D2.4, D3.6.
    """
    given = matrix_input("x", x)
    token = Axis("token", labels("tokens", tokens, len(given)))
    gamma, beta = np.ones((1, given.shape[1])), np.zeros((1, given.shape[1]))
    gamma[0, 0], beta[0, -1] = 2.0, 1.0  # so that y is another than z
    controls = {"eps": stops("ε", (1e-5, 0.001, 0.01, 0.1, 1.0), 1e-5)}
    inputs = {"x": given, "gamma": gamma, "beta": beta}
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
    parts = [t[name] for name in ("mean", "variance", "root")]
    words = "μ", "σ²", "√(σ² + ε)"
    each = s.concat("moments", Axis("", words), parts, words)
    scales = s.leaf("gamma", Axis("", ("γ",)), given.columns, gamma)
    shifts = s.leaf("beta", Axis("", ("β",)), given.columns, beta)
    moves = ("−", t["mean"], "μ"), ("÷", t["root"], "√(σ² + ε)")
    z = s.elementwise("z", given, *moves, label="x")
    y = s.elementwise("y", z, ("×", scales, "γ"), ("+", shifts, "β"))
    size: Style = {"size": compact(given)}
    signed: Style = {"palette": "scores", "vmax": full_color(x), **size}
    s.show(given, formula="one row per token", **signed)
    s.show(each, "row statistics", sentence="{column} of “{row}”", **signed)
    signed = {"palette": "scores", **size}
    at = "of “{row}”, feature {column}"
    s.show(
        z,
        formula="(x − μ) ÷ √(σ² + ε)",
        sentence=f"z {at}: its deviation, in standard deviations",
        note=_said(z.values),
        concludes=True,
        leads=True,  # y is the last
        **signed,
    )
    own: Style = signed | {"longest": max(token.labels, key=len)}  # as the tables above
    s.show(scales, "γ", formula="scales", group=1, **own)
    s.show(shifts, "β", formula="shifts", group=1, **own)
    shown: Style = signed | {"palette": "output", "group": 1}
    s.show(y, formula="γ z + β", sentence=f"y {at}: z scaled by γ, plus β", **shown)
    return s


def _said(z: Array) -> str:
    """State what the rows have in common now."""
    means, spreads = z.mean(axis=1), z.std(axis=1)
    mean = plots.number(means[np.abs(means).argmax()], 2)
    least, most = plots.number(spreads.min(), 2), plots.number(spreads.max(), 2)
    spread = least if least == most else f"{least} to {most}"
    return f"each row: mean {mean}, σ {spread}"

"""feed_forward: which hidden units fire for a token, and what they write."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from explorable import Array, Axis, Explorer, Sheet, Style, Table, plots
from explorable.controls import choice, one_of, told_apart
from explorable.inputs import labels, matrix_input
from transformer_lib.model.config import Activation

from ..operations import activate
from .steps import compact

BENDS: dict[str, Activation] = {"ReLU": "relu", "GELU": "gelu"}
NONE = "none"
MANY = 4  # hidden units, to be named one by one


def feed_forward(
    x: ArrayLike,
    W_1: ArrayLike,
    b_1: ArrayLike,
    W_2: ArrayLike,
    b_2: ArrayLike | None = None,
    tokens: Sequence[str] | None = None,
    *,
    features: Sequence[str] | None = None,
) -> Explorer:
    """Expand each token's vector, apply an activation, and project it back.

        y = f(x W_1 + b_1) W_2 + b_2

    Args:
        x: (T, D). All matrices that are given can be edited in the explorer.
        W_1: (D, F), one column per hidden unit: what the unit looks for.
        b_1: (1, F).
        W_2: (F, D), one row per hidden unit: what the unit writes.
        b_2: (1, D); by default there is none.
        tokens: one word per row; by default 1, 2, ….
        features: one word per column of x; by default 1, 2, ….

    Returns:
        an Explorer with the controls "activation", "token", whose row is followed, and
        "off": a hidden unit that is switched off, or "none".

    Raises:
        TypeError, ValueError: the matrices or the words do not fit together.

    Source: Vaswani et al. (2017), §3.3; Geva et al. (2021); D1.16.4, D2.5, D3.7.
    """
    given = {"x": x, "W_1": W_1, "b_1": b_1, "W_2": W_2}
    given |= {} if b_2 is None else {"b_2": b_2}
    inputs = {name: matrix_input(name, values) for name, values in given.items()}
    T, D = inputs["x"].shape
    F = inputs["W_1"].shape[1]
    wanted = {"W_1": (D, F), "b_1": (1, F), "W_2": (F, D), "b_2": (1, D)}
    for name, size in wanted.items():
        if name in inputs and inputs[name].shape != size:
            raise ValueError(f"{name} must be {size}, got {inputs[name].shape}")
    token = Axis("token", labels("tokens", tokens, T))
    feature = Axis("feature", labels("features", features, D))
    controls = {
        "activation": choice("activation", [*BENDS, NONE]),
        "token": one_of("token", token.labels),
        "off": one_of("switch off unit", [NONE, *(str(n + 1) for n in range(F))]),
    }
    axes = token, feature
    return Explorer(
        "feed_forward",
        feed_forward_sheet,
        controls,
        inputs,
        axes=axes,
        title="The feed-forward network",
        task="Edit a weight, choose a token, or switch a hidden unit off.",
    )


def feed_forward_sheet(
    x: Array,
    W_1: Array,
    b_1: Array,
    W_2: Array,
    b_2: Array | None = None,
    *,
    axes: tuple[Axis, Axis],
    activation: str = "ReLU",
    token: str,
    off: str = NONE,
) -> Sheet:
    """Show each step, hidden (T, F) and y (T, D), and follow the row of one token."""
    s = Sheet()
    _, feature = axes
    unit = Axis.numbered("hidden unit", W_1.shape[1])
    given = s.leaf("x", *axes, x)
    keys = s.leaf("W_1", feature, unit, W_1)
    values = s.leaf("W_2", unit, feature, W_2)
    first = s.leaf("b_1", Axis("", ("b₁",)), unit, b_1)
    product = s.matmul("product", given, keys)
    plus = "+", first, "b₁"
    sums = s.elementwise("sums", product, plus, label="x W₁", decimals=13)
    hidden = _bend(s, sums, activation, off)
    if b_2 is None:
        y = s.matmul("y", hidden, values)
    else:
        second = s.leaf("b_2", Axis("", ("b₂",)), feature, b_2)
        written = s.matmul("written", hidden, values)
        y = s.elementwise("y", written, ("+", second, "b₂"), label="hidden · W₂")
    said = f"{activation}(sums)" if activation in BENDS else "no activation"
    look: Style = {"palette": "scores", "size": compact(sums)}
    n = told_apart(axes[0].labels).index(token)
    longest = max(*feature.labels, *unit.labels, key=len)  # so that b₁ and b₂ align
    s.show(given, formula="one row per token", followed=n, **look)
    s.show(keys, "W₁", formula="a column per unit", longest=longest, **look)
    s.show(first, "b₁", **look)
    told = "hidden unit {column} of “{row}”"
    look_hidden: Style = look | {"palette": "value", "sentence": told}
    s.show(hidden, formula=said, group=1, followed=n, **look_hidden)
    s.show(values, "W₂", formula="a row per unit", group=1, longest=longest, **look)
    if b_2 is not None:
        s.show(second, "b₂", group=1, **look)
    told = "y of “{row}”, feature {column}"
    look_y: Style = look | {"palette": "output", "sentence": told}
    look_y["formula"] = "hidden · W₂" + " + b₂" * (b_2 is not None)
    look_y |= {"note": _said(axes[0].labels[n], hidden.values[n], W_2, y, n)}
    s.show(y, group=1, followed=n, opens=n, concludes=True, **look_y)
    return s


def _said(word: str, hidden: Array, W_2: Array, y: Table, n: int) -> str:
    """State the feature to which most is written for a word, and by which units."""
    most = int(np.abs(y.values[n]).argmax())
    write = [str(k + 1) for k in np.flatnonzero(np.round(hidden * W_2[:, most], 2))]
    units = f"unit{'s' * (len(write) > 1)} {', '.join(write)}"
    if len(write) > MANY:
        units = f"{len(write)} units"
    wrote = f"{y.columns.labels[most]} {plots.number(y.values[n, most], 2)}"
    return f"“{word}”: {units} → {wrote}" if write else f"“{word}”: no unit writes"


def _bend(s: Sheet, sums: Table, activation: str, off: str) -> Table:
    """Apply the activation to each sum; a unit that is switched off gives 0."""
    name = "hidden" if off == NONE else "bent"
    kind = BENDS.get(activation)
    bent = activate(s, name, sums, kind) if kind else s.renamed(name, sums)
    if off == NONE:
        return bent
    units = sums.columns
    works = np.array(units.labels) != off
    switch = s.leaf("works", Axis("", ("works",)), units, works[None])
    return s.elementwise("hidden", bent, ("×", switch, "works?"), label=activation)

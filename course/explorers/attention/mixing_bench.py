"""mixing_bench: each row of attention weights averages the values."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from explorable import Array, Axes, Axis, Explorer, Sheet, Style, Table, plots
from explorable.drawings.tiles import Tiles
from explorable.inputs import matrix_input, token_axes
from explorable.style import AVERAGES

#: In tiles: where a mixture is all of the first value, the second or the third, and
#: where these are named.
CORNERS = ((5.0, 1.35), (1.0, 7.35), (9.0, 7.35))
MARKS = ((5.5, 0.1), (1.5, 8.05), (9.5, 8.05))  # beside a word that lies there


def mixing_bench(
    weights: ArrayLike, V: ArrayLike, tokens: Sequence[str] | None = None
) -> Explorer:
    """Average values with attention weights; you can edit both by hand.

    Each row is divided by its sum, so that its weights add up to 1. If there are three
    values, each row is also a point in a triangle, which you can drag.

    Args:
        weights: (T, S), no number below 0 and no row of zeros; T and S at most 64.
        V: values (S, d_v).
        tokens: a word for each row when T = S; by default 1, 2, ….

    Returns:
        an Explorer without controls; you edit its matrices "parts" and "V".

    Raises:
        TypeError, ValueError: a matrix is not of this kind, or the shapes do not fit.

    Source: D1.5, D1.6, D1.13.4.
    """
    inputs = {"parts": matrix_input("weights", weights), "V": matrix_input("V", V)}
    axes = token_axes(tokens, *inputs["parts"].shape)
    return Explorer(
        "mixing_bench",
        mixing_sheet,
        inputs=inputs,
        axes=axes,
        title="Attention is a weighted average",
        task="Change a part, and see how the average of V’s rows changes.",
    )


def mixing_sheet(parts: Array, V: Array, axes: Axes) -> Sheet:
    """Weights = parts ÷ their row's sum, output = weights V; T × S parts, S values."""
    if parts.min() < 0:
        raise ValueError(f"a part must not be negative, got {parts.min():g}")
    if not parts.any(axis=1).all():
        none = np.argmin(parts.any(axis=1)) + 1
        raise ValueError(f"a row needs a part above 0, got none in row {none}")
    s = Sheet()
    given = s.leaf("parts", *axes, parts)
    v = s.leaf("V", Axis("value", axes[1].labels), "feature", V)
    weights = s.normalize_rows("weights", given)
    output = s.matmul("output", weights, v)
    said = "how many parts “{row}” takes from “{column}”"
    three = len(V) == len(CORNERS)
    row: Style = {"shares": "query"}
    s.show(given, palette="weights", sentence=said, **row)
    below = int(three)  # beside the triangle, what is made stands below what is given
    s.show(weights, formula="part ÷ its row’s sum", group=below, **row)
    s.show(v, formula="values")
    mixed = int(np.count_nonzero(parts, axis=1).argmax())  # a copy says little
    look: Style = {"formula": "weights · V", "group": below, "opens": mixed}
    s.show(output, **look, **row, **AVERAGES)
    if three:
        _draw_triangle(s, given, weights, v, mixed)
    return s


def _draw_triangle(
    s: Sheet, parts: Table, weights: Table, v: Table, opens: int
) -> None:
    """Draw each row of weights (T, 3) as a point to drag between three values."""
    sayings = []
    marks = []
    for query, row in zip(weights.rows.labels, weights.values, strict=True):
        each = zip(row, v.rows.labels, strict=True)
        takes = " + ".join(f"{share:.2f} of “{key}”" for share, key in each)
        sayings.append(f"“{query}” takes {takes}")
    for (x, y), key, value in zip(MARKS, v.rows.labels, v.values, strict=True):
        numbers = ", ".join(plots.number(n, 1) for n in value[:3])
        marks += [
            (x, y, f"value of {key}"),
            (x, y + 0.5, f"({numbers}{', …' * (value.size > 3)})"),
        ]
    tiles = Tiles(
        name="mixtures",
        formula="drag an output: its weights follow",
        palette="output",
        shares="query",
        opens=opens,
        faces=[("", word) for word in parts.rows.labels],
        sayings=sayings,
        sentence="The closer a word is to a corner, the more it takes of that value.",
        marks=marks,
        board=(11.0, 9.45),
        corners=CORNERS,
        parts=v.rows.labels,
        sets="parts",
        totals=parts.values.sum(axis=1).tolist(),
        group=2,
    )
    shade = np.full((len(weights.values), 1), 8.0)
    s.draw(tiles, np.hstack([weights.values @ CORNERS, shade]))

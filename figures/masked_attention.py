"""Draw attention under a causal mask, with the numbers of notebook 06.

Run it from anywhere: python figures/masked_attention.py [folder]
"""

import drawing as d
import numpy as np
from numpy.typing import ArrayLike

from transformer_lib.oracles import numpy_reference as reference

TOKENS = ["AI", "is", "powerful"]
Q = K = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
V = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
MASK = np.tril(np.ones((3, 3), dtype=bool))  # True: may look
OUTPUT, WEIGHTS = reference.scaled_dot_product_attention(Q, K, V, MASK)
SCORES = Q @ K.T / np.sqrt(2)

HEIGHT, CELL, TOP = 372, (44, 36), 200
LOW = TOP + 132  # the line of the names
LEFT = {"S": 82, "masked": 340, "A": 562, "Z": 788}
LIMIT = {"scores": 3.2, "weights": 1.0, "value": 9.0, "output": 9.0}
DESCRIPTION = (
    "Three tokens: AI, is, powerful. Step 1: a mask is added to the scaled scores, 0 "
    "where a query may look and minus infinity above the diagonal, so three cells are "
    "hidden, drawn grey and hatched. Step 2: softmax along each row; hidden cells get "
    "weight 0 and the others share 1: AI gives 1.00 to itself; is gives 0.33 and 0.67; "
    "powerful gives 0.25, 0.25 and 0.50. Step 3: each output is the average of the "
    "values V by these weights."
)


def grid(
    at: str, values: ArrayLike, palette: str, digits: int = 2, **more: object
) -> str:
    return d.grid(
        LEFT[at],
        TOP,
        values,
        palette,
        CELL,
        limit=LIMIT[palette],
        digits=digits,
        **more,
    )


def words(x: float, y: float, columns: bool) -> str:
    """The tokens at the left of rows or above columns."""
    look = {"size": d.SMALL, "fill": d.QUIET, "anchor": "middle" if columns else "end"}
    (w, h), parts = CELL, []
    for n, token in enumerate(TOKENS):
        at = (x + (n + 0.5) * w, y - 6) if columns else (x - 7, y + 23 + n * h)
        parts.append(d.text(*at, token, **look))
    return "\n".join(parts)


def step(start: str, end: str, number: int, *lines: str) -> str:
    """An arrow between matrices; above it a number and what is done."""
    y, x = TOP + 1.5 * CELL[1], LEFT[start] + 3 * CELL[0] + 8
    to_x = LEFT[end] - 8
    half, first = (x + to_x) / 2, y - 11 - 18 * (len(lines) - 1)
    said = (
        d.text(half, first + 18 * n, line, anchor="middle")
        for n, line in enumerate(lines)
    )
    disc = d.step(half, first - 27, number)
    return d.arrow((x, y), (to_x, y)) + disc + "".join(said)


def mask(x: float, y: float) -> list[str]:
    """The matrix that is added: 0 where a query may look, −∞ where it may not."""
    w, h = 34, 26
    cells = d.grid(x, y, MASK * 0.0, "scores", (w, h), digits=0, hidden=~MASK)
    hidden = [
        d.text(
            x + (c + 0.5) * w, y + (r + 0.5) * h + 5, "−∞", anchor="middle", bold=True
        )
        for r, c in np.argwhere(~MASK)
    ]
    said = d.text(x + 3 * w / 2, y - 10, "mask M", anchor="middle", bold=True)
    return [cells, *hidden, said]


def drawing() -> str:
    """The whole figure, from left to right."""
    hidden = {"hidden": ~MASK}
    above = TOP - 28 - 3 * CELL[1]
    values = d.grid(LEFT["Z"], above, V, "value", CELL, limit=LIMIT["value"], digits=0)
    parts = [
        grid("S", SCORES, "scores"),
        words(LEFT["S"], TOP, columns=False),
        d.name(LEFT["S"], LOW, "scores", "scaled scores", d.sub("QKᵀ ÷ √d", "k")),
        *mask(226, 56),
        step("S", "masked", 1, "+ M"),
        grid("masked", SCORES, "scores", **hidden),
        d.name(LEFT["masked"], LOW, "scores", "masked scores", "hatched: hidden"),
        step("masked", "A", 2, "softmax"),
        grid("A", WEIGHTS, "weights", **hidden),
        d.name(LEFT["A"], LOW, "weights", "weights A", "hidden: exactly 0"),
        step("A", "Z", 3, "average", "the values"),
        values,
        words(LEFT["Z"], above, columns=False),
        d.name(LEFT["Z"], 48, "value", "values V", ""),
        grid("Z", OUTPUT, "output"),
        d.name(LEFT["Z"], LOW, "output", "output Z", d.sub("n × d", "v")),
        *(words(LEFT[at], TOP, columns=True) for at in ("S", "masked", "A")),
        *(
            d.outline(LEFT[at], TOP + CELL[1], 3 * CELL[0], CELL[1])
            for at in ("S", "masked", "A")
        ),
        d.outline(LEFT["Z"], TOP + CELL[1], 2 * CELL[0], CELL[1]),
    ]
    title = "Scaled dot-product attention under a causal mask"
    return d.figure(title, DESCRIPTION, HEIGHT, parts)


if __name__ == "__main__":
    d.save(__file__, drawing())

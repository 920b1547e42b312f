"""Draw attention on three tokens, laid out as two products.

scaled_dot_product.svg prints every number; in scaled_dot_product_blank.svg the results
are left for the reader to fill in.

Run it from anywhere: python figures/scaled_dot_product.py [folder]
"""

import drawing as d
import numpy as np
from numpy.typing import ArrayLike

from transformer_lib.oracles import numpy_reference as reference

TOKENS = ["AI", "is", "powerful"]
Q = K = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
V = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
OUTPUT, WEIGHTS = reference.scaled_dot_product_attention(Q, K, V)
SCORES = Q @ K.T

HEIGHT = 390
CELL = (44, 36)
LEFT = {"Q": 82, "S": 194, "scaled": 412, "A": 630, "Z": 788}
LIMIT = {  # the number that would be coloured in full
    "query": 1.6,
    "key": 1.6,
    "value": 9.0,
    "scores": 3.2,
    "weights": 1.0,
    "output": 9.0,
}
FLOOR = 172  # where the matrices above end
TOP = 218  # where the matrices below begin
LOW = TOP + 132  # the line of their names
DASHED = {"dash": "4 3"}

DESCRIPTION = (
    "Queries Q (3 by 2) stand left of the scores and keys K transposed (2 by 3) above "
    "them: step 1, each score is the dot product of a query row and a key column. Step "
    "2 divides the scores by the square root of d_k. Step 3 is a softmax along each "
    "row and gives the weights. Step 4: the weights stand left of the output and the "
    "values V (3 by 2) above it; each output number is a weighted average of a column "
    "of V. A mask, where there is one, comes between steps 2 and 3."
)


def grid(x: float, y: float, values: ArrayLike, palette: str, digits: int = 0) -> str:
    return d.grid(x, y, values, palette, CELL, limit=LIMIT[palette], digits=digits)


def blank(x: float, y: float, columns: int, palette: str) -> str:
    """Empty cells for three tokens."""
    return d.grid(x, y, np.zeros((len(TOKENS), columns)), palette, CELL)


def outline(x: float, y: float, columns: int = 1, rows: int = 1) -> str:
    """A dark frame around some cells: an operand or a result of the worked example."""
    return d.outline(x, y, columns * CELL[0], rows * CELL[1])


def row_names(x: float, y: float) -> list[str]:
    look = {"size": d.SMALL, "fill": d.QUIET, "anchor": "end"}
    lines = (y + 23 + r * CELL[1] for r in range(len(TOKENS)))
    return [
        d.text(x - 7, at, token, **look)
        for at, token in zip(lines, TOKENS, strict=True)
    ]


def column_names(x: float, y: float) -> list[str]:
    look = {"size": d.SMALL, "fill": d.QUIET, "anchor": "middle"}
    centres = (x + (c + 0.5) * CELL[0] for c in range(len(TOKENS)))
    return [
        d.text(at, y - 6, token, **look)
        for at, token in zip(centres, TOKENS, strict=True)
    ]


def arrow(x: float, number: int, words: str) -> list[str]:
    """From one matrix to the next: step, what it does, and an arrow under both."""
    y, middle = TOP + 1.5 * CELL[1], x + 35
    return [
        d.step(middle, y - 40, number),
        d.text(middle, y - 11, words, anchor="middle"),
        d.arrow((x, y), (x + 70, y)),
    ]


def first_product(results: bool) -> list[str]:
    """Q at the left, Kᵀ above, the scores where they cross."""
    q, s = LEFT["Q"], LEFT["S"]
    keys_top = FLOOR - 2 * CELL[1]
    return [
        grid(q, TOP, Q, "query"),
        *row_names(q, TOP),
        d.name(q, LOW, "query", "queries Q", d.sub("n × d", "k")),
        grid(s, keys_top, K.T, "key"),
        *column_names(s, keys_top),
        d.name(s, 42, "key", "keys Kᵀ", d.sub("d", "k", " × n")),
        grid(s, TOP, SCORES, "scores") if results else blank(s, TOP, 3, "scores"),
        d.name(s, LOW, "scores", "scores QKᵀ", "n × n"),
        d.step(36, 116, 1, ["dot product", "of each query", "with each key"]),
        outline(q, TOP, columns=2),
        outline(s + 2 * CELL[0], keys_top, rows=2),
        outline(s + 2 * CELL[0], TOP),
    ]


def scale_and_softmax(results: bool) -> list[str]:
    """From scores to weights: two arrows, and the place where a mask would act."""
    s, a = LEFT["scaled"], LEFT["A"]
    scaled = grid(s, TOP, SCORES / np.sqrt(2), "scores", 2)
    weights = grid(a, TOP, WEIGHTS, "weights", 2)
    quiet = {"size": d.SMALL, "fill": d.QUIET, "anchor": "middle"}
    return [
        *arrow(LEFT["S"] + 141, 2, d.sub("÷ √d", "k")),
        scaled if results else blank(s, TOP, 3, "scores"),
        *column_names(s, TOP),
        d.name(s, LOW, "scores", "scaled scores", "n × n"),
        *arrow(s + 141, 3, "softmax"),
        d.line((s + 152, TOP + 118), (s + 152, TOP + 60), **DASHED),
        d.box(s + 138, TOP + 118, 76, 40, **DASHED),
        d.text(s + 176, TOP + 135, "a mask", **quiet),
        d.text(s + 176, TOP + 151, "acts here", **quiet),
        weights if results else blank(a, TOP, 3, "weights"),
        *column_names(a, TOP),
        d.name(a, LOW, "weights", "weights A", "rows sum to 1"),
        outline(s, TOP, columns=3),
        outline(a, TOP, columns=3),
    ]


def second_product(results: bool) -> list[str]:
    """The weights at the left, V above, the output where they cross."""
    z, values_top = LEFT["Z"], FLOOR - 3 * CELL[1]
    output = grid(z, TOP, OUTPUT, "output", 2)
    return [
        grid(z, values_top, V, "value"),
        *row_names(z, values_top),
        d.name(z, 32, "value", "values V", d.sub("n × d", "v")),
        output if results else blank(z, TOP, 2, "output"),
        d.name(z, LOW, "output", "output Z", d.sub("n × d", "v")),
        d.step(566, 116, 4, ["average of the", "values, by weight"]),
        outline(z, values_top, rows=3),
        outline(z, TOP),
    ]


def drawing(results: bool) -> str:
    """The whole figure, with or without the numbers that the steps give."""
    steps = (first_product, scale_and_softmax, second_product)
    parts = [part for step in steps for part in step(results)]
    title = "Scaled dot-product attention on three tokens"
    return d.figure(title, DESCRIPTION, HEIGHT, parts)


if __name__ == "__main__":
    d.save(__file__, drawing(results=True))
    d.save(__file__, drawing(results=False), "scaled_dot_product_blank")

"""Draw attention on three tokens, laid out as two products.

scaled_dot_product.svg prints every number; in scaled_dot_product_blank.svg the results
are left for the reader to fill in.

Run it from anywhere: python figures/scaled_dot_product.py [folder]
"""

import pathlib
import sys
from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from transformer_lib import plots
from transformer_lib.oracles import numpy_reference as reference

TOKENS = ["AI", "is", "powerful"]
Q = K = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
V = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
OUTPUT, WEIGHTS = reference.scaled_dot_product_attention(Q, K, V)
SCORES = Q @ K.T

WIDTH, HEIGHT = 1000, 390
CELL = (48, 36)
INK, QUIET, LINE = "#1A1A1A", "#555555", "#C8C8C8"
LEFT = {"Q": 106, "S": 236, "scaled": 468, "A": 700, "Z": 878}
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

DESCRIPTION = (
    "Queries Q (3 by 2) stand left of the scores and keys K transposed (2 by 3) above "
    "them: step 1, each score is the dot product of a query row and a key column. Step "
    "2 divides the scores by the square root of d_k. Step 3 is a softmax along each "
    "row and gives the weights. Step 4: the weights stand left of the output and the "
    "values V (3 by 2) above it; each output number is a weighted average of a column "
    "of V. A mask, where there is one, comes between steps 2 and 3."
)


def text(
    x: float,
    y: float,
    words: str,
    *,
    size: int = 14,
    fill: str = INK,
    anchor: str = "start",
    bold: bool = False,
) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}" '
        f'text-anchor="{anchor}"{weight}>{words}</text>'
    )


def sub(letter: str, index: str, rest: str = "") -> str:
    """A letter with an index below the line, and what follows on the line."""
    low = f'{letter}<tspan dy="4" font-size="10">{index}</tspan>'
    return low + (f'<tspan dy="-4">{rest}</tspan>' if rest else "")


def grid(
    x: float, y: float, values: ArrayLike, palette: str, digits: int | None
) -> list[str]:
    """A matrix as coloured cells with their numbers, or blank where digits is None."""
    matrix = np.asarray(values)
    (w, h), limit, parts = CELL, LIMIT[palette], []
    for (r, c), value in np.ndenumerate(matrix):
        strength = 0 if digits is None else plots.step_of(value, limit)
        paper, ink = plots.shade(palette, strength)
        left, top = x + c * w, y + r * h
        parts.append(
            f'<rect x="{left:g}" y="{top:g}" width="{w}" height="{h}" '
            f'fill="{paper}" stroke="{LINE}"/>'
        )
        if digits is not None:
            shown, middle = plots.number(value, digits), left + w / 2
            parts.append(text(middle, top + 23, shown, fill=ink, anchor="middle"))
    return parts


def outline(x: float, y: float, columns: int = 1, rows: int = 1) -> str:
    """A dark frame around some cells: an operand or a result of the worked example."""
    w, h = columns * CELL[0], rows * CELL[1]
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{w}" height="{h}" rx="2" fill="none" '
        f'stroke="{INK}" stroke-width="2.5"/>'
    )


def row_names(x: float, y: float) -> list[str]:
    return [
        text(x - 7, y + 23 + r * CELL[1], name, size=13, fill=QUIET, anchor="end")
        for r, name in enumerate(TOKENS)
    ]


def column_names(x: float, y: float) -> list[str]:
    centres = (x + (c + 0.5) * CELL[0] for c in range(len(TOKENS)))
    return [
        text(centre, y - 6, name, size=12, fill=QUIET, anchor="middle")
        for centre, name in zip(centres, TOKENS, strict=True)
    ]


def name(x: float, y: float, palette: str, words: str, shape: str) -> list[str]:
    """A chip in the role's colour, what the matrix is called, and its shape."""
    chip = f'<rect x="{x:g}" y="{y - 11:g}" width="12" height="12" rx="2" '
    return [
        chip + f'fill="{plots.HUES[palette]}"/>',
        text(x + 18, y, words, bold=True),
        text(x + 18, y + 19, shape, size=13, fill=QUIET),
    ]


def step(x: float, y: float, number: int, lines: Sequence[str] = ()) -> list[str]:
    """A numbered circle and, at its right, what the step does."""
    circle = f'<circle cx="{x:g}" cy="{y:g}" r="11" fill="{INK}"/>'
    digit = text(x, y + 5, str(number), fill="#FFFFFF", anchor="middle")
    words = [text(x + 17, y + 5 + 17 * n, line) for n, line in enumerate(lines)]
    return [circle, digit, *words]


def arrow(x: float, number: int, words: str) -> list[str]:
    """From one matrix to the next: step, what it does, and an arrow under both."""
    y, tip, middle = TOP + 1.5 * CELL[1], x + 70, x + 35
    return [
        *step(middle, y - 38, number),
        text(middle, y - 10, words, anchor="middle"),
        f'<path d="M{x:g} {y:g}H{tip - 8:g}" stroke="{INK}" stroke-width="2"/>',
        f'<path d="M{tip:g} {y:g}l-10 -5v10z" fill="{INK}"/>',
    ]


def first_product(results: bool) -> list[str]:
    """Q at the left, Kᵀ above, the scores where they cross."""
    q, s = LEFT["Q"], LEFT["S"]
    keys_top = FLOOR - 2 * CELL[1]
    return [
        *grid(q, TOP, Q, "query", 0),
        *row_names(q, TOP),
        *name(q, TOP + 132, "query", "queries Q", sub("n × d", "k")),
        *grid(s, keys_top, K.T, "key", 0),
        *column_names(s, keys_top),
        *name(s, 42, "key", "keys Kᵀ", sub("d", "k", " × n")),
        *grid(s, TOP, SCORES, "scores", 0 if results else None),
        *name(s, TOP + 132, "scores", "scores QKᵀ", "n × n"),
        *step(62, 126, 1, ["dot product of each", "query with each key"]),
        outline(q, TOP, columns=2),
        outline(s + 2 * CELL[0], keys_top, rows=2),
        outline(s + 2 * CELL[0], TOP),
    ]


def scale_and_softmax(results: bool) -> list[str]:
    """From scores to weights: two arrows, and the place where a mask would act."""
    s, a = LEFT["scaled"], LEFT["A"]
    digits = 2 if results else None
    dashed = f'fill="none" stroke="{QUIET}" stroke-dasharray="4 3"'
    return [
        *arrow(389, 2, sub("÷ √d", "k")),
        *grid(s, TOP, SCORES / np.sqrt(2), "scores", digits),
        *column_names(s, TOP),
        *name(s, TOP + 132, "scores", "scaled scores", "n × n"),
        *arrow(621, 3, "softmax"),
        f'<path d="M634 {TOP + 118}V{TOP + 60}" {dashed}/>',
        f'<rect x="618" y="{TOP + 118}" width="68" height="38" rx="4" {dashed}/>',
        text(652, TOP + 134, "a mask", size=12, fill=QUIET, anchor="middle"),
        text(652, TOP + 149, "acts here", size=12, fill=QUIET, anchor="middle"),
        *grid(a, TOP, WEIGHTS, "weights", digits),
        *column_names(a, TOP),
        *name(a, TOP + 132, "weights", "weights A", "n × n, rows sum to 1"),
        outline(s, TOP, columns=3),
        outline(a, TOP, columns=3),
    ]


def second_product(results: bool) -> list[str]:
    """The weights at the left, V above, the output where they cross."""
    z, values_top = LEFT["Z"], FLOOR - 3 * CELL[1]
    return [
        *grid(z, values_top, V, "value", 0),
        *row_names(z, values_top),
        *name(z, 32, "value", "values V", sub("n × d", "v")),
        *grid(z, TOP, OUTPUT, "output", 2 if results else None),
        *name(z, TOP + 132, "output", "output Z", sub("n × d", "v")),
        *step(664, 126, 4, ["average of the", "values, by weight"]),
        outline(z, values_top, rows=3),
        outline(z, TOP),
    ]


def drawing(results: bool) -> str:
    """The whole figure, with or without the numbers that the steps give."""
    steps = (first_product, scale_and_softmax, second_product)
    body = [line for step_ in steps for line in step_(results)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH}" height="{HEIGHT}" role="img" aria-labelledby="t d" '
            'font-family="system-ui, -apple-system, Segoe UI, Roboto, sans-serif">',
            '<title id="t">Scaled dot-product attention on three tokens</title>',
            f'<desc id="d">{escape(DESCRIPTION)}</desc>',
            f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="10" '
            f'fill="#FFFFFF" stroke="{LINE}"/>',
            *body,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    here = pathlib.Path(__file__)
    folder = pathlib.Path(sys.argv[1]) if sys.argv[1:] else here.parent
    for ending, results in (("", True), ("_blank", False)):
        target = folder / f"{here.stem}{ending}.svg"
        target.write_text(drawing(results), encoding="utf-8")

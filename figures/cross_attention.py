"""Draw where queries, keys and values of a decoder come from: cross_attention.svg.

Its shades are random numbers in the sizes of two sentences of 00's model.

Run it from anywhere: python figures/cross_attention.py [folder]
"""

import drawing as d
import numpy as np
from numpy.typing import NDArray

from explorable import plots
from transformer_lib.oracles import numpy_reference as reference

TARGET = ["⟨SOS⟩", "Ajish", "works", "as", "an", "AI"]
SOURCE = ["Ajish", "studied", "art", "and", "works", "as", "an", "AI"]
T, S, D, D_K = 6, 8, 8, 4
DRAW = np.random.default_rng(10)
X, MEMORY = DRAW.normal(size=(T, D)), DRAW.normal(size=(S, D))
W_Q, W_K, W_V = DRAW.normal(size=(3, D, D_K)) / 2
Q, K, V = X @ W_Q, MEMORY @ W_K, MEMORY @ W_V
HEAD, WEIGHTS = reference.scaled_dot_product_attention(Q, K, V)

HEIGHT, CELL = 400, 14
ABOVE, BELOW = 84, 246  # the tops of the decoder's matrices and of the encoder's
LEFT = {"X": 96, "M": 96, "Q": 330, "K": 330, "V": 440, "A": 590, "head": 790}
FOLLOWED = 5  # the row of "AI", which asks for the job
DESCRIPTION = (
    "Two lanes. Above, the decoder: x, one row for each of the six target tokens so "
    "far (⟨SOS⟩, Ajish, works, as, an, AI), 6 by 8. Step 1: W_Q projects it to the "
    "queries Q, 6 by 4. Below, the encoder: the memory, one row for each of the eight "
    "source tokens, 8 by 8; W_K projects it to the keys K and W_V to the values V, 8 "
    "by 4. Step 2: queries meet keys: weights, 6 by 8, a row for each target token and "
    "a column for each source token. Step 3: the values are averaged: 6 by 4, a "
    "row for each target token again. The row of AI is framed in every matrix."
)
Matrix = NDArray[np.float64]


def matrix(at: str, y: float, values: Matrix, palette: str, name: str) -> list[str]:
    """A matrix as coloured cells, its name and its shape above."""
    x, (rows, columns) = LEFT[at], values.shape
    limit = 1.0 if palette == "weights" else 1.2 * np.abs(values).max()
    shape = f"{rows} × {columns}"
    return [
        d.grid(x, y, values, palette, (CELL, CELL), limit=limit),
        d.box(
            x,
            y,
            columns * CELL,
            rows * CELL,
            stroke=plots.HUES.get(palette, d.INK),
            round_=0,
        ),
        d.text(x, y - 8, name, bold=True),
        d.text(x + plots.width(name) * 16 + 8, y - 8, shape, size=14, fill=d.QUIET),
    ]


def words(at: str, y: float, said: list[str]) -> list[str]:
    """The word of each row, on its left."""
    look = {"size": d.SMALL, "anchor": "end"}
    return [
        d.text(LEFT[at] - 7, y + (n + 0.85) * CELL, word, **look)
        for n, word in enumerate(said)
    ]


def row(at: str, y: float, columns: int) -> str:
    """A frame around the row that the reader should follow."""
    return d.outline(LEFT[at], y + FOLLOWED * CELL, columns * CELL, CELL)


def drawing() -> str:
    """The whole figure: the decoder's lane above, the encoder's below."""
    middle, low = ABOVE + T * CELL / 2, BELOW + S * CELL / 2
    end = {at: LEFT[at] + D_K * CELL + 6 for at in ("Q", "K", "V")}
    after = LEFT["X"] + D * CELL + 6
    hues = plots.HUES
    parts = [
        d.box(8, 40, 226, 140, fill="#F4F4F4", stroke="none"),
        d.box(8, 202, 226, 190, fill="#F4F4F4", stroke="none"),
        d.text(20, 60, "decoder: target so far", size=14, fill=d.QUIET),
        d.text(20, 222, "encoder: source", size=14, fill=d.QUIET),
        *matrix("X", ABOVE, X, "", "x"),
        *words("X", ABOVE, TARGET),
        *matrix("M", BELOW, MEMORY, "", "memory"),
        *words("M", BELOW, SOURCE),
        *matrix("Q", ABOVE, Q, "query", "Q"),
        *matrix("K", BELOW, K, "key", "K"),
        *matrix("V", BELOW, V, "value", "V"),
        d.arrow((after, middle), (LEFT["Q"] - 6, middle), hue=hues["query"]),
        d.text(268, middle - 9, d.sub("× W", "Q"), anchor="middle"),
        d.arrow((after, low), (LEFT["K"] - 6, low), hue=hues["key"]),
        d.text(268, low - 9, d.sub("× W", "K"), anchor="middle"),
        d.arrow(
            (after, low + 34),
            (after + 46, low + 34),
            (after + 46, BELOW + 136),
            (LEFT["V"] + 28, BELOW + 136),
            (LEFT["V"] + 28, BELOW + S * CELL + 2),
            hue=hues["value"],
        ),
        d.text(376, BELOW + 130, d.sub("× W", "V"), anchor="middle"),
        *matrix("A", ABOVE, WEIGHTS, "weights", "weights"),
        d.arrow((end["Q"], middle), (LEFT["A"] - 6, middle), hue=hues["query"]),
        d.arrow(
            (end["K"], low - 24),
            (end["K"] + 22, low - 24),
            (end["K"] + 22, 206),
            (LEFT["A"] + 34, 206),
            (LEFT["A"] + 34, ABOVE + T * CELL + 2),
            hue=hues["key"],
        ),
        *matrix("head", ABOVE, HEAD, "output", "output"),
        d.arrow((LEFT["A"] + S * CELL + 6, middle), (LEFT["head"] - 6, middle)),
        d.arrow(
            (end["V"], low),
            (LEFT["head"] + 28, low),
            (LEFT["head"] + 28, ABOVE + T * CELL + 2),
            hue=hues["value"],
        ),
        d.text(LEFT["A"], low + 30, "One row for each target token", size=14),
        d.text(LEFT["A"], low + 50, "(query), one column for each", size=14),
        d.text(LEFT["A"], low + 70, "source token (key).", size=14),
        *(
            row(at, ABOVE, n)
            for at, n in (("X", D), ("Q", D_K), ("A", S), ("head", D_K))
        ),
        d.step(262, 26, 1, ["project"]),
        d.step(LEFT["A"] - 20, 26, 2, ["compare, softmax"]),
        d.step(LEFT["head"] - 8, 26, 3, ["average"]),
    ]
    return d.figure(
        "Where queries, keys and values come from", DESCRIPTION, HEIGHT, parts
    )


if __name__ == "__main__":
    d.save(__file__, drawing())

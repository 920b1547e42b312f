"""Draw multi-head attention as a flow: project, attend in each head, join, mix.

multi_head.svg shows two heads on five words; its shades are the numbers of notebook 07.

Run it from anywhere: python figures/multi_head.py [folder]
"""

import drawing as d
import numpy as np
from numpy.typing import NDArray

from explorable import plots
from transformer_lib.oracles import numpy_reference as reference

WORDS = ["Ajish", "works", "as", "an", "AI"]
T, D, H = 5, 8, 2
D_K = D // H
DRAW = np.random.default_rng(7)
X = DRAW.normal(size=(T, D))
W = DRAW.normal(size=(3, H, D, D_K))  # of queries, keys and values, for each head
W_O = DRAW.normal(size=(D, D))

HEIGHT, CELL = 318, 12
LANES, MIDDLE = (78, 220), 149  # the tops of the heads' matrices, and of the others
CENTRE = MIDDLE + T * CELL / 2
LEFT = {"X": 62, "Q": 226, "K": 286, "V": 346, "A": 452, "head": 534, "joined": 640}
LEFT |= {"Z": 784}
PALETTES = {"Q": "query", "K": "key", "V": "value"}

DESCRIPTION = (
    "The input X (5 words, 8 features) goes to two heads. In each, step 1: three "
    "matrices of its own give queries, keys and values (5 by 4). Step 2: attention "
    "gives weights (5 by 5) and the head's output (5 by 4). Step 3: the outputs of "
    "both heads are set side by side (5 by 8). Step 4: the matrix W_O mixes them into "
    "the output Z (5 by 8)."
)
Matrix = NDArray[np.float64]


def matrix(at: str, y: float, values: Matrix, palette: str, name: str) -> str:
    """A matrix as small coloured cells, its name above and its shape below."""
    x, (rows, columns) = LEFT[at], values.shape
    limit = 1.0 if palette == "weights" else 1.2 * np.abs(values).max()
    hue = plots.HUES.get(palette, d.INK)
    return "\n".join(
        [
            d.grid(x, y, values, palette, (CELL, CELL), limit=limit),
            d.box(x, y, columns * CELL, rows * CELL, stroke=hue, round_=0),
            d.text(x, y - 8, name, bold=True),
            d.text(
                x, y + rows * CELL + 17, f"{rows} × {columns}", size=14, fill=d.QUIET
            ),
        ]
    )


def flow(start: str, columns: int, y: float, end: str, to_y: float) -> str:
    """An arrow from one matrix to another."""
    return d.curve(LEFT[start] + columns * CELL + 6, y, LEFT[end] - 6, to_y)


def lane(h: int, top: float) -> tuple[list[str], Matrix]:
    """One head: queries, keys and values, weights, and what it hands over."""
    projected = dict(zip("QKV", (X @ W[kind, h] for kind in range(3)), strict=True))
    head, weights = reference.scaled_dot_product_attention(*projected.values())
    low, centre = str(h + 1), top + T * CELL / 2
    parts = [flow("X", D, CENTRE, "Q", centre)]
    for name, values in projected.items():
        parts.append(matrix(name, top, values, PALETTES[name], d.sub(name, low)))
    parts += [
        flow("V", D_K, centre, "A", centre),
        matrix("A", top, weights, "weights", "weights"),
        matrix("head", top, head, "output", d.sub("head", low)),
        flow("head", D_K, centre, "joined", CENTRE),
    ]
    return parts, head


def drawing() -> str:
    """The whole figure."""
    lanes = [lane(h, top) for h, top in enumerate(LANES)]
    joined = np.concatenate([head for _, head in lanes], axis=1)
    cut, look = LEFT["joined"] + D_K * CELL, {"anchor": "end", "fill": d.QUIET}
    body = [
        matrix("X", MIDDLE, X, "", "X"),
        *(
            d.text(LEFT["X"] - 6, MIDDLE + (r + 0.9) * CELL, word, size=d.SMALL, **look)
            for r, word in enumerate(WORDS)
        ),
        *(part for parts, _ in lanes for part in parts),
        matrix("joined", MIDDLE, joined, "output", "side by side"),
        f'<path d="M{cut} {MIDDLE - 4}v{T * CELL + 8}" stroke="{d.INK}" '
        'stroke-width="2" stroke-dasharray="4 3"/>',
        flow("joined", D, CENTRE, "Z", CENTRE),
        matrix("Z", MIDDLE, joined @ W_O, "output", "Z"),
        d.step(176, 28, 1, ["project, in each head"]),
        d.step(404, 28, 2, ["attend, in each head"]),
        d.step(640, 28, 3, ["join"]),
        d.step(756, 28, 4, [d.sub("mix: × W", "O", drop=-5)]),
    ]
    return d.figure("Multi-head attention with two heads", DESCRIPTION, HEIGHT, body)


if __name__ == "__main__":
    d.save(__file__, drawing())

"""Draw multi-head attention as a flow: project, attend in each head, join, mix.

multi_head.svg shows two heads on five words; its shades are the numbers of notebook 07.

Run it from anywhere: python figures/multi_head.py [folder]
"""

import pathlib
import sys
from html import escape

import numpy as np
from numpy.typing import NDArray

from transformer_lib import plots
from transformer_lib.oracles import numpy_reference as reference

WORDS = ["Ajish", "works", "as", "an", "AI"]
T, D, H = 5, 8, 2
D_K = D // H
DRAW = np.random.default_rng(7)
X = DRAW.normal(size=(T, D))
W = DRAW.normal(size=(3, H, D, D_K))  # of queries, keys and values, for each head
W_O = DRAW.normal(size=(D, D))

WIDTH, HEIGHT, CELL = 1000, 334, 13
INK, QUIET, LINE, PLAIN = "#1A1A1A", "#555555", "#C8C8C8", "#EDEDED"
LANES, MIDDLE = (78, 230), 154  # the tops of the heads' matrices, and of the others
LEFT = {"X": 62, "Q": 262, "K": 324, "V": 386, "A": 508, "head": 606, "joined": 720}
LEFT |= {"Z": 880}
PALETTES = {"Q": "query", "K": "key", "V": "value"}

DESCRIPTION = (
    "The input X (5 words, 8 features) goes to two heads. In each, step 1: three "
    "matrices of its own give queries, keys and values (5 by 4). Step 2: attention "
    "gives weights (5 by 5) and the head's output (5 by 4). Step 3: the outputs of "
    "both heads are set side by side (5 by 8). Step 4: the matrix W_O mixes them into "
    "the output Z (5 by 8)."
)
Matrix = NDArray[np.float64]


def text(x: float, y: float, words: str, *, look: str = "", size: int = 14) -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" {look}>{words}</text>'


def sub(letter: str, low: str, rest: str = "") -> str:
    """A letter with an index below the line, and what follows on the line."""
    tail = f'<tspan dy="-4">{rest}</tspan>' if rest else ""
    return f'{letter}<tspan dy="4" font-size="10">{low}</tspan>{tail}'


def block(x: float, y: float, values: Matrix, palette: str, name: str) -> list[str]:
    """A matrix as small coloured cells, its name above and its shape below."""
    limit = 1.0 if palette == "weights" else 1.2 * np.abs(values).max()
    cells = []
    for (r, c), value in np.ndenumerate(values):
        strength = plots.step_of(abs(value), limit)
        paper = plots.shade(palette, strength)[0] if palette else PLAIN
        cells.append(
            f'<rect x="{x + c * CELL:g}" y="{y + r * CELL:g}" width="{CELL}" '
            f'height="{CELL}" fill="{paper}" stroke="{LINE}"/>'
        )
    (rows, columns), hue = values.shape, plots.HUES.get(palette, INK)
    frame = (
        f'<rect x="{x:g}" y="{y:g}" width="{columns * CELL}" height="{rows * CELL}" '
        f'fill="none" stroke="{hue}" stroke-width="1.5"/>'
    )
    shape = text(
        x, y + rows * CELL + 16, f"{rows} × {columns}", size=13, look=f'fill="{QUIET}"'
    )
    return [*cells, frame, text(x, y - 8, name, look='font-weight="600"'), shape]


def arrow(x: float, y: float, to_x: float, to_y: float) -> list[str]:
    """A curve from one matrix to the next, with a tip."""
    half, end = (x + to_x) / 2, to_x - 8
    return [
        f'<path d="M{x:g} {y:g}C{half:g} {y:g} {half:g} {to_y:g} {end:g} {to_y:g}" '
        f'fill="none" stroke="{INK}" stroke-width="1.8"/>',
        f'<path d="M{to_x:g} {to_y:g}l-10 -5v10z" fill="{INK}"/>',
    ]


def step(x: float, number: int, words: str) -> list[str]:
    """A numbered circle above the drawing and, at its right, what the step does."""
    middle = 'text-anchor="middle" fill="#FFFFFF"'
    return [
        f'<circle cx="{x:g}" cy="24" r="11" fill="{INK}"/>',
        text(x, 29, str(number), look=middle),
        text(x + 17, 29, words),
    ]


def lane(h: int, top: float) -> tuple[list[str], Matrix]:
    """One head: queries, keys and values, weights, and what it hands over."""
    projected = dict(zip("QKV", (X @ W[kind, h] for kind in range(3)), strict=True))
    head, weights = reference.scaled_dot_product_attention(*projected.values())
    low, centre = str(h + 1), top + T * CELL / 2
    parts = arrow(
        LEFT["X"] + D * CELL + 6, MIDDLE + T * CELL / 2, LEFT["Q"] - 6, centre
    )
    for name, matrix in projected.items():
        parts += block(LEFT[name], top, matrix, PALETTES[name], sub(name, low))
    parts += arrow(LEFT["V"] + D_K * CELL + 6, centre, LEFT["A"] - 6, centre)
    parts += block(LEFT["A"], top, weights, "weights", "weights")
    parts += block(LEFT["head"], top, head, "output", sub("head", low))
    parts += arrow(
        LEFT["head"] + D_K * CELL + 6, centre, LEFT["joined"] - 6, MIDDLE + T * CELL / 2
    )
    return parts, head


def drawing() -> str:
    """The whole figure."""
    lanes = [lane(h, top) for h, top in enumerate(LANES)]
    joined = np.concatenate([head for _, head in lanes], axis=1)
    centre, cut = MIDDLE + T * CELL / 2, LEFT["joined"] + D_K * CELL
    ends = f'text-anchor="end" fill="{QUIET}"'
    body = [
        *block(LEFT["X"], MIDDLE, X, "", "X"),
        *(
            text(LEFT["X"] - 6, MIDDLE + (r + 0.85) * CELL, word, size=13, look=ends)
            for r, word in enumerate(WORDS)
        ),
        *(line for parts, _ in lanes for line in parts),
        *block(LEFT["joined"], MIDDLE, joined, "output", "side by side"),
        f'<path d="M{cut} {MIDDLE - 4}v{T * CELL + 8}" stroke="{INK}" '
        'stroke-width="2" stroke-dasharray="4 3"/>',
        *arrow(LEFT["joined"] + D * CELL + 6, centre, LEFT["Z"] - 6, centre),
        *block(LEFT["Z"], MIDDLE, joined @ W_O, "output", "Z"),
        *step(190, 1, "project, in each head"),
        *step(455, 2, "attend, in each head"),
        *step(690, 3, "join"),
        *step(840, 4, "mix: × W" + '<tspan dy="-5" font-size="10">O</tspan>'),
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH}" height="{HEIGHT}" role="img" aria-labelledby="t d" '
            f'fill="{INK}" '
            'font-family="system-ui, -apple-system, Segoe UI, Roboto, sans-serif">',
            '<title id="t">Multi-head attention with two heads</title>',
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
    (folder / f"{here.stem}.svg").write_text(drawing(), encoding="utf-8")

"""Draw the tensors on the way through the model, each with its shape and code.

The sizes are small: B = 2 sentences of T = 5 tokens, D = 8, H = 2, V = 10.

Run it from anywhere: python figures/tensor_shapes.py [folder]
"""

import drawing as d
import numpy as np

from explorable import plots

WORDS = ["Ajish", "works", "as", "an", "AI"]
CELL, SHEET = 13, 7  # pixels of a number, and by how much the second sentence peeps out
T, D, H, D_K, V = 5, 8, 2, 4, 10
TALL = T * CELL
HEIGHT = 516

DESCRIPTION = (
    "Two sentences of five tokens go through the model. The ids have the shape (B, T). "
    "Embedding and positions make x, (B, T, D). Projected and cut into heads it is q, "
    "k and v, each (B, H, T, d_k). Softmax of the scores gives the weights, (B, H, T, "
    "S), where S = T in self-attention. Weights times v are the heads, (B, H, T, d_k). "
    "Joined and mixed by W_O they are (B, T, D) again, as x was. After N blocks the "
    "linear layer named output gives the logits, (B, T, V)."
)
SHADES = np.random.default_rng(3).uniform(0.1, 0.9, size=(2 * T, V))


def sheets(x: float, y: float, columns: int, palette: str, head: int) -> str:
    """Rows of one sentence, and behind them those of the second."""
    w, hue = columns * CELL, plots.HUES.get(palette, d.INK)
    behind = d.box(x + SHEET, y - SHEET, w, TALL, fill="#FFFFFF", stroke=hue, round_=0)
    front = d.grid(
        x, y, SHADES[head * T : head * T + T, :columns], palette, (CELL, CELL)
    )
    return behind + front + d.box(x, y, w, TALL, stroke=hue, round_=0)


def tensor(
    x: float, y: float, columns: int, palette: str, name: str, *, heads: int = 1
) -> str:
    """A matrix for each sentence, one below the other for each head; its name above."""
    tops = [y + h * (TALL + 2 * SHEET) for h in range(heads)]
    matrices = (sheets(x, top, columns, palette, h) for h, top in enumerate(tops))
    return d.text(x, y - 16, name, bold=True, code=True) + "".join(matrices)


def shape(x: float, y: float, *letters: str) -> str:
    *first, last = letters
    end = d.sub("d", "k", ")") if last == "d_k" else f"{last})"
    return d.text(x, y, f"({', '.join([*first, end])}", size=14)


def by(x: float, y: float, to_x: float, *lines: str) -> str:
    """An arrow, and above it the code that makes one tensor of another."""
    half, first = (x + to_x) / 2, y - 10 - 17 * (len(lines) - 1)
    look = {"size": d.SMALL, "anchor": "middle", "code": True}
    said = (
        d.text(half, first + 17 * n, words, **look) for n, words in enumerate(lines)
    )
    return d.arrow((x, y), (to_x, y)) + "".join(said)


def to_heads(y: float) -> list[str]:
    """From ids to queries, keys and values."""
    middle, top, low = y + 72, y + 39, y + 124
    look = {"size": d.SMALL, "fill": d.QUIET, "anchor": "end"}
    return [
        *(d.text(72, top + 11 + CELL * r, w, **look) for r, w in enumerate(WORDS)),
        tensor(78, top, 1, "", "ids"),
        shape(78, low, "B", "T"),
        by(112, middle, 292, "embedding(ids)", "+ positions"),
        tensor(304, top, D, "", "x"),
        shape(304, low, "B", "T", "D"),
        by(430, middle, 590, "W_Q, W_K, W_V", "then _split"),
        tensor(602, y, D_K, "query", "q", heads=H),
        tensor(690, y, D_K, "key", "k", heads=H),
        tensor(778, y, D_K, "value", "v", heads=H),
        shape(602, y + 164, "B", "H", "T", "d_k"),
        d.text(716, y + 164, "each", size=14, fill=d.QUIET),
    ]


def to_logits(y: float) -> list[str]:
    """From the weights to a score for every word."""
    middle, top, low = y + 72, y + 39, y + 124
    return [
        by(48, middle, 196, "softmax of", "scores of q, k"),
        tensor(208, y, T, "weights", "weights", heads=H),
        shape(208, y + 164, "B", "H", "T", "S"),
        by(290, middle, 360, "@ v"),
        tensor(372, y, D_K, "output", "heads", heads=H),
        shape(372, y + 164, "B", "H", "T", "d_k"),
        by(440, middle, 520, "join", "W_O"),
        tensor(532, top, D, "output", "x"),
        shape(532, low, "B", "T", "D"),
        by(654, middle, 736, "N blocks,", "output"),
        tensor(748, top, V, "", "logits"),
        shape(748, low, "B", "T", "V"),
    ]


if __name__ == "__main__":
    turn = (845, 142), (872, 142), (872, 272), (34, 272), (34, 404), (60, 404)
    sizes = "B = 2 sentences · T = 5 tokens · D = 8 features · H = 2 heads of " + d.sub(
        "d", "k", " = 4 · V = 10 words"
    )
    parts = [
        d.text(24, 30, sizes, size=14, fill=d.QUIET),
        d.line(*turn),
        *to_heads(70),
        *to_logits(332),
    ]
    title = "The shapes of the tensors on the way through the model"
    d.save(__file__, d.figure(title, DESCRIPTION, HEIGHT, parts))

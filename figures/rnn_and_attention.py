"""Draw how far "cat" lies from "it": in a recurrent network, and in attention.

Run it from anywhere: python figures/rnn_and_attention.py [folder]
"""

import drawing as d

from explorable import plots

WORDS = ["The", "cat", "sat", "on", "the", "mat,", "and", "it", "was", "happy"]
CAT, IT = 1, 7
LEFT, PITCH, BOX, COUNTS = 54, 64, (44, 32), 692
HEIGHT = 440
HANDED = plots.HUES["value"]  # what "cat" hands over to "it"

DESCRIPTION = (
    "The sentence: The cat sat on the mat, and it was happy. Above, a recurrent "
    "network: ten states in a chain, each computed from the one before it, numbered 1 "
    "to 10; what the network keeps of cat passes through six steps to reach it. "
    "Below, attention: ten outputs, all numbered 1, because one step computes them "
    "all; lines run from all ten words to the output of it, and the line from cat is "
    "one step long. The price is 10 by 10 scores."
)


def centre(column: int) -> float:
    return LEFT + column * PITCH


def row(y: float, letter: str, hue: str, steps: list[int]) -> str:
    """Draw a vector for each word, and above it the step that computes it."""
    w, h = BOX
    parts = []
    for column, number in enumerate(steps):
        x, words = centre(column), d.sub(letter, str(column + 1))
        parts += [
            d.block(x - w / 2, y, w, h, words, hue),
            d.badge(x, y - 19, f"{number}"),
        ]
    return "\n".join(parts)


def words(y: float) -> str:
    marked = (CAT, IT)
    return "\n".join(
        d.text(centre(column), y, word, anchor="middle", bold=column in marked)
        for column, word in enumerate(WORDS)
    )


def count(y: float, number: str, *lines: str) -> str:
    """A large number and, at its right, what it counts."""
    said = [d.text(COUNTS + 70, y - 9 + 18 * n, line) for n, line in enumerate(lines)]
    return d.text(COUNTS + 58, y, number, size=28, anchor="end") + "".join(said)


def recurrent(y: float) -> list[str]:
    """A chain: word t and state t − 1 make state t."""
    middle, foot, half = y + BOX[1] / 2, y + BOX[1], BOX[0] / 2
    parts = [d.text(32, y - 48, "A recurrent network: one word at a time", bold=True)]
    for column in range(len(WORDS)):
        x, on_path = centre(column), CAT <= column < IT
        look = {"hue": HANDED, "width": 4} if column == CAT else {}
        parts.append(d.arrow((x, foot + 28), (x, foot + 2), **look))
        if column + 1 < len(WORDS):
            look = {"hue": HANDED, "width": 4} if on_path else {}
            ends = (x + half + 1, middle), (x + PITCH - half - 1, middle)
            parts.append(d.arrow(*ends, **look))
    return [
        *parts,
        row(y, "h", "", list(range(1, len(WORDS) + 1))),
        words(foot + 46),
        count(y + 6, "10", "sequential", "steps"),
        count(y + 60, "6", "steps from", "“cat” to “it”"),
    ]


def attention(y: float) -> list[str]:
    """All words at once: each output is made from all of them."""
    foot, low, x = y + BOX[1], y + BOX[1] + 74, centre(IT)
    parts = [d.text(32, y - 48, "Attention: all words in one step", bold=True)]
    for column in range(len(WORDS)):
        hue, width = (HANDED, 4) if column == CAT else ("#9A9A9A", 1.2)
        ends = f'x1="{centre(column):g}" y1="{low:g}" x2="{x:g}" y2="{foot + 8:g}"'
        parts.append(f'<line {ends} stroke="{hue}" stroke-width="{width}"/>')
    return [
        *parts,
        d.tip(x, foot + 1, 0, -1, HANDED),
        row(y, "z", "output", [1] * len(WORDS)),
        words(low + 18),
        count(y + 6, "1", "step for", "all words"),
        count(y + 60, "1", "step from", "“cat” to “it”"),
        count(y + 114, "100", "scores, n × n:", "the price"),
    ]


if __name__ == "__main__":
    parts = [
        *recurrent(88),
        f'<path d="M24 206H876" stroke="{d.LINE}"/>',
        *attention(284),
    ]
    title = "From “cat” to “it”: six steps in a recurrent network, one in attention"
    d.save(__file__, d.figure(title, DESCRIPTION, HEIGHT, parts))

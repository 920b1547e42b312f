"""Draw the whole model with the shape of what passes from part to part.

The sentence is that of notebook 11, and so are the sizes of its small model.

Run it from anywhere: python figures/whole_model.py [folder]
"""

import drawing as d

from explorable import plots

HEIGHT = 756
ENCODER, DECODER, WIDE = 232, 636, 220  # the middle of each stack, its blocks' width
OVER = 462  # x: where the memory goes up, over and down
Q, K, V = (plots.HUES[role] for role in ("query", "key", "value"))

DESCRIPTION = (
    "From the bottom up. Left, the encoder reads Ajish works as an AI: ids (B, S) "
    "become vectors (B, S, D) by the embedding times the square root of d_model, plus "
    "positions. N blocks follow, each with self-attention, weights (B, H, S, S), Add "
    "and Norm, feed-forward, hidden (B, S, d_ff), Add and Norm. What leaves is the "
    "memory, (B, S, D). Right, the decoder reads start, Ajish works as an AI: ids "
    "(B, T), vectors (B, T, D). N blocks follow, each with masked self-attention, "
    "weights (B, H, T, T); cross-attention, weights (B, H, T, S), whose keys and "
    "values come from the memory; and feed-forward, hidden (B, T, d_ff); "
    "after each, Add and Norm. The output layer gives logits (B, T, V), and softmax "
    "probabilities, whose last row is about the next word, Engineer. A panel explains "
    "the letters."
)
LETTERS = (
    ("B", "sentences in the batch", "1"),
    ("S", "tokens of the source", "5"),
    ("T", "tokens of the target so far", "6"),
    ("D", d.sub("numbers in a vector, d", "model"), "32"),
    ("H", "heads", "4"),
    ("V", "words in the vocabulary", "32"),
)


def part(
    x: float, y: float, h: float, name: str, shape: str = "", hue: str = ""
) -> str:
    """A block around the middle x; below its name, the shape of what it computes."""
    frame = d.block(x - WIDE / 2, y, WIDE, h, "", hue)
    first = y + h / 2 + (-4 if shape else 5)
    said = d.text(x, first, name, anchor="middle")
    below = d.text(x, first + 19, shape, size=14, fill=d.QUIET, anchor="middle")
    return frame + said + (below if shape else "")


def shape(x: float, y: float, words: str, anchor: str = "start") -> str:
    return d.text(x, y, words, size=14, fill=d.QUIET, anchor=anchor)


def past(x: float, foot: float, to_y: float, side: int) -> str:
    """The residual connection around a sub-layer, into Add & Norm."""
    far, near = x + side * (WIDE / 2 + 15), x + side * (WIDE / 2 + 1)
    return d.arrow((x, foot), (far, foot), (far, to_y), (near, to_y)) + d.dot(x, foot)


def inputs(x: float, side: int, words: str, n: str) -> list[str]:
    """From token ids to vectors with positions, and their query, key and value."""
    far = x + side * 142
    return [
        d.text(x, 738, words, anchor="middle", bold=True),
        d.arrow((x, 722), (x, 705)),
        shape(x - side * 14, 719, f"ids (B, {n})", ENDS[side]),
        part(x, 668, 36, d.sub("embedding × √d", "model")),
        d.arrow((x, 668), (x, 645)),
        d.plus(x, 632),
        d.arrow((far - side * 44, 632), (x + side * 13, 632)),
        d.block(far - 44, 616, 88, 32, "positions", "position"),
        shape(x - side * 18, 637, f"(B, {n}, D)", ENDS[side]),
        d.line((x, 620), (x, 574)),
        past(x, 590, 476, side),
        *(
            d.arrow((x, 574), (x + dx, 574), (x + dx, 555), hue=hue)
            for dx, hue in ((-60, Q), (60, V))
        ),
        d.arrow((x, 574), (x, 555), hue=K),
    ]


ENDS = {-1: "start", 1: "end"}  # how text ends that stands at the inner side


def stack(x: float, top: float, side: int, name: str) -> list[str]:
    """The frame of what is stacked N times."""
    at, anchor = x + side * (WIDE / 2 + 42), {-1: "end", 1: "start"}[side]
    return [
        d.box(x - WIDE / 2 - 29, top, WIDE + 58, 606 - top, stroke=d.QUIET, round_=12),
        d.text(at, 402, name, anchor=anchor, bold=True),
        d.text(at, 426, "N ×", size=18, anchor=anchor),
    ]


def norm(x: float, y: float) -> str:
    return part(x, y, 32, "Add &amp; Norm")


def feed_forward(x: float, y: float, n: str) -> str:
    return part(x, y, 46, "feed-forward", d.sub(f"hidden (B, {n}, d", "ff", ")"))


def encoder() -> list[str]:
    x = ENCODER
    return [
        *stack(x, 306, -1, "encoder"),
        *inputs(x, -1, "Ajish works as an AI", "S"),
        part(x, 508, 46, "self-attention", "weights (B, H, S, S)", "weights"),
        d.arrow((x, 508), (x, 493)),
        norm(x, 460),
        d.arrow((x, 460), (x, 419)),
        past(x, 444, 340, -1),
        feed_forward(x, 372, "S"),
        d.arrow((x, 372), (x, 357)),
        norm(x, 324),
        d.line((x, 324), (x, 286), (OVER, 286), (OVER, 402)),
        shape(x + 18, 279, "memory (B, S, D)"),
    ]


def decoder() -> list[str]:
    x, left = DECODER, DECODER - WIDE / 2
    return [
        *stack(x, 176, 1, "decoder"),
        *inputs(x, 1, "⟨SOS⟩ Ajish works as an AI", "T"),
        part(x, 508, 46, "masked self-attention", "weights (B, H, T, T)", "weights"),
        d.arrow((x, 508), (x, 493)),
        norm(x, 460),
        d.line((x, 460), (x, 444)),
        d.arrow((x, 444), (x, 419), hue=Q),
        past(x, 444, 340, 1),
        part(x, 372, 46, "cross-attention", "weights (B, H, T, S)", "weights"),
        d.arrow((OVER, 384), (left - 1, 384), hue=K),
        d.arrow((OVER, 404), (left - 1, 404), hue=V),
        d.arrow((x, 372), (x, 357)),
        norm(x, 324),
        d.arrow((x, 324), (x, 289)),
        past(x, 308, 210, 1),
        feed_forward(x, 242, "T"),
        d.arrow((x, 242), (x, 227)),
        norm(x, 194),
        d.arrow((x, 194), (x, 157)),
        shape(x + 14, 170, "(B, T, D)"),
        part(x, 122, 34, "output layer"),
        d.arrow((x, 122), (x, 95)),
        shape(x + 14, 113, "logits (B, T, V)"),
        part(x, 60, 34, "softmax", "", "weights"),
        d.arrow((x, 60), (x, 42)),
        d.text(x, 32, "Ajish works as an AI Engineer", anchor="middle", bold=True),
        shape(x + 134, 32, "next words"),
    ]


def letters() -> list[str]:
    """What each letter of a shape counts, and how many there are in this model."""
    tint = plots.shade("weights", 1)[0]
    lines = [d.box(30, 22, 366, 208, fill=tint, stroke=plots.HUES["weights"])]
    lines += [d.text(46, 50, "Letters of the shapes", bold=True)]
    lines += [shape(380, 50, "here", "end")]
    for row, (letter, what, count) in enumerate(LETTERS):
        y = 80 + 27 * row
        lines += [d.text(46, y, letter, bold=True), d.text(72, y, what)]
        lines += [d.text(380, y, count, anchor="end")]
    return lines


if __name__ == "__main__":
    title = "The whole Transformer, with the shape of every tensor between its parts"
    drawn = [*encoder(), *decoder(), *letters()]
    d.save(__file__, d.figure(title, DESCRIPTION, HEIGHT, drawn))

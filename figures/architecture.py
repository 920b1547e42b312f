"""Draw the whole model of 2017: an encoder that reads, a decoder that writes.

The parts of architecture.svg stand alone in architecture/, cut along straight lines, so
that a page can make each a link to its notebook, whose number stands in a disc.

Run it from anywhere: python figures/architecture.py [folder]
"""

import drawing as d

from explorable import plots

HEIGHT, CUT = 732, 450  # the left parts end at x = CUT
SIDE = 81  # outside of the stacks: their names
ENCODER, DECODER, WIDE = (
    235,
    650,
    232,
)  # the middle of each, and how wide its blocks are
Q, K, V = (plots.HUES[role] for role in ("query", "key", "value"))

DESCRIPTION = (
    "From the bottom up. Left, the encoder reads I love AI: embedding times the square "
    "root of d_model, plus positions, then N blocks of multi-head self-attention, Add "
    "and Norm, feed-forward, Add and Norm. What leaves is the memory. Right, the "
    "decoder has read start, J'aime, l'IA: embedding and positions, then N blocks of "
    "masked self-attention, cross-attention, whose keys and values come from the "
    "memory, and feed-forward, each followed by Add and Norm. A linear layer and a "
    "softmax give the next word at each place: J'aime, l'IA, end. Sub-layers have a "
    "way past them into Add and Norm. A panel says what is inside every attention: "
    "queries, keys and values; scores and weights; several heads. Discs hold the "
    "numbers of the notebooks."
)
#: What each part shows: its file, its notebook or none, x, y, width and height.
PARTS = {
    "why": ("why attention", "01", 0, 0, CUT, 100),
    "softmax": ("decoder's end: softmax gives the next word", "11", CUT, 0, 450, 100),
    "projections": ("attention: query, key and value", "04", 0, 100, CUT, 60),
    "linear": ("decoder's end: linear layer", "11", CUT, 100, 450, 60),
    "scores": ("attention: scores, softmax, weights", "05", 0, 160, CUT, 68),
    "decoder_norm": ("decoder: the third Add & Norm", "08", CUT, 160, 450, 68),
    "heads": ("attention: several heads side by side", "07", 0, 228, CUT, 70),
    "decoder_feed_forward": ("decoder: feed-forward", "08", CUT, 228, 450, 70),
    "norms": ("Add & Norm in encoder and decoder", "08", 0, 298, 900, 54),
    "encoder": ("the encoder, N blocks", "09", 0, 352, SIDE, 80),
    "encoder_feed_forward": ("encoder: feed-forward", "08", SIDE, 352, 369, 80),
    "cross_attention": ("decoder: cross-attention", "10", CUT, 352, 369, 80),
    "decoder": ("the decoder, N blocks", "10", 900 - SIDE, 352, SIDE, 80),
    "first_norms": ("the first Add & Norm, in both", "08", 0, 432, 900, 54),
    "self_attention": ("encoder: multi-head self-attention", "07", 0, 486, CUT, 86),
    "masked": ("decoder: masked self-attention", "06", CUT, 486, 450, 86),
    "positions": ("positions, added in both", "03", 0, 572, 900, 60),
    "embedding": ("words and their embedding, in both", "02", 0, 632, 900, 100),
}


def part(
    x: float, y: float, h: float, words: str, number: str = "", hue: str = ""
) -> str:
    """A block around the middle x, with its notebook's number at its right."""
    left, room = x - WIDE / 2, WIDE - (34 if number else 0)
    frame = d.block(left, y, WIDE, h, "", hue)
    said = d.text(left + room / 2, y + h / 2 + 5, words, anchor="middle")
    disc = d.badge(x + WIDE / 2 - 18, y + h / 2, number) if number else ""
    return frame + said + disc


def past(x: float, foot: float, to_y: float, side: int) -> str:
    """The way past a sub-layer, at the outer side, into Add & Norm."""
    far, near = x + side * (WIDE / 2 + 16), x + side * (WIDE / 2 + 1)
    return d.arrow((x, foot), (far, foot), (far, to_y), (near, to_y)) + d.dot(x, foot)


def norm(x: float, y: float) -> str:
    return part(x, y, 32, "Add &amp; Norm", "08")


def fork(x: float) -> list[str]:
    """Query, key and value of self-attention, made of the same vectors."""
    sides = ((-60, Q), (60, V))
    return [
        d.line((x, 594), (x, 546)),
        *(d.arrow((x, 546), (x + dx, 546), (x + dx, 528), hue=h) for dx, h in sides),
        d.arrow((x, 546), (x, 528), hue=K),
    ]


def inputs(x: float, side: int, words: str, what: str) -> list[str]:
    """From words to vectors with positions: the same on both sides."""
    far = x + side * 134
    return [
        d.text(x, 716, words, anchor="middle", bold=True),
        d.text(x + side * 118, 716, what, size=14, fill=d.QUIET, anchor=ENDS[side]),
        d.arrow((x, 700), (x, 682)),
        part(x, 644, 36, d.sub("embedding × √d", "model"), "02"),
        d.arrow((x, 644), (x, 619)),
        d.plus(x, 606),
        d.arrow((far - side * 52, 606), (x + side * 13, 606)),
        d.block(far - 60, 590, 120, 32, "", "position"),
        d.text(far - 16, 611, "positions", anchor="middle"),
        d.badge(far + 42, 606, "03"),
        *fork(x),
    ]


ENDS = {-1: "end", 1: "start"}


def stack(x: float, top: float, side: int, name: str, number: str) -> list[str]:
    """The frame of what is stacked N times, with its notebook's number."""
    at = x + side * (WIDE / 2 + 42)
    return [
        d.box(x - WIDE / 2 - 30, top, WIDE + 60, 580 - top, stroke=d.QUIET, round_=12),
        d.badge(at + side * 12, 370, number),
        d.text(at, 402, name, anchor=ENDS[side], bold=True),
        d.text(at, 426, "N ×", size=18, anchor=ENDS[side]),
    ]


def encoder() -> list[str]:
    x = ENCODER
    return [
        *stack(x, 292, -1, "encoder", "09"),
        *inputs(x, -1, "I love AI", "read at once"),
        past(x, 562, 458, -1),
        part(x, 490, 36, "multi-head self-attention", "07", "weights"),
        d.arrow((x, 490), (x, 476)),
        norm(x, 442),
        d.arrow((x, 442), (x, 400)),
        past(x, 428, 326, -1),
        part(x, 362, 36, "feed-forward", "08"),
        d.arrow((x, 362), (x, 344)),
        norm(x, 310),
        d.line((x, 310), (x, 278), (474, 278), (474, 388)),
        d.text(446, 300, "memory", anchor="end", size=14),
    ]


def decoder() -> list[str]:
    x, left = DECODER, DECODER - WIDE / 2
    return [
        *stack(x, 168, 1, "decoder", "10"),
        *inputs(x, 1, "⟨start⟩ J'aime l'IA", "shifted right"),
        past(x, 562, 458, 1),
        part(x, 490, 36, "masked self-attention", "06", "weights"),
        d.arrow((x, 490), (x, 476)),
        norm(x, 442),
        d.line((x, 442), (x, 428)),
        d.arrow((x, 428), (x, 400), hue=Q),
        past(x, 428, 326, 1),
        part(x, 362, 36, "cross-attention", "10", "weights"),
        d.arrow((474, 371), (left - 1, 371), hue=K),
        d.arrow((474, 389), (left - 1, 389), hue=V),
        d.arrow((x, 362), (x, 344)),
        norm(x, 310),
        d.arrow((x, 310), (x, 274)),
        past(x, 294, 198, 1),
        part(x, 236, 36, "feed-forward", "08"),
        d.arrow((x, 236), (x, 216)),
        norm(x, 182),
        d.arrow((x, 182), (x, 148)),
        part(x, 112, 34, "linear", "11"),
        d.arrow((x, 112), (x, 96)),
        part(x, 60, 34, "softmax", "11", "weights"),
        d.arrow((x, 60), (x, 42)),
        d.text(x, 31, "J'aime l'IA ⟨end⟩", anchor="middle", bold=True),
        d.text(x + 118, 31, "next words", size=14, fill=d.QUIET),
    ]


def inside() -> list[str]:
    """What every attention does, a line for each notebook."""
    chips = ((Q, "query", 84), (K, "key", 166), (V, "value", 226))
    said = ((82, "01", "why: one step from any word to any other"),)
    said += ((190, "05", "scores → softmax → weights → output"),)
    said += ((242, "07", "several heads, side by side"),)
    tint = plots.shade("weights", 1)[0]
    return [
        d.box(30, 22, 396, 244, fill=tint, stroke=plots.HUES["weights"]),
        d.text(46, 50, "Inside every attention", bold=True),
        *(d.badge(58, y, number) + d.text(80, y + 5, w) for y, number, w in said),
        d.badge(58, 136, "04"),
        *(d.box(x, 130, 12, 12, fill=h, stroke="none", round_=2) for h, _, x in chips),
        *(d.text(x + 17, 141, w) for _, w, x in chips),
        d.text(294, 141, "of each word"),
    ]


if __name__ == "__main__":
    discs = d.text(434, 716, "discs: notebooks", size=14, fill=d.QUIET, anchor="middle")
    drawn = [*encoder(), *decoder(), *inside(), discs]
    title = "The whole Transformer, from words to the next word"
    d.save(__file__, d.figure(title, DESCRIPTION, HEIGHT, drawn))
    for name, (what, _, *view) in PARTS.items():
        svg = d.figure(f"A part of the Transformer: {what}", what, HEIGHT, drawn, view)
        d.save(__file__, svg, f"architecture/{name}")

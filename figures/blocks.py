"""Draw the two blocks that are stacked: encoder_block.svg and decoder_block.svg.

Names are those of EncoderBlock and DecoderBlock; the norm comes after the sum.

Run it from anywhere: python figures/blocks.py [folder]
"""

import drawing as d

CENTRE, WIDE, PAST, SAID = 250, 220, 398, 452  # x: blocks, way past them, what is said
LAYER = 192  # from the foot of a sub-layer to the foot of the next
LEFT = CENTRE - WIDE / 2
SHAPE = "(B, T, D)"
LOOK = ("Look: every token gathers from", "every token of its own sentence")
LOOK_BACK = ("Look: every token gathers from itself", "and what was written before it")
LOOK_OVER = (
    "Look over: every token gathers from",
    "the sentence that the encoder read",
)
THINK = ("Think: each token by itself,", d.sub("D → d", "ff", " → D"))

ENCODER = (
    "An encoder block, from the bottom up. x, (B, T, D), goes to self_attention as "
    "query, key and value, and past it: in add_norm_1 both are added, then normalized. "
    "The result goes to feed_forward, and past it: add_norm_2 adds and normalizes "
    "again. What leaves has the shape that came in, so blocks are stacked N times."
)
DECODER = (
    "A decoder block, from the bottom up. x, (B, T, D), goes to self_attention under a "
    "causal mask, and past it to add_norm_1, which adds both and normalizes. Then "
    "cross_attention: the queries come from below, keys and values from the encoder's "
    "memory, (B, S, D); add_norm_2. Then feed_forward; add_norm_3. Each sub-layer has "
    "a way past it."
)


def self_attention(foot: float) -> list[str]:
    """Query, key and value are made of one x; a mask may hide some keys."""
    fork, top, middle = foot - 22, foot - 46, foot - 66
    parts = [d.line((CENTRE, foot), (CENTRE, fork))]
    for dx, hue, letter in ((-64, "query", "q"), (64, "value", "v"), (0, "key", "k")):
        ends = ((CENTRE, fork), (CENTRE + dx, fork), (CENTRE + dx, top))
        parts.append(d.arrow(*(ends if dx else ends[1:]), hue=d.plots.HUES[hue]))
        parts.append(d.text(CENTRE + dx + 9, top + 19, letter, size=14))
    mask = d.arrow((84, middle), (LEFT - 2, middle), hue=d.QUIET)
    return [*parts, mask, d.text(34, middle + 5, "mask", code=True, size=14)]


def cross_attention(foot: float) -> list[str]:
    """The query comes from below, key and value from the memory."""
    query = d.arrow((CENTRE, foot), (CENTRE, foot - 46), hue=d.plots.HUES["query"])
    parts = [query, d.text(CENTRE + 9, foot - 27, "q", size=14)]
    for y, hue, letter in ((foot - 76, "key", "k"), (foot - 56, "value", "v")):
        parts.append(d.arrow((96, y), (LEFT - 2, y), hue=d.plots.HUES[hue]))
        parts.append(d.text(119, y - 5, letter, size=14))
    memory = d.text(24, foot - 68, "memory", code=True, size=14)
    return [*parts, memory, d.text(24, foot - 49, "(B, S, D)", size=14, fill=d.QUIET)]


def feed_forward(foot: float) -> list[str]:
    return [d.arrow((CENTRE, foot), (CENTRE, foot - 46))]


WAYS = {f.__name__: f for f in (self_attention, cross_attention, feed_forward)}


def sub_layer(foot: float, number: int, kind: str, lines: tuple[str, str]) -> list[str]:
    """A sub-layer and what surrounds it: the way past, the sum, the norm."""
    add = foot - 112
    hue, call = ("", "x") if kind == "feed_forward" else ("weights", "x, x, mask")
    call = "x, memory, memory_mask" if kind == "cross_attention" else call
    code = {"code": True, "size": 14}
    return [
        d.box(LEFT - 14, add - 66, WIDE + 28, 86, fill="#F4F4F4", stroke="none"),
        d.line((CENTRE, foot + 16), (CENTRE, foot)),
        d.arrow((CENTRE, foot), (PAST, foot), (PAST, add), (CENTRE + 12, add)),
        d.dot(CENTRE, foot),
        *WAYS[kind](foot),
        d.block(LEFT, foot - 86, WIDE, 40, kind, hue, **code),
        d.line((CENTRE, foot - 86), (CENTRE, add)),
        d.plus(CENTRE, add),
        d.text(LEFT - 6, add + 5, f"add_norm_{number}", **code),
        d.arrow((CENTRE, add - 12), (CENTRE, add - 26)),
        d.block(LEFT, add - 58, WIDE, 32, "norm", **code),
        d.line((CENTRE, add - 58), (CENTRE, add - 80)),
        d.step(SAID, foot - 76, 2 * number - 1, lines),
        d.text(
            SAID + 18, foot - 35, f"{kind}({call})", size=14, fill=d.QUIET, code=True
        ),
        d.step(SAID, add - 34, 2 * number, ["Add what it found to x, then normalize"]),
        d.text(SAID + 18, add - 10, "norm(x + f(x))", size=14, fill=d.QUIET, code=True),
    ]


def block(
    title: str, description: str, kind: str, layers: list[tuple[str, tuple[str, str]]]
) -> str:
    """The whole figure: x comes in below and leaves at the top in the same shape."""
    height = 104 + LAYER * len(layers)
    parts: list[str] = []
    for n, (name, lines) in enumerate(layers):
        parts += sub_layer(height - 64 - LAYER * n, n + 1, name, lines)
    whole = [
        d.box(112, 44, 304, height - 92, stroke=d.QUIET, round_=12),
        d.line((CENTRE, height - 14), (CENTRE, height - 64)),
        *parts,
        d.arrow((CENTRE, 62), (CENTRE, 16)),
        *(d.text(CENTRE + 14, y, f"x  {SHAPE}", size=14) for y in (height - 22, 30)),
        d.text(SAID - 12, 34, kind, bold=True, code=True),
        d.text(SAID + 112, 34, "stacked N times · post-norm", size=14, fill=d.QUIET),
    ]
    return d.figure(title, description, height, whole)


if __name__ == "__main__":
    first, last = ("self_attention", LOOK), ("feed_forward", THINK)
    svg = block(
        "The encoder block and its code", ENCODER, "EncoderBlock", [first, last]
    )
    d.save(__file__, svg, "encoder_block")
    layers = [("self_attention", LOOK_BACK), ("cross_attention", LOOK_OVER), last]
    svg = block("The decoder block and its code", DECODER, "DecoderBlock", layers)
    d.save(__file__, svg, "decoder_block")

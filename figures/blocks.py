"""Draw the two blocks that are stacked: encoder_block.svg and decoder_block.svg.

Names are those of EncoderBlock and DecoderBlock; the norm comes after the sum.

Run it from anywhere: python figures/blocks.py [folder]
"""

import drawing as d

CENTRE, WIDE, PAST, NOTE = 250, 220, 398, 452  # x: blocks, residual lines, notes
LAYER = 192  # from the foot of a sub-layer to the foot of the next
LEFT = CENTRE - WIDE / 2
SHAPE = "(B, T, D)"
SELF = ("Self-attention: every token attends", "to every token of its own sequence")
MASKED = ("Masked self-attention: every token", "attends to itself and earlier tokens")
CROSS = ("Cross-attention: every token attends", "to every token of the source")
FFN = ("Feed-forward network: each token", d.sub("by itself, D → d", "ff", " → D"))
ADD = ["Add the result f(x) to x, then normalize"]

ENCODER = (
    "An encoder block, from the bottom up. x, (B, T, D), goes to self_attention as "
    "query, key and value, and along a residual connection to add_norm_1, where the "
    "two are added and normalized. The result goes to feed_forward, and along a second "
    "residual connection to add_norm_2, which adds and normalizes again. The output "
    "has the shape of the input, so N blocks can be stacked."
)
DECODER = (
    "A decoder block, from the bottom up. x, (B, T, D), goes to self_attention, which "
    "has a causal mask, and along a residual connection to add_norm_1, where the two "
    "are added and normalized. Next comes cross_attention: the queries come from the "
    "decoder, keys and values from the encoder's memory, (B, S, D); add_norm_2 "
    "follows. Last come feed_forward and add_norm_3. Each sub-layer has a residual "
    "connection around it."
)


def self_attention(foot: float) -> list[str]:
    """Draw query, key and value, all computed from x, and the mask."""
    fork, top, middle = foot - 22, foot - 46, foot - 66
    parts = [d.line((CENTRE, foot), (CENTRE, fork))]
    for dx, hue, letter in ((-64, "query", "q"), (64, "value", "v"), (0, "key", "k")):
        ends = ((CENTRE, fork), (CENTRE + dx, fork), (CENTRE + dx, top))
        parts.append(d.arrow(*(ends if dx else ends[1:]), hue=d.plots.HUES[hue]))
        parts.append(d.text(CENTRE + dx + 9, top + 19, letter, size=14))
    mask = d.arrow((84, middle), (LEFT - 2, middle), hue=d.QUIET)
    return [*parts, mask, d.text(34, middle + 5, "mask", code=True, size=14)]


def cross_attention(foot: float) -> list[str]:
    """Draw the query, which comes from below, and key and value, from the memory."""
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
    """Draw a sub-layer with its residual connection, its sum and its norm."""
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
        d.step(NOTE, foot - 76, 2 * number - 1, lines),
        d.text(
            NOTE + 18, foot - 35, f"{kind}({call})", size=14, fill=d.QUIET, code=True
        ),
        d.step(NOTE, add - 34, 2 * number, ADD),
        d.text(NOTE + 18, add - 10, "norm(x + f(x))", size=14, fill=d.QUIET, code=True),
    ]


def block(
    title: str, description: str, kind: str, layers: list[tuple[str, tuple[str, str]]]
) -> str:
    """Draw the whole figure: x enters at the bottom and leaves at the top."""
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
        d.text(NOTE - 12, 34, kind, bold=True, code=True),
        d.text(NOTE + 112, 34, "stacked N times · post-norm", size=14, fill=d.QUIET),
    ]
    return d.figure(title, description, height, whole)


if __name__ == "__main__":
    first, last = ("self_attention", SELF), ("feed_forward", FFN)
    svg = block(
        "The encoder block and its code", ENCODER, "EncoderBlock", [first, last]
    )
    d.save(__file__, svg, "encoder_block")
    layers = [("self_attention", MASKED), ("cross_attention", CROSS), last]
    svg = block("The decoder block and its code", DECODER, "DecoderBlock", layers)
    d.save(__file__, svg, "decoder_block")

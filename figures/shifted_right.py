"""Draw a decoder's input and its target in training: shifted_right.svg.

The sentence is one of 00's model; the input is the target, shifted to the right.

Run it from anywhere: python figures/shifted_right.py [folder]
"""

import drawing as d

from explorable import plots

TARGET = ["Ajish", "works", "as", "an", "AI", "Designer", "⟨EOS⟩"]
INPUT = ["⟨SOS⟩", *TARGET[:-1]]
SOURCE = "Ajish studied art and works as an AI"

HEIGHT, LEFT, STEP, WIDE, TALL = 372, 176, 100, 88, 34
ABOVE, MODEL, UNDER, BELOW = 62, 140, 232, 316  # the tops of the rows
FOLLOWED = 3  # the position whose visible inputs are framed
DESCRIPTION = (
    "Seven positions from left to right. Below, the decoder input: ⟨SOS⟩, Ajish, "
    "works, as, an, AI, Designer. Above, the target at the same positions: Ajish, "
    "works, as, an, AI, Designer, ⟨EOS⟩. Dashed arrows lead from each target to the "
    "next position below, where it is the input. The whole source, from the encoder, "
    "is available at every position. Position 4 is framed: its query may attend to "
    "⟨SOS⟩, Ajish, works and as, and its target is an; later inputs are hatched."
)


def word(n: int, y: float, text: str, hue: str, hidden: bool = False) -> str:
    """A word in its cell; hatched where position 4 may not look."""
    x = LEFT + n * STEP
    fill = "url(#hidden)" if hidden else plots.shade(hue, 2)[0] if hue else "#FFFFFF"
    cell = d.box(x, y, WIDE, TALL, fill=fill, stroke=plots.HUES.get(hue, d.QUIET))
    ink = d.QUIET if hidden else d.INK
    return cell + d.text(x + WIDE / 2, y + 22, text, anchor="middle", fill=ink)


def carried(n: int) -> str:
    """The path of a word from the target to the input at the next position."""
    x, to_x = LEFT + n * STEP + WIDE / 2, LEFT + (n + 1) * STEP + WIDE / 2
    return d.line(
        (x + 22, ABOVE + TALL + 2),
        (x + 22, MODEL - 12),
        (to_x - 26, MODEL - 12),
        (to_x - 26, MODEL - 2),
        hue=d.QUIET,
        width=1.3,
        dash="4 3",
    ) + d.arrow(
        (to_x - 26, MODEL + TALL + 16), (to_x - 26, UNDER), hue=d.QUIET, width=1.3
    )


def drawing() -> str:
    """The whole figure, from the bottom up."""
    right = LEFT + 6 * STEP + WIDE
    middle = [LEFT + n * STEP + WIDE / 2 for n in range(7)]
    parts = [
        d.text(
            24, 34, "Each target is the decoder input of the next position.", bold=True
        ),
        d.text(24, ABOVE + 22, "target"),
        d.text(24, UNDER + 22, "decoder input"),
        d.text(24, BELOW + 22, "source"),
        *(word(n, ABOVE, w, "output") for n, w in enumerate(TARGET)),
        *(word(n, UNDER, w, "query", n > FOLLOWED) for n, w in enumerate(INPUT)),
        *(d.arrow((x, UNDER), (x, MODEL + TALL + 16)) for x in middle),
        *(d.arrow((x, MODEL), (x, ABOVE + TALL)) for x in middle),
        *(carried(n) for n in range(6)),
        d.block(LEFT, MODEL, right - LEFT, TALL + 16, "decoder"),
        d.box(LEFT, BELOW, right - LEFT, TALL, stroke=plots.HUES["key"]),
        d.text(
            (LEFT + right) / 2,
            BELOW + 22,
            f"{SOURCE}: all of it, at every position",
            anchor="middle",
        ),
        d.arrow(
            (LEFT, BELOW + TALL / 2),
            (LEFT - 26, BELOW + TALL / 2),
            (LEFT - 26, MODEL + 25),
            (LEFT, MODEL + 25),
            hue=plots.HUES["key"],
        ),
        d.outline(LEFT - 6, UNDER - 6, 4 * STEP, TALL + 12),
        d.outline(LEFT + FOLLOWED * STEP - 5, ABOVE - 5, WIDE + 10, TALL + 10),
        d.text(
            LEFT,
            UNDER + TALL + 30,
            "frame: what position 4 may use; its target is “an”",
        ),
    ]
    return d.figure("The decoder's input and its target", DESCRIPTION, HEIGHT, parts)


if __name__ == "__main__":
    d.save(__file__, drawing())

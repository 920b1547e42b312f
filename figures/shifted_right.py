"""Draw what a decoder reads and what it has to say: shifted_right.svg.

The sentence is one of 00's model; each word is read one place after it was said.

Run it from anywhere: python figures/shifted_right.py [folder]
"""

import drawing as d

from explorable import plots

SAYS = ["Ajish", "works", "as", "an", "AI", "Designer", "⟨EOS⟩"]
READS = ["⟨SOS⟩", *SAYS[:-1]]
SOURCE = "Ajish studied art and works as an AI"

HEIGHT, LEFT, STEP, WIDE, TALL = 372, 176, 100, 88, 34
SAID, MODEL, READ, BELOW = 62, 140, 232, 316  # the tops of the rows
FOLLOWED = 3  # the place whose sight is drawn
DESCRIPTION = (
    "Seven places from left to right. Below, what the decoder reads: ⟨SOS⟩, Ajish, "
    "works, as, an, AI, Designer. Above, what it has to say at the same places: Ajish, "
    "works, as, an, AI, Designer, ⟨EOS⟩. Diagonal arrows lead from each word that is "
    "said to the next place below, where it is read. The source, which the encoder has "
    "read, is there for all places. Place 4 is framed: it reads ⟨SOS⟩, Ajish, works "
    "and as, and has to say an; the words to the right of it are hatched."
)


def word(n: int, y: float, said: str, hue: str, hidden: bool = False) -> str:
    """A word in its cell; hatched where place 4 may not look."""
    x = LEFT + n * STEP
    fill = "url(#hidden)" if hidden else plots.shade(hue, 2)[0] if hue else "#FFFFFF"
    cell = d.box(x, y, WIDE, TALL, fill=fill, stroke=plots.HUES.get(hue, d.QUIET))
    ink = d.QUIET if hidden else d.INK
    return cell + d.text(x + WIDE / 2, y + 22, said, anchor="middle", fill=ink)


def carried(n: int) -> str:
    """The way of a word from where it is said to where it is read next."""
    x, to_x = LEFT + n * STEP + WIDE / 2, LEFT + (n + 1) * STEP + WIDE / 2
    return d.line(
        (x + 22, SAID + TALL + 2),
        (x + 22, MODEL - 12),
        (to_x - 26, MODEL - 12),
        (to_x - 26, MODEL - 2),
        hue=d.QUIET,
        width=1.3,
        dash="4 3",
    ) + d.arrow(
        (to_x - 26, MODEL + TALL + 16), (to_x - 26, READ), hue=d.QUIET, width=1.3
    )


def drawing() -> str:
    """The whole figure, from the bottom up."""
    right = LEFT + 6 * STEP + WIDE
    middle = [LEFT + n * STEP + WIDE / 2 for n in range(7)]
    parts = [
        d.text(
            24, 34, "Each word is said at one place and read at the next.", bold=True
        ),
        d.text(24, SAID + 22, "has to say"),
        d.text(24, READ + 22, "reads"),
        d.text(24, BELOW + 22, "the source"),
        *(word(n, SAID, w, "output") for n, w in enumerate(SAYS)),
        *(word(n, READ, w, "query", n > FOLLOWED) for n, w in enumerate(READS)),
        *(d.arrow((x, READ), (x, MODEL + TALL + 16)) for x in middle),
        *(d.arrow((x, MODEL), (x, SAID + TALL)) for x in middle),
        *(carried(n) for n in range(6)),
        d.block(LEFT, MODEL, right - LEFT, TALL + 16, "decoder"),
        d.box(LEFT, BELOW, right - LEFT, TALL, stroke=plots.HUES["key"]),
        d.text(
            (LEFT + right) / 2,
            BELOW + 22,
            f"{SOURCE}: all of it, at every place",
            anchor="middle",
        ),
        d.arrow(
            (LEFT, BELOW + TALL / 2),
            (LEFT - 26, BELOW + TALL / 2),
            (LEFT - 26, MODEL + 25),
            (LEFT, MODEL + 25),
            hue=plots.HUES["key"],
        ),
        d.outline(LEFT - 6, READ - 6, 4 * STEP, TALL + 12),
        d.outline(LEFT + FOLLOWED * STEP - 5, SAID - 5, WIDE + 10, TALL + 10),
        d.text(LEFT, READ + TALL + 30, "framed: place 4 may look here, and says “an”"),
    ]
    return d.figure(
        "What the decoder reads, and what it says", DESCRIPTION, HEIGHT, parts
    )


if __name__ == "__main__":
    d.save(__file__, drawing())

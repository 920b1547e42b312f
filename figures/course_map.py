"""Draw the map of the course: nineteen notebooks in five rows, and what each one asks.

Run it from anywhere: python figures/course_map.py [folder]
"""

import drawing as d

WIDE, TALL, GAP = 203, 80, 15  # a notebook's box, and the room for an arrow
LEFT, TOP, ROW = 22, 46, 136  # of the first box; from row to row
HEIGHT = TOP + 4 * ROW + TALL + 22

DESCRIPTION = (
    "Nineteen boxes in five rows, joined by arrows in the order of their numbers. "
    "First row, 00 to 03, from words to vectors: start here, why attention, tokens "
    "and embeddings, word order. Second row, 04 to 07, attention: queries, keys, "
    "values, scaled dot-product attention, masks, multi-head attention. Third row, "
    "08 to 11, the whole model: Add and Norm and feed-forward, encoder, decoder, the "
    "full Transformer. Fourth row, 12 to 15, the model at work: training, "
    "generation, language models, vision and multimodal. Fifth row, 16 to 18, since "
    "2017: the block since 2017, fast and long, find the bug. Each box asks a "
    "question. If you have one hour, read the first half of 05; if you have an "
    "evening, read the first halves of 04 to 07."
)
#: A row's name, and the lines of each box: title, then question.
ROWS = {
    "From words to vectors": (
        ("Start here", ("Which words decide", "what comes next?")),
        ("Why attention", ("What was wrong with", "one word at a time?")),
        ("Tokens, embeddings", ("How does a word", "become numbers?")),
        ("Word order", ("How does a model know", "who comes first?")),
    ),
    "Attention": (
        ("Queries, keys, values", ("What does a word look", "for, offer, hand over?")),
        ("Dot-product attention", ("How are the weights", "computed?")),
        ("Masks", ("Who must not", "look at whom?")),
        ("Multi-head attention", ("Why several heads", "instead of one?")),
    ),
    "The whole model": (
        ("Add &amp; Norm, FFN", ("What keeps a deep", "stack alive?")),
        ("Encoder", ("How does a model", "read a sentence?")),
        ("Decoder", ("How does it learn to", "write without peeking?")),
        ("The full Transformer", ("Can you write", "the whole model?")),
    ),
    "The model at work": (
        ("Training", ("How can one number", "teach a whole model?")),
        ("Generation", ("Which of the likely", "words should it write?")),
        ("Language models", ("What makes a BERT,", "a GPT, a T5?")),
        ("Vision, multimodal", ("Does it work", "with pictures?")),
    ),
    "Since 2017": (
        ("The block since 2017", ("Which lines have", "changed, and why?")),
        ("Fast and long", ("Which shortcuts", "change the answer?")),
        ("Find the bug", ("The loss falls. Is", "the model right?")),
    ),
}
EVENING, HOUR = 1, (1, 1)  # a row, and a row with a column


def corner(row: int, column: int) -> tuple[float, float]:
    """The upper left corner of a box."""
    return LEFT + column * (WIDE + GAP), TOP + row * ROW


def notebook(row: int, column: int, title: str, question: tuple[str, ...]) -> list[str]:
    """A notebook's number, its title and its question."""
    x, y = corner(row, column)
    hue = "weights" if (row, column) == HOUR else ""
    lines = (
        d.text(x + 12, y + 47 + 19 * n, line, size=14, fill=d.QUIET)
        for n, line in enumerate(question)
    )
    return [
        d.block(x, y, WIDE, TALL, "", hue),
        d.badge(x + 20, y + 20, f"{4 * row + column:02}"),
        d.text(x + 37, y + 25, title, size=13, bold=True),
        *lines,
    ]


def onward(row: int, column: int) -> str:
    """The arrow to the next notebook, in this row or at the start of the next one."""
    x, y = corner(row, column)
    if column < 3:
        return d.arrow((x + WIDE, y + TALL / 2), (x + WIDE + GAP, y + TALL / 2))
    middle, below = x + WIDE / 2, y + TALL + 15
    first, top = corner(row + 1, 0)
    start = first + WIDE - 14
    return d.arrow((middle, y + TALL), (middle, below), (start, below), (start, top))


def drawing() -> str:
    x, y = corner(EVENING, 0)
    parts = [
        d.box(
            x - 9, y - 32, 875, TALL + 40, stroke=d.plots.HUES["weights"], dash="6 4"
        ),
        d.text(
            x + 857,
            y - 12,
            "one hour: the first half of 05 · an evening: the first halves of this row",
            size=14,
            anchor="end",
        ),
    ]
    for row, (name, boxes) in enumerate(ROWS.items()):
        parts.append(d.text(LEFT, TOP + row * ROW - 12, name, bold=True))
        for column, (title, question) in enumerate(boxes):
            parts += notebook(row, column, title, question)
            if (row, column) != (4, 2):
                parts.append(onward(row, column))
    return d.figure("The map of the course: its notebooks", DESCRIPTION, HEIGHT, parts)


if __name__ == "__main__":
    d.save(__file__, drawing())

"""Draw the end of the model: a vector becomes a probability for every word.

Run it from anywhere: python figures/logits_and_softmax.py [folder]
"""

import drawing as d
import numpy as np

from explorable import plots

READ = ["Ajish", "works", "as", "an", "AI"]
WORDS = ["Engineer", "Scientist", "Developer", "all others"]
LOGITS = np.array([4.00, 2.90, 2.21])
POWERS = np.array([54.6, 18.2, 9.1, 9.1])  # e to the logits; the last is a sum
SHADES = np.random.default_rng(1).uniform(0.1, 0.9, size=(5, 8))

HEIGHT, CELL, PITCH, TOP = 320, 18, 40, 112
VECTOR, LIST, POWER, SHARE = 84, 398, 560, 676  # x of the columns
DESCRIPTION = (
    "The words read so far are: Ajish works as an AI. The last token's vector, D "
    "numbers, goes through the linear layer, x times W, which gives a logit for each "
    "of V words: Engineer 4.00, Scientist 2.90, Developer 2.21, the others less. "
    "Softmax raises e to each logit, 54.6, 18.2, 9.1 and 9.1 for all others together, "
    "and divides by the sum, 91.0: Engineer 0.60, Scientist 0.20, Developer 0.10, all "
    "others together 0.10."
)


def head(x: float, name: str, shape: str) -> list[str]:
    return [
        d.text(x, 72, name, bold=True),
        d.text(x, 91, shape, size=14, fill=d.QUIET),
    ]


def hidden() -> list[str]:
    """What the blocks made of the words; the last row is what is scored."""
    y = TOP + 4
    wide, last = 8 * CELL, y + 4 * CELL
    look = {"size": 14, "anchor": "end"}
    return [
        *head(VECTOR, "x", "(T, D)"),
        d.grid(VECTOR, y, SHADES, "output", (CELL, CELL)),
        *(
            d.text(VECTOR - 8, y + r * CELL + 14, word, **look, bold=r == 4)
            for r, word in enumerate(READ)
        ),
        d.outline(VECTOR, last, wide, CELL),
        d.text(VECTOR, last + 40, "the last token's vector", size=14),
        d.arrow((VECTOR + wide + 10, last + 9), (LIST - 20, last + 9)),
        d.text(312, last - 3, "x W", anchor="middle", code=True, size=14),
        d.text(312, last + 30, "(D, V)", anchor="middle", size=14, fill=d.QUIET),
    ]


def words() -> list[str]:
    """For every word its logit, e to the logit, and its share of the sum."""
    parts = []
    for r, (word, power) in enumerate(zip(WORDS, POWERS, strict=True)):
        y, others = TOP + 30 + r * PITCH, r == 3
        share, shown = power / POWERS.sum(), "less" if r == 3 else f"{LOGITS[r]:.2f}"
        fill = d.QUIET if others else d.INK
        long = round(170 * share, 1)
        paper = plots.shade("weights", 6 if others else 20)[0]
        parts += [
            d.text(LIST, y, word, fill=fill, bold=r == 0),
            d.text(LIST + 134, y, shown, anchor="end", fill=fill),
            d.text(POWER + 46, y, f"{power:.1f}", anchor="end", fill=fill),
            d.box(SHARE, y - 17, long, 24, fill=paper, stroke="none", round_=2),
            d.text(SHARE + long + 8, y, f"{share:.2f}", fill=fill, bold=r == 0),
        ]
    return parts


def drawing() -> str:
    """The whole figure, from left to right."""
    foot = TOP + 30 + 4 * PITCH
    return d.figure(
        "From a vector to a probability for every word",
        DESCRIPTION,
        HEIGHT,
        [
            *hidden(),
            *head(LIST, "logits", "(V)"),
            *head(POWER, d.sub("e", "logit", drop=-6), ""),
            *head(SHARE, "probabilities", "sum to 1"),
            *words(),
            d.line((POWER, foot - 26), (POWER + 48, foot - 26), width=1),
            d.text(POWER + 46, foot - 6, f"{POWERS.sum():.1f}", anchor="end"),
            d.text(SHARE, foot - 6, "each ÷ 91.0", fill=d.QUIET, size=14),
            d.text(POWER - 28, foot - 6, "sum", anchor="end", size=14, fill=d.QUIET),
            d.step(VECTOR + 12, 30, 1, ["the blocks: a vector"]),
            d.step(LIST - 106, 30, 2, ["linear: a logit for each word"]),
            d.step(POWER + 12, 30, 3, ["softmax: a probability for each word"]),
        ],
    )


if __name__ == "__main__":
    d.save(__file__, drawing())

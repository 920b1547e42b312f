"""Real English: the parts of Python's documentation that come with Python.

`documentation.txt` was made from Python 3.11.7 by `python -m
course.data.documentation`; another version gives another text. Its license is that of
Python, which is kept beside it.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_lib.text.vocabulary import Vocabulary

FILE = Path(__file__).with_suffix(".txt")
RUN = 6  # words in a row that are looked for in what stands before
LETTERS = 0.8  # of the characters of prose, the least that are letters or spaces
NO_PROSE = ("::=", ">>>", "***", "===", "---")  # grammar, code, headings
#: The line's end, and all that an English keyboard writes: every prompt can be read.
VOCABULARY = Vocabulary(["\n", *map(chr, range(ord(" "), ord("~") + 1))])
PLAIN = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "--", "…": "..."}
)


class Parts(NamedTuple):
    """The text in three parts: for training, validation and testing.

    The last tenth is for testing, the tenth before it for validation.
    """

    learned: str
    settings: str
    test: str


@cache
def parts() -> Parts:
    """Return the three parts: whole paragraphs, one per line."""
    text = FILE.read_text("utf-8")
    cuts = [text.index("\n", len(text) * tenths // 10) + 1 for tenths in (8, 9)]
    return Parts(text[: cuts[0]], text[cuts[0] : cuts[1]], text[cuts[1] :])


def batch(draw: torch.Generator, length: int, count: int = 16) -> Tensor:
    """Draw pieces from anywhere in the training text: ids (B, length)."""
    ids = _learned()
    starts = torch.randint(len(ids) - length + 1, (count, 1), generator=draw)
    return ids[starts + torch.arange(length)]


def in_ids(text: str) -> Tensor:
    """Turn a text into ids (T,).

    Raises:
        ValueError: it holds a character that is not in the vocabulary.
    """
    return torch.tensor(VOCABULARY.encode([*text]), dtype=torch.long)


def clean(paragraphs: Iterable[str]) -> list[str]:
    """Keep the paragraphs of prose that repeat nothing, one per line.

    A paragraph is left out if it has fewer than six words, if it is code, grammar or a
    table, or if most of its runs of six words have occurred before: otherwise a model
    would be tested on text that it has memorized. Quotation marks and dashes become
    those of a keyboard, and any character that an English keyboard lacks becomes a
    question mark.
    """
    runs = set[tuple[str, ...]]()
    kept = []
    for paragraph in paragraphs:
        words = paragraph.translate(PLAIN).encode("ascii", "replace").decode().split()
        line = " ".join(words)
        own = {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}
        if own and is_prose(line) and 2 * len(own & runs) <= len(own):
            kept.append(line)
        runs |= own
    return kept


def is_prose(line: str) -> bool:
    """Return whether a paragraph is English prose: mostly letters, and no code."""
    letters = sum(c.isalpha() or c == " " for c in line)
    return letters >= LETTERS * len(line) and not any(mark in line for mark in NO_PROSE)


@cache
def _learned() -> Tensor:
    return in_ids(parts().learned)


def main(path: Path = FILE) -> None:
    """Write the text that comes with this Python, cleaned, topic by topic."""
    from pydoc_data.topics import topics  # of some megabytes, and not the course's

    whole = "\n\n".join(topics[name] for name in sorted(topics))
    kept = clean(re.split(r"\n\s*\n", whole))
    path.write_text("".join(f"{line}\n" for line in kept), "utf-8")


if __name__ == "__main__":
    main()

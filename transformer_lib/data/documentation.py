"""Real English: what Python's documentation says of the language, as Python brings it.

`documentation.txt` was made from Python 3.11.7 by `python -m
transformer_lib.data.documentation`; another Python brings another text. It is under the
licence of Python, which stands beside it.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from ..text.vocabulary import Vocabulary

FILE = Path(__file__).with_suffix(".txt")
RUN = 6  # words in a row that are looked for in what stands before
#: The line's end, and all that an English keyboard writes: every prompt can be read.
VOCABULARY = Vocabulary(["\n", *map(chr, range(ord(" "), ord("~") + 1))])
PLAIN = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "--", "…": "..."}
)


class Parts(NamedTuple):
    """The text in three: to learn from, to choose settings by, and to test with.

    The last tenth is the test, the tenth before it is for settings.
    """

    learned: str
    settings: str
    test: str


@cache
def parts() -> Parts:
    """Give the three parts, each of whole paragraphs."""
    text = FILE.read_text("utf-8")
    cuts = [text.index("\n\n", len(text) * tenths // 10) + 2 for tenths in (8, 9)]
    return Parts(text[: cuts[0]], text[cuts[0] : cuts[1]], text[cuts[1] :])


def batch(draw: torch.Generator, length: int, count: int = 16) -> Tensor:
    """Draw pieces of what is learned, from anywhere in it: ids (B, length)."""
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
    """Leave out the paragraphs that say what was said before, and write all plainly.

    Left out is one that is empty, that stands before word for word, or of which most
    runs of six words do: else a model is tested on what it has learned by heart.
    Quotation marks and dashes become those of a keyboard, and what no English one
    writes becomes a question mark.
    """
    whole, runs = set[str](), set[tuple[str, ...]]()
    kept = []
    for paragraph in paragraphs:
        plain = paragraph.translate(PLAIN).encode("ascii", "replace").decode().rstrip()
        words = plain.split()
        own = {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}
        if words and " ".join(words) not in whole and 2 * len(own & runs) <= len(own):
            kept.append(plain)
        whole.add(" ".join(words))
        runs |= own
    return kept


def paragraphs(text: str) -> list[str]:
    """Split a text where lines are empty."""
    return re.split(r"\n\s*\n", text.strip("\n"))


@cache
def _learned() -> Tensor:
    return in_ids(parts().learned)


def main(path: Path = FILE) -> None:
    """Write the text that this Python brings, cleaned, topic after topic."""
    from pydoc_data.topics import topics  # of some megabytes, and not the course's

    whole = "\n\n".join(topics[name] for name in sorted(topics))
    path.write_text("\n\n".join(clean(paragraphs(whole))) + "\n", "utf-8")


if __name__ == "__main__":
    main()

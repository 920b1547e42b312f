"""Byte pairs: a text as bytes, of which the pairs that were learned are joined."""

import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from torch import Tensor

from ..checks.validation import brief, check_type, require
from .vocabulary import Vocabulary

END = "<|endoftext|>"
#: Bytes that are seen as they are; each other one as a letter beyond Latin-1: " " as Ġ.
SEEN = [*range(33, 127), *range(161, 173), *range(174, 256)]
OTHERS = sorted({*range(256)} - {*SEEN})
LETTERS = {b: chr(b) for b in SEEN} | {b: chr(256 + n) for n, b in enumerate(OTHERS)}
BYTES = {letter: byte for byte, letter in LETTERS.items()}
SPACE, NO_SPACE = r"[^\S\x1c-\x1f]", r"[\S\x1c-\x1f]"  # Unicode's, not Python's


class BytePairs:
    """Cut a text as GPT-2 does: into words, each into the longest learned pieces.

    A word takes the space before it along. It begins as its bytes in UTF-8; then, of
    all pairs that stand side by side, the one that was learned first is joined, until
    there is none. So every text has tokens, and no token is unknown.

    `vocabulary` lists the tokens by id, as the file spells them: each byte as a letter,
    a space as "Ġ".

    Args:
        words: the tokens by id.
        merges: the pairs, in the order in which they were learned.

    Raises:
        TypeError, ValueError: the words are not different strings, or a merge is no
            pair of strings.

    Source: Sennrich et al. (2016), §3.2; Radford et al. (2019), §2.2.
    """

    def __init__(self, words: Sequence[str], merges: Iterable[tuple[str, str]]) -> None:
        self.vocabulary = Vocabulary(words)
        V = len(self.vocabulary)
        require(len(words) == V, "words", "differ", f"{len(words)}, {V} different ones")
        self._ranks = {(a, b): n for n, (a, b) in enumerate(merges)}
        self._pieces = lru_cache(maxsize=4096)(self._joined)

    def tokens(self, text: str) -> list[str]:
        """Cut a text into tokens; "<|endoftext|>" stays whole.

        Raises:
            TypeError, ValueError: it is no text, or holds half a character.
        """
        check_type("text", text, str)
        found: list[str] = []
        for part in re.split(f"({re.escape(END)})", text):
            if part == END:
                found.append(END)
                continue
            for word in _words().findall(part):
                found += self._pieces(word)
        return found

    def encode(self, text: str) -> list[int]:
        """Turn a text into ids.

        Raises:
            TypeError, ValueError: it is no text, or a token of it is not among the
                words.
        """
        return self.vocabulary.encode(self.tokens(text))

    def decode(self, ids: Iterable[int] | Tensor) -> str:
        """Turn ids back into a text; bytes that are half a character become �.

        Raises:
            TypeError, IndexError: an id is not an integer, or not in the vocabulary.
        """
        letters = "".join(self.vocabulary.decode(ids))
        code = b"".join(
            bytes([BYTES[c]]) if c in BYTES else c.encode() for c in letters
        )
        return code.decode("utf-8", "replace")

    def _joined(self, word: str) -> list[str]:
        """Join the pairs of a word's bytes, the ones that were learned first."""
        try:
            parts = [LETTERS[byte] for byte in word.encode()]
        except UnicodeEncodeError:
            raise ValueError(f"text must be whole letters, got {brief(word)}") from None
        last = len(self._ranks)
        while True:
            ranked = [self._ranks.get(pair, last) for pair in pairwise(parts)]
            best = min(ranked, default=last)
            if best == last:
                return parts
            first = ranked.index(best)
            parts[first : first + 2] = ["".join(parts[first : first + 2])]


@cache
def _words() -> re.Pattern[str]:
    """Words, numbers and marks, each with the space before it; then other spaces."""
    every = map(chr, range(sys.maxunicode + 1))
    numbers = "".join(c for c in every if unicodedata.category(c)[0] == "N")
    marks = rf"(?:[^\s\w{numbers}]|[_\x1c-\x1f])"
    return re.compile(
        rf"'(?:[sdmt]|ll|ve|re)| ?[^\W_{numbers}]+| ?[{numbers}]+| ?{marks}+"
        rf"|{SPACE}+(?!{NO_SPACE})|{SPACE}+"
    )

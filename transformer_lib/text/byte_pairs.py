"""Byte-pair encoding: a text as bytes, whose learned pairs are merged."""

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise

from torch import Tensor

from ..checks.validation import brief
from .subwords import Subwords

#: Bytes that are written as themselves; the others as later letters: a space as Ġ.
PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
OTHERS = sorted({*range(256)} - {*PRINTABLE})
LETTERS = {b: chr(b) for b in PRINTABLE} | {
    b: chr(256 + n) for n, b in enumerate(OTHERS)
}
BYTES = {letter: byte for byte, letter in LETTERS.items()}
SPACE, NO_SPACE = r"[^\S\x1c-\x1f]", r"[\S\x1c-\x1f]"  # Unicode's, not Python's


class BytePairs(Subwords):
    """Tokenize a text as GPT-2, Llama 3 and Qwen do: split it, and merge bytes.

    A word includes the space before it. It begins as its bytes in UTF-8. Then, of all
    adjacent pairs, the one that was learned first is merged, until no learned pair is
    left. So every text has tokens, and no token is unknown. In the vocabulary, each
    byte is a letter, a space "Ġ".

    Args:
        words, added, normalize, start: as in `Subwords`.
        merges: the pairs, in the order in which they were learned.
        digits: how many digits a word has at most: 1 for Qwen, 3 for Llama 3. These
            also split at line ends, and let any mark begin a word. None splits as GPT-2
            does.
        whole: take a word that is in the vocabulary as it is, whatever can be merged.

    Source: Sennrich et al. (2016), §3.2; Radford et al. (2019), §2.2.
    """

    def __init__(
        self,
        words: Sequence[str],
        merges: Iterable[tuple[str, str]],
        added: Mapping[str, bool],
        *,
        digits: int | None = None,
        normalize: Callable[[str], str] = str,
        whole: bool = False,
        start: Sequence[str] = (),
    ) -> None:
        super().__init__(words, added, normalize, start)
        self._words = _words(digits)
        self._whole = whole
        self._ranks = {(a, b): n for n, (a, b) in enumerate(merges)}
        self._added = added
        self._pieces = lru_cache(maxsize=4096)(self._merged)

    def _cut(self, text: str, first: bool) -> Iterable[str]:
        return chain(*map(self._pieces, self._words.findall(text)))

    def decode(self, ids: Iterable[int] | Tensor) -> str:
        """Turn ids back into a text; bytes that are half a character become �.

        Errors are as in `Vocabulary.decode`.
        """
        code = b"".join(map(self._bytes, self.vocabulary.decode(ids)))
        return code.decode("utf-8", "replace")

    def _bytes(self, token: str) -> bytes:
        """Find the bytes of a token; an added one is not spelled in letters."""
        if token in self._added or not BYTES.keys() >= {*token}:
            return token.encode()
        return bytes(BYTES[letter] for letter in token)

    def _merged(self, word: str) -> list[str]:
        """Merge pairs of a word's bytes, unless the whole word is to be taken."""
        parts = [LETTERS[byte] for byte in utf8(word)]
        if self._whole and "".join(parts) in self.vocabulary:
            return ["".join(parts)]
        return merge_pairs(parts, self._ranks)


def utf8(text: str) -> bytes:
    """Encode a text; raise a ValueError if it has half a character."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        wanted = "text must be whole characters"
        raise ValueError(f"{wanted}, got {brief(text)}") from None


def merge_pairs(parts: list[str], ranks: Mapping[tuple[str, str], int]) -> list[str]:
    """Merge adjacent parts, the pair that was learned first before the others."""
    last = len(ranks)
    while True:
        ranked = [ranks.get(pair, last) for pair in pairwise(parts)]
        best = min(ranked, default=last)
        if best == last:
            return parts
        first = ranked.index(best)
        parts[first : first + 2] = ["".join(parts[first : first + 2])]


@cache
def _numbers() -> str:
    """List all characters that are numbers, for a class of a regular expression."""
    numeric = filter(str.isnumeric, map(chr, range(sys.maxunicode + 1)))  # letters too
    return "".join(c for c in numeric if unicodedata.category(c)[0] == "N")


@cache
def _words(digits: int | None) -> re.Pattern[str]:
    """Match words, numbers and marks, each with the space before it; other spaces.

    With some `digits`, any mark may stand before a word, and line ends are split off.
    """
    numbers = _numbers()
    letter, mark = rf"[^\W_{numbers}]", rf"(?:[^\s\w{numbers}]|[_\x1c-\x1f])"
    words = rf"'(?:[sdmt]|ll|ve|re)| ?{letter}+| ?[{numbers}]+| ?{mark}+"
    if digits is not None:
        before = rf"(?:[^\r\n\w{numbers}]|_)"
        words = rf"(?i:'s|'t|'re|'ve|'m|'ll|'d)|{before}?{letter}+"
        words += rf"|[{numbers}]{{1,{digits}}}| ?{mark}+[\r\n]*|{SPACE}*[\r\n]+"
    return re.compile(rf"{words}|{SPACE}+(?!{NO_SPACE})|{SPACE}+")

"""Word pieces: words and marks, each cut into the longest pieces that are known."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain
from string import punctuation

from ..checks.validation import check_type, require
from .vocabulary import Vocabulary

PAD, UNKNOWN, START, END, MASK = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"
SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
LONGEST = 100  # letters of a word; a longer one is unknown
#: Chinese characters, each of which is a word.
CHINESE = [
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
]


class WordPieces:
    """Cut a text as BERT does: into words and marks, and words into known pieces.

    A piece that goes on with a word begins with "##". Of a word the longest known piece
    is taken, then the longest of what is left; where there is none, the whole word is
    [UNK]. The special tokens [PAD], [UNK], [CLS], [SEP] and [MASK] stay whole.

    `vocabulary` lists the pieces by id.

    Args:
        words: the pieces by id, special tokens among them.
        lower: write in small letters without accents, as an "uncased" model does.

    Raises:
        TypeError, ValueError: the words are not different strings, or a special token
            is not among them.

    Source: Wu et al. (2016), §4.1; Devlin et al. (2019), §3.
    """

    def __init__(self, words: Sequence[str], lower: bool = True) -> None:
        self.vocabulary = Vocabulary(words)
        V = len(self.vocabulary)
        require(len(words) == V, "words", "differ", f"{len(words)}, {V} different ones")
        for token in (UNKNOWN, START, END):
            require(token in self.vocabulary, "words", f"hold {token}", f"{V} others")
        self.lower = lower

    def tokens(self, text: str, second: str | None = None) -> list[str]:
        """Cut a text, or two, into tokens: [CLS] text [SEP] second [SEP].

        Raises:
            TypeError: it is no text.
        """
        found = [START, *self._cut("text", text), END]
        return found if second is None else [*found, *self._cut("second", second), END]

    def encode(self, text: str, second: str | None = None) -> list[int]:
        """Turn a text, or two, into ids, [CLS] and [SEP] among them.

        Raises:
            TypeError, ValueError: it is no text, or a special token of it is not among
                the words.
        """
        return self.vocabulary.encode(self.tokens(text, second))

    def types(self, text: str, second: str | None = None) -> list[int]:
        """Tell which text each token is of: 0 for [CLS] text [SEP], 1 for the rest."""
        first = len(self.tokens(text))
        return [int(n >= first) for n in range(len(self.tokens(text, second)))]

    def _cut(self, name: str, text: str) -> Iterator[str]:
        check_type(name, text, str)
        for part in SPECIAL.split(text):
            if SPECIAL.fullmatch(part):
                yield part
            else:
                yield from chain(*map(self._pieces, _words(part, self.lower)))

    def _pieces(self, word: str) -> list[str]:
        found: list[str] = []
        at = 0
        while at < len(word):
            begins = "##" if at else ""
            ends = range(len(word), at, -1) if len(word) <= LONGEST else ()
            known = (n for n in ends if begins + word[at:n] in self.vocabulary)
            end = next(known, None)
            if end is None:
                return [UNKNOWN]
            found.append(begins + word[at:end])
            at = end
        return found


def _words(text: str, lower: bool) -> list[str]:
    """Cut a text at spaces, and around marks and Chinese characters."""
    letters = "".join(map(_clean, text))
    if lower:
        apart = unicodedata.normalize("NFD", letters)
        bare = (c for c in apart if unicodedata.category(c) != "Mn")
        letters = "".join(c.lower() for c in bare)
    marked = (f" {c} " if _is_mark(c) else c for c in letters)
    return "".join(marked).split()


def _clean(c: str) -> str:
    """A character as it is read: signs that are not seen are left out."""
    if c in "\t\n\r":
        return " "
    if c in "\0\ufffd" or unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    chinese = any(low <= ord(c) <= high for low, high in CHINESE)
    return f" {c} " if chinese else c


def _is_mark(c: str) -> bool:
    return c in punctuation or unicodedata.category(c)[0] == "P"

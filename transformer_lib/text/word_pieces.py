"""WordPiece: words and punctuation, each cut into the longest known pieces."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from string import punctuation

from ..checks.validation import brief, require
from .subwords import Subwords

UNKNOWN, START, END = "[UNK]", "[CLS]", "[SEP]"
LONGEST = 100  # characters of a word; a longer one is unknown
#: Chinese characters, each of which is a word.
CHINESE = re.compile(
    "[\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002ceaf"
    "\uf900-\ufaff\U0002f800-\U0002fa1f]"
)


class WordPieces(Subwords):
    """Tokenize a text as BERT does: split it into words, and words into known pieces.

    The longest known piece at the start of a word is taken, then the longest one of the
    rest, and so on; if there is none, the whole word becomes [UNK]. A piece that
    continues a word starts with "##".

    Args:
        words, added: as in `Subwords`.
        lower: lower-case a text and strip its accents, as an "uncased" model does.

    Raises:
        ValueError: [UNK], [CLS] or [SEP] is not among the words, or as in `Subwords`.

    Source: Wu et al. (2016), §4.1; Devlin et al. (2019), §3.
    """

    def __init__(
        self, words: Sequence[str], lower: bool, added: Mapping[str, bool]
    ) -> None:
        super().__init__(words, added, partial(_normalized, lower=lower))
        for token in (UNKNOWN, START, END):
            require(token in self.vocabulary, "words", f"hold {token}", brief(words))

    def tokens(self, text: str, second: str | None = None) -> list[str]:
        """Tokenize a text, or two: [CLS] text [SEP] second [SEP].

        Raise a TypeError if a text is not a string.
        """
        found = [START, *self._tokens("text", text), END]
        rest = [] if second is None else [*self._tokens("second", second), END]
        return found + rest

    def encode(self, text: str, second: str | None = None) -> list[int]:
        """Turn a text, or two, into ids, with those of [CLS] and [SEP]."""
        return self.vocabulary.encode(self.tokens(text, second))

    def types(self, text: str, second: str | None = None) -> list[int]:
        """Return the text of each token: 0 for [CLS] text [SEP], 1 after it."""
        first = len(self.tokens(text))
        return [int(n >= first) for n in range(len(self.tokens(text, second)))]

    def _cut(self, text: str, first: bool) -> Iterable[str]:
        return chain(*map(self._pieces, _words(text)))

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


def _normalized(text: str, lower: bool) -> str:
    """Clean a text; lower-case it and strip its accents where asked."""
    letters = "".join(map(_clean, text))
    if not lower:
        return letters
    apart = unicodedata.normalize("NFD", letters)
    bare = (c for c in apart if unicodedata.category(c) != "Mn")
    return "".join(c.lower() for c in bare)


def _words(text: str) -> list[str]:
    """Split a normalized text at spaces, and around punctuation."""
    marks = {c for c in text if c in punctuation or unicodedata.category(c)[0] == "P"}
    return "".join(f" {c} " if c in marks else c for c in text).split()


def _clean(c: str) -> str:
    """Replace a character: white space by a space, invisible characters by nothing."""
    if c in "\t\n\r":
        return " "
    if c in "\0\ufffd" or unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    return f" {c} " if CHINESE.match(c) else c

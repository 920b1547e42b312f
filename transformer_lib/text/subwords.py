"""Subwords: the tokenizers of pretrained models, which cut words into known pieces."""

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache, partial
from itertools import chain, pairwise
from string import punctuation
from typing import Literal

from torch import Tensor

from ..checks.validation import brief, check_type, require
from .vocabulary import Vocabulary

#: Bytes that are written as themselves; the others as later letters: a space as Ġ.
PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
OTHERS = sorted({*range(256)} - {*PRINTABLE})
LETTERS = {b: chr(b) for b in PRINTABLE} | {
    b: chr(256 + n) for n, b in enumerate(OTHERS)
}
BYTES = {letter: byte for byte, letter in LETTERS.items()}
BLANK, NO_BLANK = r"[^\S\x1c-\x1f]", r"[\S\x1c-\x1f]"  # Unicode's, not Python's
#: How SentencePieces write a space, and a byte of a character that is unknown.
SPACE, BYTE = "▁", "<0x{:02X}>"
CODES = {BYTE.format(n): n for n in range(256)}
UNKNOWN, START, END = "[UNK]", "[CLS]", "[SEP]"
LONGEST = 100  # characters of a word; a longer one is unknown
#: Chinese characters, each of which is a word.
CHINESE = re.compile(
    "[\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002ceaf"
    "\uf900-\ufaff\U0002f800-\U0002fa1f]"
)


class Subwords:
    """Tokenize a text between added tokens, strings that are never split.

    `vocabulary` lists the tokens by id.

    Args:
        words: the different tokens by id.
        added: for each added token, whether to look for it in the normalized text, as
            in "foo" for "Foo", or in the text before it is normalized. Of several at
            one place, the longest is taken.
        normalize: how a text is normalized.
        start: the tokens that every text begins with.

    Raises:
        ValueError: an added token is empty, or becomes another one when it is
            normalized.
    """

    def __init__(
        self,
        words: Sequence[str],
        added: Mapping[str, bool],
        normalize: Callable[[str], str] = str,
        start: Sequence[str] = (),
    ) -> None:
        self.vocabulary = Vocabulary(words)
        self.start = list(start)
        self._normalize = normalize
        self._later = {normalize(token): token for token, late in added.items() if late}
        exact = [token for token, late in added.items() if not late]
        fits = len({*self._later, *exact} - {""}) == len(added)
        require(fits, "added tokens", "differ and not be empty", [*added])
        self._patterns = _pattern(exact), _pattern(self._later)

    def tokens(self, text: str) -> list[str]:
        """Tokenize a text.

        Raise a TypeError or a ValueError if text is not a string, or has half a
        character.
        """
        return [*self.start, *self._tokens("text", text)]

    def encode(self, text: str) -> list[int]:
        """Turn a text into ids; a ValueError names a token that has none."""
        return self.vocabulary.encode(self.tokens(text))

    def _tokens(self, name: str, text: str) -> list[str]:
        """Tokenize a text, the argument `name`, without its start."""
        check_type(name, text, str)
        exact, later = self._patterns
        found: list[str] = []
        first = True
        for n, part in enumerate(exact.split(text)):  # every second one is a token
            pieces = [part] if n % 2 else later.split(self._normalize(part))
            for m, piece in enumerate(pieces):
                if (n + m) % 2:
                    found.append(self._later[piece] if m % 2 else piece)
                else:
                    found += self._cut(piece, first)
                first = False
        return found

    def _cut(self, text: str, first: bool) -> Iterable[str]:
        """Tokenize a part without added tokens, normalized, perhaps the `first` one."""
        raise NotImplementedError


def _pattern(tokens: Iterable[str]) -> re.Pattern[str]:
    """Match any of the tokens, the longest first; nothing, where there are none."""
    longest_first = sorted(tokens, key=len, reverse=True)
    return re.compile(f"({'|'.join(map(re.escape, longest_first)) or '(?!)'})")


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
        self._words = _word_pattern(digits)
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
def _word_pattern(digits: int | None) -> re.Pattern[str]:
    """Match words, numbers and marks, each with the space before it; other spaces.

    With some `digits`, any mark may stand before a word, and line ends are split off.
    """
    numbers = _numbers()
    letter, mark = rf"[^\W_{numbers}]", rf"(?:[^\s\w{numbers}]|[_\x1c-\x1f])"
    words = rf"'(?:[sdmt]|ll|ve|re)| ?{letter}+| ?[{numbers}]+| ?{mark}+"
    if digits is not None:
        before = rf"(?:[^\r\n\w{numbers}]|_)"
        words = rf"(?i:'s|'t|'re|'ve|'m|'ll|'d)|{before}?{letter}+"
        words += rf"|[{numbers}]{{1,{digits}}}| ?{mark}+[\r\n]*|{BLANK}*[\r\n]+"
    return re.compile(rf"{words}|{BLANK}+(?!{NO_BLANK})|{BLANK}+")


class SentencePieces(Subwords):
    """Tokenize a text as Llama 2 and Mistral do: merge its characters, spaces included.

    A space is written as "▁". A character that is not in the vocabulary becomes its
    bytes, such as "<0xE4>". Then, of all adjacent pairs, the one that was learned first
    is merged, until no learned pair is left. So no token is unknown.

    Args:
        words, added, start: as in `Subwords`; among the words are the 256 bytes.
        merges: the pairs, in the order in which they were learned.
        prefix: where a space is put before the text if there is none: "first" before
            the whole, "always" also behind each added token, "never" nowhere. "doubled"
            is "always", but even if there is one.

    Raises:
        ValueError: a byte is not among the words, or as in `Subwords`.

    Source: Sennrich et al. (2016), §3.2; Kudo and Richardson (2018), §3.2.
    """

    def __init__(
        self,
        words: Sequence[str],
        merges: Iterable[tuple[str, str]],
        added: Mapping[str, bool],
        prefix: Literal["first", "always", "never", "doubled"] = "first",
        start: Sequence[str] = (),
    ) -> None:
        super().__init__(words, added, start=start)
        missing = [byte for byte in CODES if byte not in self.vocabulary]
        require(not missing, "words", "hold every byte", missing[:1])
        self._ranks = {(a, b): n for n, (a, b) in enumerate(merges)}
        self.prefix = prefix

    def decode(self, ids: Iterable[int] | Tensor) -> str:
        """Turn ids back into a text, without the space that was put before it.

        Bytes that are no whole character become �, one for each. Errors are as in
        `Vocabulary.decode`.
        """
        text, run = "", b""
        for token in [*self.vocabulary.decode(ids), ""]:
            if token in CODES:
                run += bytes([CODES[token]])
                continue
            try:
                text += run.decode()
            except UnicodeDecodeError:
                text += "�" * len(run)
            text, run = text + token.replace(SPACE, " "), b""
        return text if self.prefix == "never" else text.removeprefix(" ")

    def _cut(self, text: str, first: bool) -> Iterable[str]:
        """Merge the characters of a text between added tokens."""
        if not text:
            return []
        text = text.replace(" ", SPACE)
        asked = self.prefix == "always" or (self.prefix == "first" and first)
        if self.prefix == "doubled" or (asked and not text.startswith(SPACE)):
            text = SPACE + text
        known = self.vocabulary
        letters = ([c] if c in known else map(BYTE.format, utf8(c)) for c in text)
        return merge_pairs([*chain(*letters)], self._ranks)


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

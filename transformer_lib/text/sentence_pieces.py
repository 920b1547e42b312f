"""Byte-pair encoding of characters, with spaces among them, as Llama 2 does."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Literal

from torch import Tensor

from ..checks.validation import require
from .byte_pairs import merge_pairs, utf8
from .subwords import Subwords

SPACE = "▁"
BYTE = "<0x{:02X}>"
BYTES = {BYTE.format(n): n for n in range(256)}


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
        missing = [byte for byte in BYTES if byte not in self.vocabulary]
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
            if token in BYTES:
                run += bytes([BYTES[token]])
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

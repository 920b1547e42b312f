"""Subwords: what the tokenizers of pretrained models share."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..checks.validation import check_type, require
from .vocabulary import Vocabulary


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

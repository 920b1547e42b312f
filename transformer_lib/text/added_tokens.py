"""Added tokens: strings that a tokenizer never splits."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from ..checks.validation import require


class AddedTokens:
    """Find added tokens in a text; of several at one place, the longest.

    Args:
        normalized: for each token, whether to look for it in the normalized text, as
            in "foo" for "Foo", or in the text before it is normalized.
        normalize: how the tokenizer normalizes a text.

    Raises:
        ValueError: a token is empty, or becomes another one when it is normalized.
    """

    def __init__(
        self, normalized: Mapping[str, bool], normalize: Callable[[str], str] = str
    ) -> None:
        self.normalize = normalize
        self.later = {normalize(token): token for token, x in normalized.items() if x}
        exact = [token for token, late in normalized.items() if not late]
        fits = len({*self.later, *exact} - {""}) == len(normalized)
        require(fits, "added tokens", "differ and not be empty", [*normalized])
        self._patterns = _pattern(exact), _pattern(self.later)

    def split(self, text: str) -> Iterator[tuple[str, bool]]:
        """Yield each added token with True, and each normalized text between, False."""
        exact, later = self._patterns
        for n, part in enumerate(exact.split(text)):
            pieces = [part] if n % 2 else later.split(self.normalize(part))
            for m, piece in enumerate(pieces):
                yield self.later[piece] if m % 2 else piece, (n + m) % 2 == 1


def _pattern(tokens: Iterable[str]) -> re.Pattern[str]:
    """Match any of the tokens, the longest first; nothing, where there are none."""
    longest_first = sorted(tokens, key=len, reverse=True)
    return re.compile(f"({'|'.join(map(re.escape, longest_first)) or '(?!)'})")

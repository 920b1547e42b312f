"""The vocabulary: a finite list of words, each with its id."""

from collections.abc import Iterable, Sequence
from numbers import Integral

import torch
import torch.nn.functional as F
from torch import Tensor


class Vocabulary:
    """Number the words in the order of their first appearance, special tokens first.

        id(word) ∈ {0, …, V − 1}

    Args:
        words: the words; a repeated one counts once.
        pad, sos, eos, unknown: the special tokens to have, in this order; None has
            none. Without `unknown`, a word outside the vocabulary is refused.

    Raises:
        TypeError: a word is not a string, or the words are one string.
        ValueError: a special token is given twice, or there is no word at all.

    Source: D2.1.1, D2.1.2, D3.2.
    """

    def __init__(
        self,
        words: Iterable[str],
        *,
        pad: str | None = None,
        sos: str | None = None,
        eos: str | None = None,
        unknown: str | None = None,
    ) -> None:
        if isinstance(words, str):
            raise TypeError(f"words must be a list of strings, got one: {words!r}")
        if not isinstance(words, Iterable):
            raise TypeError(f"words must be a list of strings, got {words!r}")
        given = {"pad": pad, "sos": sos, "eos": eos, "unknown": unknown}
        for name, token in given.items():
            if not isinstance(token, str | None):
                raise TypeError(f"{name} must be a string or None, got {token!r}")
        words = [_checked(word) for word in words]
        special = [token for token in given.values() if token is not None]
        if len(set(special)) < len(special):
            raise ValueError(f"special tokens must differ, got {special}")
        self.words = list(dict.fromkeys([*special, *words]))
        if not self.words:
            raise ValueError("words must hold at least one word, got none")
        self._ids = {word: i for i, word in enumerate(self.words)}
        self.pad, self.sos, self.eos, self.unknown = pad, sos, eos, unknown

    @property
    def pad_id(self) -> int | None:
        """The id of padding, or None."""
        return self._special(self.pad)

    @property
    def sos_id(self) -> int | None:
        """The id that starts a sequence, or None."""
        return self._special(self.sos)

    @property
    def eos_id(self) -> int | None:
        """The id that ends a sequence, or None."""
        return self._special(self.eos)

    @property
    def unknown_id(self) -> int | None:
        """The id of every word outside the vocabulary, or None."""
        return self._special(self.unknown)

    def encode(self, words: Iterable[str]) -> list[int]:
        """Replace each word by its id.

        Args:
            words: a sentence already split into words, or a string to split at spaces.

        Raises:
            TypeError: a word is not a string.
            ValueError: a word is outside a vocabulary that has no `unknown`.
        """
        if not isinstance(words, Iterable):
            raise TypeError(f"words must be strings, got {words!r}")
        words = words.split() if isinstance(words, str) else map(_checked, words)
        return [self._id(word) for word in words]

    def decode(self, ids: Iterable[int] | Tensor) -> list[str]:
        """Replace each id by its word: ids (T,) to T words.

        Raises:
            TypeError: an id is not an integer.
            IndexError: an id is outside the vocabulary.
        """
        return [self._word(i) for i in _as_list(ids)]

    def one_hot(self, ids: Sequence[int] | Tensor) -> Tensor:
        """Give each id a row that is 1 at the id and 0 elsewhere: (T,) to (T, V).

        Raises:
            TypeError: an id is not an integer.
            IndexError: an id is outside the vocabulary.

        Source: D2.1.3.
        """
        rows = _as_list(ids)
        for i in rows:
            self._word(i)
        hot = F.one_hot(torch.tensor(rows, dtype=torch.int64), len(self))  # (T, V)
        return hot.to(torch.get_default_dtype())

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def __repr__(self) -> str:
        shown = ", ".join(self.words[:8]) + (", …" if len(self) > 8 else "")
        return f"Vocabulary of {len(self)}: {shown}"

    def _special(self, token: str | None) -> int | None:
        return None if token is None else self._ids[token]

    def _id(self, word: str) -> int:
        found = self._ids.get(word, self.unknown_id)
        if found is None:
            raise ValueError(
                f"word {word!r} is not in the vocabulary of {len(self)}, "
                "which has no unknown token"
            )
        return found

    def _word(self, i: int) -> str:
        if isinstance(i, bool) or not isinstance(i, Integral):
            raise TypeError(f"ids must be integers, got {i!r}")
        if not 0 <= i < len(self):
            raise IndexError(f"ids must lie between 0 and {len(self) - 1}, got {i}")
        return self.words[i]


def _checked(word: str) -> str:
    if not isinstance(word, str):
        raise TypeError(f"words must be strings, got {word!r}")
    return word


def _as_list(ids: Iterable[int] | Tensor) -> list[int]:
    """List ids, from a tensor (T,) or anything that yields integers."""
    if not isinstance(ids, Iterable):
        raise TypeError(f"ids must be integers, got {ids!r}")
    if not isinstance(ids, Tensor):
        return list(ids)
    if ids.dim() != 1:
        raise ValueError(f"ids must have shape (T,), got {tuple(ids.shape)}")
    listed: list[int] = ids.tolist()
    return listed

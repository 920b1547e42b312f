"""The vocabulary: a finite list of words, each with its id."""

import re
from collections.abc import Iterable
from numbers import Integral

import torch
import torch.nn.functional as F
from torch import Tensor

from ..checks.validation import brief


class Vocabulary:
    """Number the words in the order of their first appearance, special tokens first.

        id(word) ∈ {0, …, V − 1}

    `words` lists them by id; `pad_id`, `sos_id`, `eos_id` and `unknown_id` are the ids
    of padding, start, end and unseen words, or None.

    Args:
        words: the words; a repeated one counts once.
        pad, sos, eos, unknown: the special tokens to have, in this order; None
            has none. Without `unknown`, a word outside the vocabulary is refused.

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
        try:  # a set would give other ids each time
            parts = None if isinstance(words, str | set | frozenset) else iter(words)
        except Exception:
            parts = None
        if parts is None:
            raise TypeError(f"words must be a list of strings, got {brief(words)}")
        given = {"pad": pad, "sos": sos, "eos": eos, "unknown": unknown}
        for name, token in given.items():
            if not isinstance(token, str | None):
                raise TypeError(f"{name} must be a string or None, got {brief(token)}")
        special = [token for token in given.values() if token is not None]
        if len(set(special)) < len(special):
            raise ValueError(f"special tokens must differ, got {special}")
        self.words = list(dict.fromkeys([*special, *map(_word, parts)]))
        if not self.words:
            raise ValueError("words must hold at least one word, got none")
        self._ids: dict[str | None, int] = {w: i for i, w in enumerate(self.words)}
        self.pad_id = self._ids.get(pad)
        self.sos_id = self._ids.get(sos)
        self.eos_id = self._ids.get(eos)
        self.unknown_id = self._ids.get(unknown)

    def encode(self, words: Iterable[str]) -> list[int]:
        """Replace each word by its id.

        Args:
            words: a sentence already split into words, or a string to split at spaces.

        Raises:
            TypeError: a word is not a string.
            ValueError: a word is outside a vocabulary that has no `unknown`.
        """
        if not isinstance(words, Iterable):
            raise TypeError(f"words must be strings, got {brief(words)}")
        words = words.split() if isinstance(words, str) else list(map(_word, words))
        ids = [self._ids.get(word, self.unknown_id) for word in words]
        if None in ids:
            lost = words[ids.index(None)]
            V = len(self)
            where = f"the vocabulary of {V}, which has no unknown token"
            raise ValueError(f"word {lost!r} is not in {where}")
        return [i for i in ids if i is not None]

    def decode(self, ids: Iterable[int] | Tensor) -> list[str]:
        """Replace each id by its word: ids (T,) to T words.

        Raises:
            TypeError, IndexError: an id is not an integer, or not in the vocabulary.
        """
        return [self.words[i] for i in self._checked(ids)]

    def one_hot(self, ids: Iterable[int] | Tensor) -> Tensor:
        """Give each id a row that is 1 at the id and 0 elsewhere: (T,) to (T, V).

        Raises:
            TypeError, IndexError: an id is not an integer, or not in the vocabulary.

        Source: D2.1.3.
        """
        rows = torch.tensor(self._checked(ids), dtype=torch.int64)  # (T,)
        return F.one_hot(rows, len(self)).to(torch.get_default_dtype())  # (T, V)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def __repr__(self) -> str:
        shown = ", ".join(self.words[:8]) + (", …" if len(self) > 8 else "")
        return f"Vocabulary of {len(self)}: {shown}"

    def _checked(self, ids: Iterable[int] | Tensor) -> list[int]:
        if isinstance(ids, Tensor) and ids.dim() != 1:
            raise ValueError(f"ids must have shape (T,), got {tuple(ids.shape)}")
        if not isinstance(ids, Iterable):
            raise TypeError(f"ids must be integers, got {brief(ids)}")
        listed = ids.tolist() if isinstance(ids, Tensor) else list(ids)
        for i in listed:
            if isinstance(i, bool) or not isinstance(i, Integral):
                raise TypeError(f"ids must be integers, got {brief(i)}")
            if not 0 <= int(i) < len(self):
                raise IndexError(f"ids must lie between 0 and {len(self) - 1}, got {i}")
        return listed


def tokenize(text: str) -> list[str]:
    """Cut a text into words and single marks; a token in ⟨ ⟩ stays whole.

    Raises:
        TypeError: the text is no string.

    Source: D2.1.1, D1.16.1.
    """
    return re.findall(r"⟨\w+⟩|\w+|[^\w\s]", _word(text))


def _word(word: str) -> str:
    if not isinstance(word, str):
        raise TypeError(f"words must be strings, got {brief(word)}")
    return word

"""The vocabulary: a finite list of words, each with its id."""

import re
from collections.abc import Iterable
from numbers import Integral

import torch
import torch.nn.functional as F
from torch import Tensor

from ..checks.validation import brief, require


class Vocabulary:
    """Number the words in the order of their first appearance, special tokens first.

        id(word) ∈ {0, …, V − 1}

    `words` lists them by id; `pad_id`, `sos_id`, `eos_id` and `unknown_id` are the ids
    of padding, start, end and unseen words, or None.

    Args:
        words: the words; a repeated one counts once.
        pad, sos, eos, unknown: the special tokens, in this order, if any. Without
            `unknown`, a word outside the vocabulary is refused.

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
        try:  # a set would order its words differently each time
            parts = None if isinstance(words, str | set | frozenset) else iter(words)
        except Exception:
            parts = None
        if parts is None:
            raise TypeError(f"words must be a list of strings, got {brief(words)}")
        given = {"pad": pad, "sos": sos, "eos": eos, "unknown": unknown}
        for name, token in given.items():
            fits = isinstance(token, str | None)
            require(fits, name, "be a string or None", brief(token), TypeError)
        special = [token for token in given.values() if token is not None]
        differ = len(set(special)) == len(special)
        require(differ, "special tokens", "differ", special)
        self.words = list(dict.fromkeys([*special, *map(_word, parts)]))
        require(self.words != [], "words", "hold at least one word", "none")
        self._ids: dict[str | None, int] = {w: i for i, w in enumerate(self.words)}
        self.pad_id = self._ids.get(pad)
        self.sos_id = self._ids.get(sos)
        self.eos_id = self._ids.get(eos)
        self.unknown_id = self._ids.get(unknown)

    def encode(self, words: Iterable[str]) -> list[int]:
        """Replace each word by its id; a string is split into words at spaces.

        Raise a TypeError if a word is not a string, and a ValueError if it is outside a
        vocabulary that has no `unknown`.
        """
        fits = isinstance(words, Iterable)
        require(fits, "words", "be strings", brief(words), TypeError)
        words = words.split() if isinstance(words, str) else list(map(_word, words))
        ids = [self._ids.get(word, self.unknown_id) for word in words]
        if None in ids:
            where = f"the vocabulary of {len(self)}, which has no unknown token"
            raise ValueError(f"word {words[ids.index(None)]!r} is not in {where}")
        return [i for i in ids if i is not None]

    def decode(self, ids: Iterable[int] | Tensor) -> list[str]:
        """Replace each id by its word: ids (T,) to T words.

        Raise a TypeError or an IndexError if an id is not an integer, or not in the
        vocabulary.
        """
        return [self.words[i] for i in self._checked(ids)]

    def one_hot(self, ids: Iterable[int] | Tensor) -> Tensor:
        """Turn each id into a row that is 1 at the id and 0 elsewhere: (T,) to (T, V).

        Raise a TypeError or an IndexError if an id is not an integer, or not in the
        vocabulary.

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
        if isinstance(ids, Tensor):
            require(ids.dim() == 1, "ids", "have shape (T,)", tuple(ids.shape))
            ids = ids.tolist()
        fits = isinstance(ids, Iterable)
        require(fits, "ids", "be integers", brief(ids), TypeError)
        listed, span = list(ids), f"lie between 0 and {len(self) - 1}"
        for i in listed:
            whole = isinstance(i, Integral) and not isinstance(i, bool)
            require(whole, "ids", "be integers", brief(i), TypeError)
            require(0 <= int(i) < len(self), "ids", span, brief(i), IndexError)
        return listed


def tokenize(text: str) -> list[str]:
    """Cut a text into words and single marks; a token in ⟨ ⟩ stays whole.

    Raise a TypeError if the text is no string.

    Source: D2.1.1, D1.16.1.
    """
    return re.findall(r"⟨\w+⟩|\w+|[^\w\s]", _word(text))


def _word(word: str) -> str:
    if not isinstance(word, str):  # `brief` takes long for each of many words
        raise TypeError(f"words must be strings, got {brief(word)}")
    return word

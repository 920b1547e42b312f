"""What explorers accept: matrices of numbers, and words to label them."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike

from .drawing import Matrix
from .trace import Axis

LARGEST = 64  # rows or columns of a matrix
LONGEST_TOKEN = 200
LARGEST_NUMBER = 1e6
LONGEST_TEXT = 2000


def matrix_input(name: str, values: ArrayLike | torch.Tensor) -> Matrix:
    """A float64 copy of a finite matrix of numbers, at most 64 a side.

    Raises:
        TypeError: it does not hold numbers.
        ValueError: it is no matrix, is empty, too large, or holds a number that is not
            finite or is beyond ±1 000 000.
    """
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu().tolist()
    try:
        x = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a matrix of numbers, got {values!r}") from None
    if x.ndim != 2 or 0 in x.shape:
        raise ValueError(
            f"{name} must be a matrix (rows, columns), got shape {x.shape}"
        )
    if max(x.shape) > LARGEST:
        raise ValueError(f"{name} may be {LARGEST} a side at most, got shape {x.shape}")
    if not np.isfinite(x).all():
        raise ValueError(f"{name} must be finite, got {x[~np.isfinite(x)][0]}")
    if np.abs(x).max() > LARGEST_NUMBER:
        raise ValueError(
            f"{name} must stay within ±{LARGEST_NUMBER:.0f}, got {np.abs(x).max():g}"
        )
    return x


def labels(name: str, given: Sequence[str] | None, count: int) -> list[str]:
    """One label for each of `count` rows or columns; 1, 2, … if none are given.

    Raises:
        TypeError: `given` is one string, or not all strings.
        ValueError: there are more or fewer than `count`, or one is too long or no text.
    """
    if given is None:
        return [str(n + 1) for n in range(count)]
    if isinstance(given, str) or not all(isinstance(t, str) for t in given):
        raise TypeError(f"{name} must be a list of words, got {given!r}")
    if len(given) != count:
        raise ValueError(f"{name} must hold {count} words, got {len(given)}")
    longest = max(map(len, given))
    if longest > LONGEST_TOKEN:
        raise ValueError(
            f"{name} may hold words of {LONGEST_TOKEN} characters, got one of {longest}"
        )
    for word in given:
        if any("\ud800" <= c <= "\udfff" for c in word):
            raise ValueError(f"{name} must be text, got a lone surrogate in {word!r}")
    return list(given)


def some_words(name: str, given: Sequence[str], most: int) -> list[str]:
    """One word or more, up to `most` of them.

    Raises:
        TypeError: `given` is one string, or not all strings.
        ValueError: there are none or too many, or one is too long or no text.
    """
    if isinstance(given, Sequence) and not 1 <= len(given) <= most:
        raise ValueError(f"{name} must be 1 to {most} words, got {len(given)}")
    return labels(name, list(given) if isinstance(given, tuple) else given, len(given))


def token_axes(
    tokens: Sequence[str] | None, n_queries: int, n_keys: int
) -> tuple[Axis, Axis]:
    """The axes "query" and "key", labelled by the tokens, or 1, 2, ….

    Raises:
        TypeError: the tokens are one string, or not all strings.
        ValueError: they are not one per query and per key, or one is too long.
    """
    if tokens is not None and n_queries != n_keys:
        raise ValueError(
            "tokens name queries and keys alike, so there must be as many of both, "
            f"got {n_queries} queries and {n_keys} keys"
        )
    counts = {"query": n_queries, "key": n_keys}
    query, key = (Axis.of(n, labels("tokens", tokens, m)) for n, m in counts.items())
    return query, key


def sentence_words(sentence: str, most: int) -> list[str]:
    """The words of a sentence: what stands between its spaces.

    Raises:
        TypeError: it is no string.
        ValueError: it has no word or more than `most`, is longer than 2000 characters,
            or one word is longer than 200 or holds a lone surrogate.
    """
    if not isinstance(sentence, str):
        raise TypeError(f"sentence must be a string, got {sentence!r}")
    if len(sentence) > LONGEST_TEXT:
        raise ValueError(
            f"sentence may hold {LONGEST_TEXT} characters, got {len(sentence)}"
        )
    words = sentence.split()
    if not 1 <= len(words) <= most:
        raise ValueError(f"sentence must hold 1 to {most} words, got {len(words)}")
    return labels("sentence", words, len(words))

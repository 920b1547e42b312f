"""What explorers accept: matrices of numbers, whole numbers, and words as labels."""

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike

from .drawing import Matrix
from .trace import Axes, Axis

LARGEST = 64  # rows or columns of a matrix
LONGEST_TOKEN = 200
LARGEST_NUMBER = 1e6
LONGEST_TEXT = 2000


def matrix_input(name: str, values: ArrayLike | torch.Tensor) -> Matrix:
    """A float64 copy of a finite matrix of numbers, at most 64 a side.

    Raises:
        TypeError: it does not hold real numbers, or masks some of them.
        ValueError: it is no matrix, is empty, too large, or holds a number that is not
            finite or is beyond ±1 000 000.
    """
    x = _real_numbers(name, values)
    if x.ndim != 2 or not x.size:
        raise ValueError(
            f"{name} must be a matrix (rows, columns), got shape {x.shape}"
        )
    if max(x.shape) > LARGEST:
        raise ValueError(f"{name} may be {LARGEST} a side at most, got shape {x.shape}")
    for number in x.flat:
        check_entry(name, number)
    return x.astype(np.float64)


def _real_numbers(name: str, values: Any) -> np.ndarray[Any, Any]:
    """An array of booleans, integers or floats, or of Python's own large integers."""
    try:
        if isinstance(values, torch.Tensor):
            values = values.detach().cpu().to_dense().tolist()
        x = np.asarray(values)
    except (TypeError, ValueError, NotImplementedError):
        x = np.empty(0, dtype=np.str_)
    whole = x.dtype == object and all(isinstance(n, int) for n in x.flat)
    if np.ma.isMaskedArray(values) or not (x.dtype.kind in "biuf" or whole):
        raise TypeError(f"{name} must be a matrix of numbers, got {brief(values)}")
    return x


def check_entry(name: str, number: float) -> None:
    """Raise unless a number may stand in a matrix.

    Raises:
        TypeError: it is no number.
        ValueError: it is not finite, or beyond ±1 000 000.
    """
    if not isinstance(number, int | float | np.number | np.bool_):
        raise TypeError(f"{name} must hold numbers, got {brief(number)}")
    if not isinstance(number, int) and not np.isfinite(number):
        raise ValueError(f"{name} must be finite, got {number}")
    if abs(number) > LARGEST_NUMBER:
        most = f"±{LARGEST_NUMBER:.0f}"
        raise ValueError(f"{name} must stay within {most}, got {brief(number)}")


def whole_number(name: str, value: Any, low: int, high: int) -> int:
    """An integer from low to high, also one of NumPy's.

    Raises:
        TypeError: it is no integer.
        ValueError: it is below low or above high.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer, got {brief(value)}")
    if not low <= number <= high:
        raise ValueError(f"{name} must be {low} to {high}, got {brief(number)}")
    return number


def labels(name: str, given: Iterable[str] | None, count: int) -> list[str]:
    """One label for each of `count` rows or columns; 1, 2, … if none are given.

    Raises:
        TypeError, ValueError: as `some_words`.
    """
    if given is None:
        return [str(n + 1) for n in range(count)]
    return some_words(name, given, count, count)


def some_words(name: str, given: Iterable[str], least: int, most: int) -> list[str]:
    """From `least` to `most` texts that can be sent to a page and shown there.

    Raises:
        TypeError: `given` is one string, or not all strings.
        ValueError: there are too few or too many, or one is too long or no text.
    """
    listed = list(given) if isinstance(given, Iterable) else [given]
    if isinstance(given, str) or not all(isinstance(word, str) for word in listed):
        raise TypeError(f"{name} must be a list of words, got {brief(given)}")
    if not least <= len(listed) <= most:
        many = f"{least} to {most}" if least < most else most
        raise ValueError(f"{name} must hold {many} words, got {len(listed)}")
    for word in listed:
        if len(word) > LONGEST_TOKEN:
            long = f"words of {LONGEST_TOKEN} characters"
            raise ValueError(f"{name} may hold {long}, got one of {len(word)}")
        if any("\ud800" <= c <= "\udfff" for c in word):
            raise ValueError(f"{name} must be text, got a lone surrogate in {word!r}")
    return listed


def token_axes(tokens: Sequence[str] | None, n_queries: int, n_keys: int) -> Axes:
    """The axes "query" and "key", labelled by the tokens, or 1, 2, ….

    Raises:
        TypeError, ValueError: they are not one word per query and per key.
    """
    if tokens is not None and n_queries != n_keys:
        both = f"as many of both, got {n_queries} queries and {n_keys} keys"
        raise ValueError(f"tokens name queries and keys alike, so there must be {both}")
    if tokens is None:
        return Axis.numbered("query", n_queries), Axis.numbered("key", n_keys)
    words = labels("tokens", tokens, n_queries)
    return Axis("query", words), Axis("key", words)


def sentence_words(sentence: str, most: int) -> list[str]:
    """The words of a sentence: what stands between its spaces.

    Raises:
        TypeError, ValueError: it is no string, is too long, has no word or more than
            `most`, or one that `some_words` refuses.
    """
    if not isinstance(sentence, str):
        raise TypeError(f"sentence must be a string, got {brief(sentence)}")
    if len(sentence) > LONGEST_TEXT:
        long = f"{LONGEST_TEXT} characters"
        raise ValueError(f"sentence may hold {long}, got {len(sentence)}")
    return some_words("sentence", sentence.split(), 1, most)


def brief(value: object) -> str:
    """What a value looks like, in one short line."""
    try:
        value = value.item() if isinstance(value, np.generic) else value
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no integer of more than 4300 digits
        text = "a number of thousands of digits"
    return text if len(text) <= 60 else text[:59] + "…"

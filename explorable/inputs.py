"""What explorers accept: matrices of numbers, whole numbers, and words as labels."""

import operator
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .drawing import Array
from .trace import Axes, Axis
from .validation import brief, require

LARGEST = 64  # rows or columns of a matrix
LONGEST_TOKEN = 200
LARGEST_NUMBER = 1e6
LONGEST_TEXT = 2000
LONGEST_LIST = 1_000_000


def matrix_input(name: str, values: ArrayLike) -> Array:
    """A float64 copy of a finite matrix of numbers, at most 64 a side.

    Raises:
        TypeError: it does not hold real numbers, or masks some of them.
        ValueError: it is no matrix, is empty, too large, or holds a number that is not
            finite or is beyond ±1 000 000.
    """
    try:
        if hasattr(values, "detach"):  # a tensor of PyTorch
            values = values.detach().cpu().to_dense().tolist()
        x = np.asarray(values)
    except Exception:  # each kind of tensor that holds no matrix fails in its own way
        x = np.empty(0, dtype=np.str_)
    whole = x.dtype == object and all(isinstance(n, int) for n in x.flat)  # Python's
    if np.ma.isMaskedArray(values) or not (x.dtype.kind in "biuf" or whole):
        raise TypeError(f"{name} must be a matrix of numbers, got {brief(values)}")
    full = x.ndim == 2 and x.size > 0
    shape = f"shape {x.shape}"
    require(full, name, "be a matrix (rows, columns)", shape)
    require(max(x.shape) <= LARGEST, name, f"be at most {LARGEST} a side", shape)
    for number in x.flat:
        check_entry(name, number)
    return x.astype(np.float64)


def check_entry(name: str, number: float) -> None:
    """Raise unless a number may stand in a matrix.

    Raises:
        TypeError: it is no number.
        ValueError: it is not finite, or beyond ±1 000 000.
    """
    if not isinstance(number, int | float | np.number | np.bool_):
        raise TypeError(f"{name} must hold numbers, got {brief(number)}")
    if isinstance(number, np.generic):  # the limit is no number of a small type
        number = number.item()
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
    except Exception:  # a tensor of several numbers fails in its own way
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer, got {brief(value)}")
    require(low <= number <= high, name, f"be {low} to {high}", brief(number))
    return number


def whole_numbers(name: str, given: Any, low: int, high: int) -> list[int]:
    """A list of integers from low to high.

    Raises:
        TypeError: it is no list, or holds what is no integer.
        ValueError: it holds one below low or above high.
    """
    numbers = listed(name, given, "whole numbers")
    return [whole_number(f"a number in {name}", n, low, high) for n in numbers]


def listed(name: str, given: Any, kind: str) -> list[Any]:
    """What is given one after the other, as a list.

    Raises:
        TypeError: it is a string, a set, which has no order, or cannot be read.
        ValueError: it does not end.
    """
    parts = None
    if not isinstance(given, str | set | frozenset):
        with suppress(Exception):
            parts = list(islice(iter(given), LONGEST_LIST + 1))
    if parts is None:
        raise TypeError(f"{name} must be a list of {kind}, got {brief(given)}")
    wanted = f"be a list of at most {LONGEST_LIST} {kind}"
    require(len(parts) <= LONGEST_LIST, name, wanted, "more")
    return parts


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
    found = listed(name, given, "words")
    words = all(isinstance(w, str) for w in found)
    require(words, name, "be a list of words", brief(given), TypeError)
    many = f"{least} to {most}" if least < most else most
    require(least <= len(found) <= most, name, f"hold {many} words", len(found))
    for word in found:
        long = f"hold words of at most {LONGEST_TOKEN} characters"
        require(len(word) <= LONGEST_TOKEN, name, long, f"one of {len(word)}")
        lone = any("\ud800" <= c <= "\udfff" for c in word)
        require(not lone, name, "be text", f"a lone surrogate in {word!r}")
    return found


def token_axes(
    tokens: Sequence[str] | None,
    n_queries: int,
    n_keys: int,
    memory: Sequence[str] | None = None,
) -> Axes:
    """The axes "query" and "key", labeled by the tokens, or 1, 2, ….

    `memory` are the words of the keys, where these are not the tokens.

    Raises:
        TypeError, ValueError: they are not one word per query and per key.
    """
    if memory is not None:
        own = Axis("query", labels("tokens", tokens, n_queries))
        return own, Axis("key", labels("memory", memory, n_keys))
    alike = n_queries == n_keys
    both = f"{n_queries} queries and {n_keys} keys"
    same = "tokens name queries and keys alike, so there"
    require(alike or tokens is None, same, "be as many of both", both)
    words = labels("tokens", tokens, n_queries)
    keys = words if alike else labels("tokens", None, n_keys)
    return Axis("query", words), Axis("key", keys)


def sentence_words(sentence: str, most: int, name: str = "sentence") -> list[str]:
    """The words of a sentence: what stands between its spaces.

    Raises:
        TypeError, ValueError: it is no string, is too long, has no word or more than
            `most`, or one that `some_words` refuses.
    """
    fits = isinstance(sentence, str)
    require(fits, name, "be a string", brief(sentence), TypeError)
    long = f"hold at most {LONGEST_TEXT} characters"
    require(len(sentence) <= LONGEST_TEXT, name, long, len(sentence))
    return some_words(name, sentence.split(), 1, most)

"""Checks of arguments: each error names the argument, what was expected and given."""

import math
from collections.abc import Sequence
from sys import float_info

import numpy as np

LARGEST_SIZE = 2**31 - 1  # of a tensor's axis


def require(
    fits: bool, name: str, wanted: str, got: object, error: type[Exception] = ValueError
) -> None:
    """Raise an error that says what an argument must be or do, unless it fits."""
    if not fits:
        raise error(f"{name} must {wanted}, got {got}")


def brief(value: object) -> str:
    """What a value looks like, in one short line, whatever it is."""
    try:
        value = value.item() if isinstance(value, np.generic) else value
        text = " ".join(repr(value).split())
    except Exception:  # Python writes no integer of more than 4300 digits
        kind = f"a value of type {type(value).__name__}"
        text = "a number of thousands of digits" if isinstance(value, int) else kind
    return text if len(text) <= 60 else text[:59] + "…"


def in_a_line(error: BaseException) -> str:
    """What an error says, in one line that is not too long."""
    why = " ".join(str(error).split()) or "no reason was given"
    text = f"{type(error).__name__}: {why}"
    return text if len(text) <= 200 else text[:199] + "…"


def check_type(name: str, x: object, *kinds: type) -> None:
    """Raise a TypeError unless x is of one of the kinds."""
    wanted = " or a ".join(kind.__name__ for kind in kinds)
    require(isinstance(x, kinds), name, f"be a {wanted}", type(x).__name__, TypeError)


def check_size(name: str, size: int, least: int = 1) -> None:
    """Raise a TypeError or ValueError unless size is an integer of at least `least`."""
    require(type(size) is int, name, "be an integer", brief(size), TypeError)
    require(size >= least, name, f"be at least {least}", brief(size))
    require(size <= LARGEST_SIZE, name, f"be at most {LARGEST_SIZE}", brief(size))


def check_number(
    name: str, number: float, low: float, high: float = math.inf, *, above: bool = False
) -> None:
    """Raise unless number is finite and low ≤ number ≤ high; above low if `above`."""
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    require(is_number, name, "be a number", brief(number), TypeError)
    enough = low < number or (number == low and not above)
    most = "finite" if high == math.inf else f"at most {high:g}"
    wanted = f"be {'above' if above else 'at least'} {low:g} and {most}"
    require(enough and number <= min(high, float_info.max), name, wanted, brief(number))


def check_option(name: str, option: str, options: Sequence[str]) -> None:
    """Raise a ValueError unless the option is one of those there are."""
    fits = isinstance(option, str | int | float) and option in options
    require(fits, name, f"be one of {list(options)}", brief(option))

"""What every constructor refuses: sizes, numbers and options that mean nothing."""

import math
import sys
from collections.abc import Sequence


def check_type(name: str, x: object, *kinds: type) -> None:
    """Refuse what is of none of the kinds.

    Raises:
        TypeError: it is of another type.
    """
    if not isinstance(x, kinds):
        wanted = " or a ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"{name} must be a {wanted}, got {type(x).__name__}")


def check_integer(name: str, number: int) -> None:
    """Refuse what is no integer; True and False are none.

    Raises:
        TypeError: it is of another type.
    """
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f"{name} must be an integer, got {number!r}")


def check_size(name: str, size: int, least: int = 1) -> None:
    """Refuse a size that is not an integer of at least `least`.

    Raises:
        TypeError: it is no integer.
        ValueError: it is too small.
    """
    check_integer(name, size)
    if size < least:
        raise ValueError(f"{name} must be at least {least}, got {size}")


def check_number(
    name: str, number: float, low: float, high: float = math.inf, *, above: bool = False
) -> None:
    """Refuse a number that is not finite or not in [low, high]; in (low, high] `above`.

    Raises:
        TypeError: it is no number.
        ValueError: it is outside, infinite, or NaN.
    """
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise TypeError(f"{name} must be a number, got {number!r}")
    inside = low < number <= high if above else low <= number <= high
    if not (inside and abs(number) <= sys.float_info.max):
        least = f"above {low:g}" if above else f"at least {low:g}"
        most = "finite" if high == math.inf else f"at most {high:g}"
        raise ValueError(f"{name} must be {least} and {most}, got {number}")


def check_option(name: str, option: str, options: Sequence[str]) -> None:
    """Refuse a word that is not one of the options.

    Raises:
        ValueError: it is none of them.
    """
    if option not in options:
        raise ValueError(f"{name} must be one of {list(options)}, got {option!r}")


def check_flag(name: str, flag: bool) -> None:
    """Refuse what is not True or False.

    Raises:
        TypeError: it is neither.
    """
    if not isinstance(flag, bool):
        raise TypeError(f"{name} must be True or False, got {flag!r}")

"""What is public checks its arguments once, and what it calls does not again."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from torch.compiler import is_compiling

from .validation import check_call

P = ParamSpec("P")
R = TypeVar("R")
_checked: ContextVar[bool] = ContextVar("checked", default=False)


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Check arguments by their names and types, unless a checked function calls.

    So a model checks what it is given, and its layers do not check it again.
    """
    form = signature(function)
    kinds = {name: p.annotation for name, p in form.parameters.items()}

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if is_compiling() or _checked.get():
            return function(*args, **kwargs)
        check_call(dict(form.bind(*args, **kwargs).arguments), kinds)
        with skip_checks():
            return function(*args, **kwargs)

    return call


def checked_by(check: Callable[P, None]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let another function of the same arguments refuse them, before this one runs."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            check(*args, **kwargs)
            return function(*args, **kwargs)

        return call

    return decorate


@contextmanager
def skip_checks(skip: bool = True) -> Iterator[None]:
    """Skip the checks of all calls inside, which were made; or make them again."""
    token = _checked.set(skip)
    try:
        yield
    finally:
        _checked.reset(token)

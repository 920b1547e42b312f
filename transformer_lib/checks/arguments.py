"""A public call checks its arguments once; the calls that it makes do not repeat it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from torch import Tensor
from torch.compiler import is_compiling

from .validation import check_tensors, check_values

P = ParamSpec("P")
R = TypeVar("R")
_checked: ContextVar[bool] = ContextVar("checked", default=False)


def checked_by(
    check: Callable[..., None],
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let `check` refuse the arguments of a call, unless a checked function made it.

    So a model checks what it is given, and its layers do not check it again.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        form = signature(function)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if is_compiling() or _checked.get():
                return function(*args, **kwargs)
            check(**form.bind(*args, **kwargs).arguments)
            with skip_checks():
                return function(*args, **kwargs)

        return call

    return decorate


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Check numbers and options by their types, and a layer's tensors by their names.

    A name means the same in every signature: see `check_values` and `check_tensors`.
    """
    kinds = {name: p.annotation for name, p in signature(function).parameters.items()}

    def check(**given: Any) -> None:
        check_values(given, kinds)
        if Tensor in kinds.values():
            check_tensors(given.pop("self"), given)

    return checked_by(check)(function)


@contextmanager
def setting(variable: ContextVar[R], value: R) -> Iterator[None]:
    """Set a variable of this thread inside the `with`, and set it back afterwards."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def skip_checks(skip: bool = True) -> AbstractContextManager[None]:
    """Skip the checks of every call inside the `with`, or make them again."""
    return setting(_checked, skip)

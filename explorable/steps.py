"""Steps of long work: a few at a time, isolated from the rest of the program."""

import time
from collections.abc import Iterable
from contextvars import copy_context
from typing import Any

from .functions import registered
from .validation import require


class Steps:
    """Takes an iterator's items a few at a time; each item taken is a step.

    The items are the same however they are taken, and whatever the program does in
    between: they have their own copy of what a library isolates (see `functions`), such
    as random numbers, and of what is patched, recorded or cached. The program's own
    state is left alone.

    Args:
        items: the first is the state before the first step, and is taken at once; each
            other item is the result of a step.

    Attributes:
        found: the latest item.
        taken: the number of steps taken.
        is_over: whether no step is left.
        failure: what a step has raised, or None; it was the last step.

    Raises:
        Exception: what the first item raises.
    """

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = iter(items)
        self._isolated = registered("isolated")()
        self._context = copy_context()  # where a patch of theirs is theirs
        self.found: Any = None
        self.taken = -1
        self.is_over = False
        self.failure: BaseException | None = None
        self.take(0)
        if self.failure:
            raise self.failure
        require(self.taken == 0, "work", "give an item before its first step", "none")

    def take(self, seconds: float) -> None:
        """Take steps for about this many seconds, at least one if any is left."""
        try:
            self.is_over = self._context.run(self._take, time.monotonic() + seconds)
        except BaseException as error:
            self.failure = error
            self.is_over = True
            if not isinstance(error, Exception):
                raise

    def _take(self, until: float) -> bool:
        """Take steps until this time, and return whether no step is left."""
        with self._isolated():
            for found in self._items:
                self.found = found
                self.taken += 1
                if time.monotonic() >= until:
                    return False
        return True

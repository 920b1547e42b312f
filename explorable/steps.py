"""Steps of long work: a few at a time, as if nobody else used the machine."""

import time
from collections.abc import Iterable
from contextvars import copy_context
from typing import Any

from .functions import registered
from .validation import require


class Steps:
    """Takes an iterator's items a few at a time; each item taken is a step.

    Whatever was taken before, and whatever the rest of the program does between two
    takings, the items are the same: what a library isolates (see `functions`), such as
    its random numbers, is their own, as is what they patch, record or cache, and the
    program's is left as it was.

    Args:
        items: the first is how the work stands before its first step, and is taken at
            once; of the others each is what a step has come to.

    Attributes:
        found: the latest item.
        taken: how many steps were taken.
        is_over: whether there is no other step.
        failure: what a step has raised, or None; after it there is no other.

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
        """Take steps for about so many seconds, and at least one, if there is one."""
        try:
            self.is_over = self._context.run(self._take, time.monotonic() + seconds)
        except BaseException as error:
            self.failure = error
            self.is_over = True
            if not isinstance(error, Exception):
                raise

    def _take(self, until: float) -> bool:
        """Take steps until a time; whether there is no other."""
        with self._isolated():
            for found in self._items:
                self.found = found
                self.taken += 1
                if time.monotonic() >= until:
                    return False
        return True

"""Steps of long work: a few at a time, and torch as if nobody else used it."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any

import torch

from ...checks.validation import require


class Steps:
    """Takes an iterator's items a few at a time; each item taken is a step.

    Whatever was taken before, and whatever the rest of the program does between two
    takings, the items are the same: torch's random numbers, its number type, its
    gradients and its one thread are their own, as is what they patch, record or cache,
    and the program's are left as they were.

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
        self._random = torch.Generator().manual_seed(0).get_state()
        self._gradients = True
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
        with self._alone():
            for found in self._items:
                self.found = found
                self.taken += 1
                if time.monotonic() >= until:
                    return False
        return True

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Have torch for the steps alone."""
        theirs = torch.get_rng_state()
        dtype = torch.get_default_dtype()
        threads = torch.get_num_threads()
        torch.set_rng_state(self._random)
        torch.set_default_dtype(torch.float32)
        torch.set_num_threads(1)
        try:
            with torch.inference_mode(False), torch.set_grad_enabled(self._gradients):
                yield
                self._gradients = torch.is_grad_enabled()
        finally:
            self._random = torch.get_rng_state()
            torch.set_num_threads(threads)
            torch.set_default_dtype(dtype)
            torch.set_rng_state(theirs)

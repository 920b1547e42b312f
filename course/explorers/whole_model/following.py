"""Following: a walk on which the vector of one token is followed all the way."""

from collections.abc import Callable, Sequence
from typing import Any

from explorable.views import REFUSED
from explorable.walking import Walking


def most_of(count: int) -> int:
    """Where a slider over so many ends: one that has but one place cannot be drawn."""
    return max(2, count)


class Following(Walking):
    """A walk of which every step has its tokens, and one of them is followed.

    Args:
        name, function, controls, places, always: see `Walking`; "token" is among the
            controls.
        count: how many tokens there are to follow, by the controls' values.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        controls: dict[str, Any],
        places: Sequence[tuple[int, int]],
        count: Callable[..., int],
        **always: Any,
    ) -> None:
        super().__init__(name, function, controls, places, **always)
        self._count = count
        self._last = count(**self._read())

    def _changed(self, change: object = None) -> None:
        if not self._going:
            self._follow()
        super()._changed(change)

    def _follow(self) -> None:
        """Let no token be chosen that is not there; the last one stays the last."""
        try:
            last = self._count(**self._read())
        except REFUSED:
            return  # as the run will say
        token = self.controls["token"]
        at = last if token.value >= self._last else min(token.value, last)
        self._last = last
        self._going = True
        try:
            token.max = most_of(last)
            token.value = at
        finally:
            self._going = False

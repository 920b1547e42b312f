"""Stepping: an explorer of steps, of which there are not always as many."""

from collections.abc import Callable
from typing import Any

import ipywidgets as W

from explorable import Array, Sheet
from explorable.walking import Walking


class Stepping(Walking):
    """Back, Next, Play, and a way to the end, through as many steps as there are.

    Args:
        name, controls, always: see `Explorer`; "step" is among the controls. One behind
            the last step shows the last.
        function: (**always, **control values) → a sheet.
        count: (**always, **control values) → how many steps there are.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Sheet],
        count: Callable[..., int],
        controls: dict[str, Any],
        **always: Any,
    ) -> None:
        self._count = count
        super().__init__(name, function, controls, [(1, 1)], **always)

    def _run(self, inputs: dict[str, Array]) -> None:
        super()._run(inputs)
        steps = self._count(**self._always, **self.settings)
        self._places = [(n, 1) for n in range(1, steps + 1)]

    def _at(self) -> int:
        step: int = self.settings["step"]
        return min(step, len(self._places)) - 1

    def _above(self, controls: list[Any]) -> Any:
        end = W.Button(description="To the end", icon="fast-forward")
        end.layout = self._buttons[0].layout
        end.on_click(lambda _: self.go(len(self._places)))
        self._buttons.insert(2, end)
        return super()._above(controls)

"""Walking: an explorer that goes through its steps by itself, and back."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as W

from .controls import bar, menu
from .explorer import Explorer

PACES = {f"{n} s each": float(n) for n in (1, 2, 4, 8)}


class Walking(Explorer):
    """An explorer of steps in layers: Back, Next, and Play, which stops when touched.

    Args:
        name, function, controls, always: see `Explorer`; "step" is among the controls,
            and "layer" where there are several.
        places: every (step, layer) of the way, in order.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        controls: dict[str, Any],
        places: Sequence[tuple[int, int]],
        **always: Any,
    ) -> None:
        self._places = list(places)
        self._going = False
        self._turn: object = None  # what plays, while it does
        wide = {"layout": {"width": "auto", "margin": "2px 8px 2px 0"}}
        self._play = W.Button(**wide)
        self._play.on_click(lambda _: self.stop() if self._turn else self.play())
        back = W.Button(description="Back", icon="arrow-left", **wide)
        forth = W.Button(description="Next", icon="arrow-right", **wide)
        back.on_click(lambda _: self.go(-1))
        forth.on_click(lambda _: self.go(1))
        self._pace = menu("pace", list(PACES), "2 s each")
        self._pace.observe(lambda _: self.stop(), names="value")
        self._buttons = [back, forth, self._play, self._pace]
        super().__init__(name, function, controls, **always)
        self._say()

    def go(self, by: int) -> None:
        """Go so many steps on, or back, through layer after layer; stop playing."""
        self.stop()
        self._go(by)

    def play(self) -> None:
        """Go on by itself, to the end or until anything is touched.

        Raises:
            RuntimeError: no loop is running, as in a script.
        """
        if self._at() == len(self._places) - 1:
            self._go(-self._at())
        loop = asyncio.get_running_loop()
        self._turn = object()
        self._say()
        self._task = loop.create_task(self._going_on(self._turn))

    def stop(self) -> None:
        """Play no more."""
        self._turn = None
        self._say()

    def reset(self) -> None:
        """Stop, and bring every control back to how it began."""
        self.stop()
        super().reset()

    def close(self) -> None:
        """Stop, and leave the page."""
        self._turn = None
        super().close()

    async def _going_on(self, turn: object) -> None:
        """Take a step at each pause, as long as nobody else does anything."""
        while True:
            await asyncio.sleep(PACES[self._pace.value])
            if turn is not self._turn:
                return
            self._go(1)
            if self._at() == len(self._places) - 1:
                self.stop()
                return

    def _at(self) -> int:
        """How many places of the way lie before the present one."""
        step = self.controls["step"].value
        layer = self.controls["layer"].value if "layer" in self.controls else 1
        mine = [(n, at) for n, (s, at) in enumerate(self._places) if s == step]
        return next((n for n, at in mine if at == layer), mine[-1][0])

    def _go(self, by: int) -> None:
        step, layer = self._places[max(0, min(len(self._places) - 1, self._at() + by))]
        self._going = True
        try:
            if "layer" in self.controls:
                self.controls["layer"].value = layer
            self.controls["step"].value = step
        finally:
            self._going = False
        self._changed()

    def _changed(self, change: object = None) -> None:
        if self._going:
            return
        if change is not None:
            self.stop()
        super()._changed()

    def _draw(self) -> None:
        before = set(self.views)
        super()._draw()
        for place in self.views.keys() - before:
            self.views[place].observe(lambda _: self.stop(), names="pin")

    def _above(self, controls: list[Any]) -> Any:
        """The controls, and before them what walks, and what takes all back."""
        *others, reset = controls
        step = self.controls["step"]
        others.remove(step)
        return W.VBox([bar([*self._buttons, step, reset]), bar(others)])

    def _say(self) -> None:
        """Say what a press would do."""
        text, icon = ("Stop", "pause") if self._turn else ("Play", "play")
        self._play.description = text
        self._play.icon = icon

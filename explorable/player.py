"""Player: an explorer of steps, with buttons to go back and forth and to play them."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as W

from .controls import menu, together
from .explorer import Explorer
from .lifetime import closing_if_refused

PACES = {f"{n} s each": float(n) for n in (1, 2, 4, 8)}


class Player(Explorer):
    """An explorer of steps: Back, Next, To the end, and Play, which stops when touched.

    All of them set controls, and no more.

    Args:
        name, function, controls, options: see `Explorer`; "step" is among the controls.
        layers: where the way leads through "layer" too, every (step, layer) of it, in
            order; by default it leads through the steps that "step" has.
    """

    @closing_if_refused()
    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        controls: dict[str, Any],
        layers: Sequence[tuple[int, int]] = (),
        **options: Any,
    ) -> None:
        self._layers = layers
        self._turn: object = None  # a token of the current playback, if any
        self._play = self._button("", "play", self._play_or_stop)
        self._pace = menu("pace", list(PACES), "2 s each")
        self._pace.observe(lambda _: self.stop(), names="value")
        self._buttons = [
            self._button("Back", "arrow-left", lambda: self.go(-1)),
            self._button("Next", "arrow-right", lambda: self.go(1)),
            self._button("To the end", "fast-forward", lambda: self.go(len(self.way))),
            self._play,
        ]
        controls["step"].add_class("tl-long")
        super().__init__(name, function, controls, **options)
        self._say()

    @property
    def way(self) -> list[dict[str, Any]]:
        """The values of the controls at each place, in order."""
        if self._layers:
            names = [name for name in ("step", "layer") if name in self.controls]
            return [dict(zip(names, at, strict=False)) for at in self._layers]
        step = self.controls["step"]
        steps = getattr(step, "options", None)
        if steps is None:
            last = step.min if step.disabled else step.max
            steps = range(step.min, last + 1)
        return [{"step": n} for n in steps]

    @property
    def at(self) -> int:
        """The index of the current place on the way."""
        here = {name: self.controls[name].value for name in self.way[0]}
        mine = [n for n, to in enumerate(self.way) if to["step"] == here["step"]]
        return next((n for n in mine if self.way[n] == here), mine[-1])

    def go(self, by: int) -> None:
        """Move this many places forward (or back), and stop playing."""
        self.stop()
        self._go(by)

    def play(self) -> None:
        """Step forward at a steady pace, to the end or until anything is touched.

        Raises:
            RuntimeError: no loop is running, as in a script.
        """
        if self._is_at_its_end():
            self._go(-self.at)
        loop = asyncio.get_running_loop()
        self._turn = object()
        self._say()
        self._task = loop.create_task(self._go_on(self._turn))

    def stop(self) -> None:
        """Stop playing."""
        self._turn = None
        self._say()

    def reset(self) -> None:
        """Stop playing, and bring everything back to how it began."""
        self.stop()
        super().reset()

    def close(self) -> None:
        """Stop, and leave the page."""
        self._turn = None
        super().close()

    async def _go_on(self, turn: object) -> None:
        """Take a step after each pause, until something else happens."""
        try:
            while not self._is_at_its_end():
                await asyncio.sleep(PACES[self._pace.value])
                if turn is not self._turn:
                    return
                self._go(1)
        finally:
            if turn is self._turn:
                self.stop()

    def _is_at_its_end(self) -> bool:
        return self.at == len(self.way) - 1

    def _go(self, by: int) -> None:
        to = self.way[max(0, min(len(self.way) - 1, self.at + by))]
        with self._held():
            for name, value in to.items():
                self.controls[name].value = value
        self._changed()

    def _changed(self, change: object = None) -> None:
        if change is not None and not self._holding:
            self.stop()
        super()._changed()

    def _draw(self) -> None:
        before = set(self.views)
        super()._draw()
        for place in self.views.keys() - before:
            self.views[place].observe(lambda _: self.stop(), names="pin")

    def _ranks(self, more: Sequence[str]) -> tuple[list[Any], list[Any]]:
        """The buttons and the step come first; the pace is asked for by few."""
        first, second = super()._ranks(more)
        step = self.controls["step"]
        first.remove(step)
        return [together(self._buttons), step, *first], [*second, self._pace]

    def _button(self, text: str, icon: str, act: Callable[[], None]) -> Any:
        button = W.Button(description=text, icon=icon, layout={"width": "auto"})
        button.on_click(lambda _: act())
        return button

    def _play_or_stop(self) -> None:
        if self._turn:
            self.stop()
        else:
            self.play()

    def _say(self) -> None:
        """Label the button with what pressing it does."""
        text, icon = ("Stop", "pause") if self._turn else ("Play", "play")
        self._play.description = text
        self._play.icon = icon

"""Work that takes seconds, in steps: drawn as it goes, stopped, and gone on with."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from inspect import signature
from typing import Any

import ipywidgets as W
import tqdm.notebook
import tqdm.std

from .controls import bar
from .drawing import Array
from .explorer import Explorer
from .lifetime import execution_of_a_page
from .sheet import Sheet
from .steps import Steps
from .views import REFUSED

TURN = 0.03  # seconds of steps, and then
REST = 0.005  # seconds in which the kernel hears what else there is
BETWEEN = 0.15  # seconds from one picture to the next, or four times what one takes


class ProgressBar(tqdm.notebook.tqdm):
    """tqdm's bar as a widget, without a thread of its own that looks after it."""

    monitor_interval = 0


class LongWork(Explorer):
    """An explorer of what takes seconds to come about, such as a training.

    The work is an iterator; each of its items is what a step, of 50 ms at most, has
    come to. In a page the steps are taken between all else that the kernel does: the
    picture is drawn as the work goes, a bar says how far it is, and the reader may stop
    it and go on. In a script, a test or a notebook that is executed nobody looks on:
    there all steps are taken before anything is shown. Once the work is over,
    what is saved is its end, the same however often it was stopped (see `Steps`);
    before that, it is what the cell showed at first.

    A control that the work asks for begins it anew; any other shows the work as it
    stands in another way. If a step fails, the reason stands in one line, and the last
    good picture stays. Closing the explorer stops the work.

    Args:
        name, controls, always: see `Explorer`.
        function: (found, **control values) → a sheet; `found` is the latest item.
        work: (those control values that it names) → its items: first how all stands
            before the first step, then one for each step.
        count: how many steps there are.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Sheet],
        work: Callable[..., Iterable[Any]],
        count: int,
        controls: Mapping[str, Any] | None = None,
        **always: Any,
    ) -> None:
        self._work = work
        self._count = count
        self._begun_with: dict[str, Any] | None = None
        self._loop = _loop_of_a_page()
        self._turn: object = None  # what takes the steps, while they are taken
        self._progress = ProgressBar(
            total=count, unit=" steps", display=False, mininterval=0, miniters=1
        )
        self._button = W.Button(layout={"width": "8em"})
        self._button.on_click(lambda _: self.stop() if self._turn else self.go_on())
        super().__init__(name, function, controls, **always)
        self._say()
        self.go_on()

    def go_on(self) -> None:
        """Take the steps that are left, if somebody looks on: else all are taken."""
        if self._loop is None or self._steps.is_over or self._turn:
            return
        self._turn = object()
        self._progress.unpause()
        self._say()
        asyncio.run_coroutine_threadsafe(self._go(self._turn), self._loop)

    async def _go(self, turn: object) -> None:
        """Take steps until they are stopped; what fails beside them is said."""
        try:
            await self._take_turns(turn)
        except (Exception, KeyboardInterrupt) as error:
            self._turn = None
            self.view.message = _in_a_line(error)
            self._say()

    def stop(self) -> None:
        """Take no other step until `go_on`."""
        self._turn = None
        self._changed()

    def start_again(self) -> None:
        """Begin anew, with the controls as they stand."""
        self._begun_with = None
        self._changed()

    def finish(self) -> Any:
        """Take the steps that are left, all at once, and give what the last came to.

        Raises:
            Exception: what a step has raised, now or before.
        """
        try:
            self._take_all(self._steps)
        finally:
            self._come_to_an_end()
        return self._steps.found

    def reset(self) -> None:
        """Bring every control back to how it began, and begin anew."""
        before = self._steps
        super().reset()
        if self._steps is before:
            self.start_again()

    def close(self) -> None:
        """Stop, and leave the page."""
        self._turn = None
        self._say()
        super().close()

    # ── the steps ─────────────────────────────────────────────────────────────
    def _run(self, inputs: dict[str, Array]) -> None:
        """Show the work as it stands, or begin it anew for what is asked now."""
        names = signature(self._work).parameters
        asked = {name: v for name, v in self._read().items() if name in names}
        if asked != self._begun_with:
            self._turn = None
            steps = Steps(self._work(**asked))
            if self._loop is None:
                self._take_all(steps)
            self._steps = steps
            self._begun_with = asked
            self._progress.reset()
        self._always["found"] = self._steps.found
        super()._run(inputs)

    def _take_all(self, steps: Steps) -> None:
        """Take all steps that are left; a terminal is told how far they are."""
        how: Any = {"total": self._count, "initial": steps.taken, "unit": " steps"}
        with tqdm.std.tqdm(**how, disable=None) as told:
            while not steps.is_over:
                steps.take(TURN)
                told.update(steps.taken - told.n)
        if steps.failure:
            raise steps.failure

    async def _take_turns(self, turn: object) -> None:
        """Take steps between all else that the kernel does, until they are stopped."""
        drawn = time.monotonic()
        pause = BETWEEN
        while turn is self._turn:
            self._steps.take(TURN)
            began = time.monotonic()
            if self._steps.is_over:
                self._come_to_an_end()
            elif began - drawn > pause:
                self._changed()
                drawn = time.monotonic()
                pause = max(BETWEEN, 4 * (drawn - began))
            await asyncio.sleep(REST)

    def _come_to_an_end(self) -> None:
        """Show the end, and let the page put it into the notebook that it saves."""
        self._turn = None
        self._changed()
        if self._loop is not None and self.comm is not None:
            kept, about = self.at_rest()
            self._tools.end = {"of": self.model_id, "data": kept, "metadata": about}

    # ── what is shown ─────────────────────────────────────────────────────────
    def _changed(self, _: object = None) -> None:
        before = self._steps
        try:
            super()._changed()
        except Exception as error:
            if self._loop is None:
                raise
            self.view.message = _in_a_line(error)
        if self._steps is not before:
            self.go_on()
        self._say()

    def _refuse(self, why: str) -> None:
        """Say why; the picture follows the work with what was not refused before."""
        with suppress(*REFUSED):
            self._run_with(self.settings | (self._begun_with or {}), self.inputs)
            self._draw()
        super()._refuse(why)

    def _draw(self) -> None:
        super()._draw()
        if failure := self._steps.failure:
            step = f"Step {self._steps.taken + 1} failed"
            self.view.message = f"{step}: {_in_a_line(failure)}"

    def _above(self, controls: list[Any]) -> Any:
        """The controls, and below them how far the work is."""
        again = W.Button(description="Start again", icon="refresh")
        again.layout.width = "auto"
        self._progress.container.children[0].layout.width = "3em"
        again.on_click(lambda _: self.start_again())
        steps = [self._button, again, self._progress.container]
        return W.VBox([bar(controls), bar(steps)])

    def _say(self) -> None:
        """Say how far the work is, and what a press would do."""
        steps = self._steps
        progress = self._progress
        progress.update(steps.taken - progress.n)
        text, icon = ("Stop", "pause") if self._turn else ("Go on", "play")
        if steps.is_over:  # it can still be pressed: else it would lose the focus
            text, icon = ("Failed", "times") if steps.failure else ("Finished", "check")
        self._button.description = text
        self._button.icon = icon
        if steps.is_over:
            progress.disp(bar_style="danger" if steps.failure else "success")


def _loop_of_a_page() -> asyncio.AbstractEventLoop | None:
    """The loop of the kernel whose cell a page runs now, or None: nobody looks on."""
    _, cell = execution_of_a_page()
    return asyncio.get_running_loop() if cell else None


def _in_a_line(error: BaseException) -> str:
    """What an error says, in one line that is not too long."""
    reason = " ".join(str(error).split()) or "no reason was given"
    text = f"{type(error).__name__}: {reason}"
    return text if len(text) <= 200 else text[:199] + "…"

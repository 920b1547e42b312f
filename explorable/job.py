"""Job: work that takes seconds, in steps that are drawn and can be interrupted."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from inspect import signature
from typing import Any

import ipywidgets as W
import tqdm.notebook
import tqdm.std

from .controls import together
from .drawing import Array
from .explorer import Explorer
from .lifetime import closing_if_refused, execution_of_a_page
from .sheet import Sheet
from .steps import Steps
from .validation import in_a_line
from .views import REFUSED

TURN = 0.03  # seconds of steps at a time
REST = 0.005  # seconds between them, in which the kernel handles other messages
BETWEEN = 0.15  # seconds between two pictures, or four times what one takes


class ProgressBar(tqdm.notebook.tqdm):
    """tqdm's bar as a widget, without its monitoring thread."""

    monitor_interval = 0


class TerminalBar(tqdm.std.tqdm):
    """tqdm's bar in a terminal, without that thread either."""

    monitor_interval = 0


class Job(Explorer):
    """An explorer of work that takes seconds, such as a training.

    The work is an iterator; each item is the result of a step of at most 50 ms. In a
    page the steps are taken while the kernel is otherwise idle: the picture is drawn as
    the work goes, a bar shows the progress, and the reader can stop and resume it. In a
    script, a test or a notebook that a program executes, nobody watches: there all
    steps are taken before anything is shown. Once the work is over, its end is saved,
    the same however often it was stopped (see `Steps`); before that, what the cell
    showed first is saved.

    A control that the work takes as an argument starts it again; any other control
    shows the current state in another way. If a step fails, one line says why, and the
    last good picture stays. Closing the explorer stops the work.

    Args:
        name, controls, options: see `Explorer`.
        function: (found, **control values) → a sheet; `found` is the latest item.
        work: (those control values that it names) → its items: first how all stands
            before the first step, then one for each step.
        count: how many steps there are.
    """

    @closing_if_refused()
    def __init__(
        self,
        name: str,
        function: Callable[..., Sheet],
        work: Callable[..., Iterable[Any]],
        count: int,
        controls: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self._work = work
        self._count = count
        self._begun_with: dict[str, Any] | None = None
        self._loop = _loop_of_a_page()
        self._turn: object = None  # what takes the steps, while they are taken
        self._progress = ProgressBar(
            total=count,
            # tqdm would write other spaces as wide as a digit
            bar_format="{bar}{n_fmt}\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}{total_fmt}"
            "\N{NO-BREAK SPACE}steps",
            display=False,
            mininterval=0,
            miniters=1,
        )
        self._button = W.Button(layout={"width": "8em"})
        self._button.on_click(lambda _: self.stop() if self._turn else self.go_on())
        super().__init__(name, function, controls, **options)
        self._say()
        self.go_on()

    def go_on(self) -> None:
        """Resume the remaining steps; without a page they have all been taken."""
        if self._loop is None or self._steps.is_over or self._turn:
            return
        self._turn = object()
        self._progress.unpause()
        self._say()
        asyncio.run_coroutine_threadsafe(self._go(self._turn), self._loop)

    async def _go(self, turn: object) -> None:
        """Take steps until they are stopped, and report what else fails."""
        try:
            await self._take_turns(turn)
        except (Exception, KeyboardInterrupt) as error:
            self._turn = None
            self.view.message = in_a_line(error)
            self._say()

    def stop(self) -> None:
        """Pause the work until `go_on`."""
        self._turn = None
        self._changed()

    def start_again(self) -> None:
        """Start the work again, with the current values of the controls."""
        self._begun_with = None
        self._changed()

    def finish(self) -> Any:
        """Take all remaining steps at once, and return the result of the last one.

        Raises:
            Exception: what a step has raised, now or before.
        """
        try:
            self._take_all(self._steps)
        finally:
            self._come_to_an_end()
        return self._steps.found

    def reset(self) -> None:
        """Bring every control back to how it began, and start the work again."""
        self._begun_with = None
        super().reset()

    def close(self) -> None:
        """Stop, and leave the page."""
        self._turn = None
        if self.comm is not None:  # as it is of one that was refused
            self._say()
        super().close()

    # ── the steps ─────────────────────────────────────────────────────────────
    def _run(self, inputs: dict[str, Array]) -> None:
        """Show the current state; first start again if the arguments have changed."""
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
        """Take all remaining steps, with a progress bar in a terminal."""
        how: Any = {"total": self._count, "initial": steps.taken, "unit": " steps"}
        with TerminalBar(**how, disable=None) as told:
            while not steps.is_over:
                steps.take(TURN)
                told.update(steps.taken - told.n)
        if steps.failure:
            raise steps.failure

    async def _take_turns(self, turn: object) -> None:
        """Take steps between the kernel's other tasks, until they are stopped."""
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
        """Show the result, and hand it to the page for the saved notebook."""
        self._turn = None
        self._changed()
        if self._loop is not None and self.comm is not None:
            kept, about = self.at_rest()
            self._tools.end = {"of": self.model_id, "data": kept, "metadata": about}

    # ── what is shown ─────────────────────────────────────────────────────────
    def _changed(self, _: object = None) -> None:
        before = self._steps
        super()._changed()
        if self._steps is not before:
            self.go_on()
        self._say()

    def _refuse(self, error: Exception) -> None:
        """Say why; the picture still follows the work, with the last good settings.

        In a script, where nobody sees a message, a failure is raised.
        """
        if self._loop is None and not isinstance(error, REFUSED):
            raise error
        with suppress(Exception):
            self._run_with(self.settings | (self._begun_with or {}), self.inputs)
            self._draw()
        super()._refuse(error)

    def _draw(self) -> None:
        super()._draw()
        if failure := self._steps.failure:
            step = f"Step {self._steps.taken + 1} failed"
            self.view.message = f"{step}: {in_a_line(failure)}"

    def _ranks(self, more: Sequence[str]) -> tuple[list[Any], list[Any]]:
        """The buttons and the progress of the work come before the controls."""
        first, second = super()._ranks(more)
        again = W.Button(description="Start again", icon="refresh")
        again.layout.width = "auto"
        self._progress.container.children[0].layout.display = "none"
        again.on_click(lambda _: self.start_again())
        buttons = together([self._button, again])
        return [buttons, self._progress.container, *first], second

    def _say(self) -> None:
        """Show the progress, and label the button with what pressing it does."""
        steps = self._steps
        progress = self._progress
        progress.update(steps.taken - progress.n)
        text, icon = ("Stop", "pause") if self._turn else ("Go on", "play")
        if steps.is_over:  # not disabled, or it would lose the focus
            text, icon = ("Failed", "times") if steps.failure else ("Finished", "check")
        self._button.description = text
        self._button.icon = icon
        if steps.is_over:
            progress.disp(bar_style="danger" if steps.failure else "success")


def _loop_of_a_page() -> asyncio.AbstractEventLoop | None:
    """The kernel's loop if a page runs the current cell, or None: nobody watches."""
    _, cell = execution_of_a_page()
    return asyncio.get_running_loop() if cell else None

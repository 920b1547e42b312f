"""Explorer: controls → a pure function → views, and a picture that needs no kernel."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import ipywidgets as W
from matplotlib.figure import Figure

from . import plots
from .controls import bar, limit, side_by_side, together, typed_beside
from .drawing import Array, Drawing, in_a_cell, laid_out
from .functions import registered
from .inputs import check_entry
from .lifetime import Exhibit, closing_if_refused
from .picture import draw_picture
from .sheet import Sheet
from .tools import ToolsView
from .validation import require
from .views import View, reason, view_in


class Explorer(Exhibit):
    """Ties controls and editable matrices to views through a pure function.

    Whatever changes, the function runs again and the views show what it gave. If it
    refuses or fails, one line says why, and the last good picture stays. What a control
    may do, such as where a slider ends, is part of what the function returns; see
    `Trace.control`.

    Args:
        name: of the explorer, and of the file of a saved picture.
        function: (**inputs, **control values) → a sheet with its drawings.
        controls: by name, widgets with a `value`; their names are the function's.
        inputs: by name, the matrices that the reader may edit.
        title: what stands at the head of the card; by default the name in words.
        task: one line below it: what to do with the explorer.
        more: which controls are shown only once the reader asks for more of them.
        always: other arguments of the function, the same in every run.

    Attributes:
        controls: the widgets, by name.
        views: all of them, by band and kind of drawing.
        values: the named arrays of the last good run.
        drawings: what that run shows, in reading order.
        settings: the controls' values in that run.
        inputs: the matrices as they are now.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Sheet],
        controls: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Array] | None = None,
        *,
        title: str = "",
        task: str = "",
        more: Sequence[str] = (),
        **always: Any,
    ) -> None:
        self._function = function
        self._always = always
        self.controls = dict(controls or {})
        self._limits: dict[str, dict[str, Any]] = {}
        self._holding = False
        self._first_inputs = deepcopy(dict(inputs or {}))
        with closing_if_refused(*self.controls.values()):
            self._run(deepcopy(self._first_inputs))
        self._first_values = {name: w.value for name, w in self.controls.items()}
        self._first_limits = self._limits
        self.views: dict[tuple[int, str], View] = {}
        title = title or name.replace("_", " ").capitalize()
        self._tools = ToolsView(name, self, title, task)
        for name_of, control in self.controls.items():
            control.observe(self._changed, names="value")
            control.add_class(f"tl-control-{name_of}")  # by which the page names it
        self._panels = W.VBox()
        self._panels.add_class("tl-panels")
        aside = W.Box()  # where the page puts the explanation
        aside.add_class("tl-aside")
        stage = W.Box([self._panels, aside])
        stage.add_class("tl-stage")
        bars = self._bars(more)
        bars.add_class("tl-controls")
        super().__init__([self._tools, bars, stage])
        self.add_class("tl-explorer")
        if not self.controls:
            self.add_class("tl-bare")
        self._draw()

    @property
    def view(self) -> View:
        """The view that explains a number at first; it shows refusals, too."""
        leading = (d for d in self.drawings if d.leads)
        first = next(leading, self.drawings[0])
        return self.views[first.band, first.kind]

    def edit(self, name: str, row: int | None, column: int | None, value: Any) -> None:
        """Put numbers into an editable matrix, and run again.

        Where `column` is None, `value` holds the numbers of the whole row; where `row`
        is None as well, it holds (row, column, number) of any cells.

        Raises:
            IndexError: there is no such matrix or cell.
            ValueError, TypeError: it is no finite number within ±1 000 000, or the
                function refuses it; then nothing has changed.
        """
        known = f"be one of {sorted(self.inputs)}"
        there = name in self.inputs
        require(there, "a matrix to edit", known, repr(name), IndexError)
        rows, columns = self.inputs[name].shape
        inside = f"be in rows 0 to {rows - 1} and columns 0 to {columns - 1}"
        changed = deepcopy(self.inputs)
        for r, c, number in _cells(row, column, value, columns):
            there = r in range(rows) and c in range(columns)
            require(there, f"a cell of {name}", inside, (r, c), IndexError)
            check_entry(name, number)
            changed[name][r, c] = number
        self._show(changed)

    def choose(self, name: str, row: int = 0, column: int = 0) -> None:
        """Set the control that a click on this place sets.

        Raises:
            IndexError: there is no such panel.
            TypeError, ValueError: there is no such place.
        """
        panel = next((d for d in self.drawings if d.name == name), None)
        chosen = panel.choice(row, column) if panel else None
        if chosen is None:
            raise IndexError(f"name must be of a panel to choose, got {name!r}")
        control, value = chosen
        self.controls[control].value = value

    def take(self, name: str, text: str) -> None:
        """Set a slider to the number that was typed beside it, or say why not."""
        try:
            value = typed_beside(self.controls[name], text)
        except Exception as error:
            self.view.message = reason(error)
        else:
            self.view.message = ""
            self.controls[name].value = value

    def reset(self) -> None:
        """Bring every control and every matrix back to how they began, in one run."""
        with self._held():
            self._limit(self._first_limits)
            for name, value in self._first_values.items():
                self.controls[name].value = value
        self.inputs = deepcopy(self._first_inputs)
        for view in self.views.values():
            view.pin = None
            view.send({"type": "reset"})
        self._changed()

    def _bars(self, more: Sequence[str]) -> Any:
        """The controls in two rows; the first ends in "More" and "Reset".

        The page shows the second row on request.
        """
        reset = W.Button(description="Reset", icon="undo", layout={"width": "auto"})
        reset.on_click(lambda _: self.reset())
        first, second = self._ranks(more)
        self._second = second
        if not second:
            return W.Box([bar(first), together([reset])])
        button = W.Button(description="More", layout={"width": "auto"})
        button.add_class("tl-more")
        rows = bar(first), bar(second)
        rows[1].add_class("tl-second")
        return W.Box([rows[0], together([button, reset]), rows[1]])

    def _ranks(self, more: Sequence[str]) -> tuple[list[Any], list[Any]]:
        """The controls that everybody needs, and those that few ask for."""
        first = [w for name, w in self.controls.items() if name not in more]
        return first, [self.controls[name] for name in more if name in self.controls]

    def _read(self) -> dict[str, Any]:
        """Read the controls, rounded: steps add up to 1.0000000000000002."""
        read = ((name, w.value) for name, w in self.controls.items())
        return {n: round(v, 10) if isinstance(v, float) else v for n, v in read}

    def _run(self, inputs: dict[str, Array]) -> None:
        """Run the function with the controls as they stand.

        It runs once more if what it says of controls has moved the value of one.
        """
        self._run_with(self._read(), inputs)
        if (moved := self._read()) != self.settings:
            self._run_with(moved, inputs)

    def _run_with(self, settings: dict[str, Any], inputs: dict[str, Array]) -> None:
        """Run the function, and keep what it returns unless it refuses."""
        with registered("quiet")():
            sheet = self._function(**self._always, **inputs, **settings)
        drawings = laid_out(sheet.connected(), inputs)
        for drawing in drawings:
            drawing.check(sheet.arrays)
        # The function may cache its arrays: the reader gets copies.
        self.values = deepcopy(sheet.arrays)
        self.drawings: list[Drawing] = drawings
        self.inputs = inputs
        self.settings = settings
        with self._held():
            self._limit(sheet.controls)

    def _limit(self, limits: dict[str, dict[str, Any]]) -> None:
        """Apply what a sheet says of its controls."""
        for name, new in limits.items():
            limit(self.controls[name], self._limits.get(name, {}), **new)
        self._limits = limits

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Let controls be set without a run."""
        before = self._holding
        self._holding = True
        try:
            yield
        finally:
            self._holding = before

    def _show(self, inputs: dict[str, Array]) -> None:
        """Run and draw; if either fails, everything stays as it was."""
        last = self.values, self.drawings, self.inputs, self.settings
        try:
            self._run(inputs)
            self._draw()
        except BaseException:
            self.values, self.drawings, self.inputs, self.settings = last
            raise

    def _changed(self, _: object = None) -> None:
        if self._holding:
            return
        try:
            self._show(self.inputs)
        except Exception as error:
            self._refuse(error)

    def _refuse(self, error: Exception) -> None:
        """Say why nothing has changed, and let the reader reach what is to blame."""
        why = reason(error)
        self.view.message = why
        control = self.controls.get(why.partition(" ")[0])  # errors name it first
        if control is not None:
            control.layout.display = None
            if control in self._second:
                self._tools.send({"type": "more"})

    def _draw(self) -> None:
        """Return each view its drawings, and hide a view that has none."""
        places = {(d.band, d.kind): d.folder() for d in self.drawings}
        new = [place for place in places if place not in self.views]
        answers = self.edit, self.choose, self._refuse
        for place in new:
            self.views[place] = view_in(places[place])(*answers)
        if new:
            bands = sorted({band for band, _ in self.views})
            rows = [[v for (b, _), v in self.views.items() if b == n] for n in bands]
            self._panels.children = [*map(side_by_side, rows)]
        for place, view in self.views.items():
            mine = [d for d in self.drawings if (d.band, d.kind) == place]
            view.layout.display = None if mine else "none"
            view.tells = view is self.view
            view.show(mine, self.values)

    # ── at rest: what the saved notebook keeps ────────────────────────────────
    def text(self) -> str:
        """The settings and every drawing's numbers, as text."""
        settings = " · ".join(f"{n}: {_plain(v)}" for n, v in self.settings.items())
        tables = [d.text(self.values) for d in self.drawings]
        return "\n\n".join([*([settings] if settings else []), *tables])

    def numbers(self) -> str:
        """The same as `text`, to be read by a program: tabs between plain numbers."""
        settings = [f"{n}\t{in_a_cell(str(v))}" for n, v in self.settings.items()]
        tables = [d.numbers(self.values) for d in self.drawings]
        return "\n\n".join(["\n".join(settings), *tables]).strip("\n") + "\n"

    def picture(self) -> Figure:
        """The panels as a matplotlib figure: the static twin of the view."""
        return draw_picture(self.drawings, self.values)

    def alt(self) -> str:
        """Name all drawings by their headings."""
        parts = "; ".join(drawing.heading() for drawing in self.drawings)
        return f"Picture of {parts}. The text form has its numbers."


def _cells(
    row: Any, column: Any, value: Any, columns: int
) -> list[tuple[Any, Any, Any]]:
    """Spell an edit out as (row, column, number) for each cell."""
    if column is not None:
        return [(row, column, value)]
    if row is None:
        return [(r, c, number) for r, c, number in value]
    places = range(columns)
    return [(row, c, number) for c, number in zip(places, value, strict=True)]


def _plain(value: object) -> str:
    """A control's value in words: on/off, a short number, or itself."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if not isinstance(value, float):
        return str(value)
    return plots.number(value, 1) if value == round(value, 1) else f"{value:.10g}"

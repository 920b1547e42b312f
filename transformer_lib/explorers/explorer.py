"""Explorer: controls → a pure function → a view, and a picture that needs no kernel."""

import base64
import io
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as W
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from .. import plots
from .controls import bar, button
from .still import draw_panels
from .views import REFUSED, MatrixView, Panel, sized

Arrays = dict[str, NDArray[np.float64]]


class Explorer(W.VBox):
    """Ties controls and editable matrices to a view through a pure function.

    Whatever changes, the function runs again and the view shows what it gave. If it
    refuses, its reason stands in one line and the last good picture stays.

    Args:
        function: (**inputs, **control values) → named float64 arrays.
        panels: those arrays and the control values → the panels to draw.
        controls: by name, widgets with a `value`; their names are the function's.
        inputs: by name, the matrices that the reader may edit.

    Attributes:
        controls: the widgets, by name.
        view: the MatrixView.
        values: the named arrays of the last good run.
        settings: the controls' values in that run.
        inputs: the matrices as they stand now.
    """

    def __init__(
        self,
        function: Callable[..., Arrays],
        panels: Callable[..., list[Panel]],
        controls: Mapping[str, Any],
        inputs: Mapping[str, NDArray[np.float64]],
    ) -> None:
        self._function, self._panels = function, panels
        self.controls = dict(controls)
        self._first_inputs = {name: x.copy() for name, x in inputs.items()}
        self._first_values = {name: w.value for name, w in controls.items()}
        self._run({name: x.copy() for name, x in inputs.items()})
        self.view = MatrixView(edit=self.edit)
        self.view.show(self._current_panels(), self.values)
        self._reset = button("Reset", "undo")
        self._reset.on_click(lambda _: self.reset())
        for control in self.controls.values():
            control.observe(self._changed, names="value")
        super().__init__([bar([*self.controls.values(), self._reset]), self.view])

    def edit(self, name: str, row: int, column: int, value: float) -> None:
        """Put a number into an editable matrix and run again.

        Raises:
            IndexError: there is no such matrix or cell.
            ValueError, TypeError: the function refuses; then nothing has changed.
        """
        if name not in self.inputs:
            raise IndexError(
                f"{name!r} is no matrix to edit: {sorted(self.inputs)} are"
            )
        rows, columns = self.inputs[name].shape
        if row not in range(rows) or column not in range(columns):
            raise IndexError(
                f"{name} has rows 0 to {rows - 1} and columns 0 to {columns - 1}, "
                f"got ({row}, {column})"
            )
        changed = {**self.inputs, name: self.inputs[name].copy()}
        changed[name][row, column] = value
        self._run(changed)
        self._draw()

    def reset(self) -> None:
        """Bring every control and every matrix back to how they began."""
        self.inputs = {name: x.copy() for name, x in self._first_inputs.items()}
        for name, value in self._first_values.items():
            self.controls[name].value = value
        self.view.pin = None
        self._changed()

    def _run(self, inputs: Arrays) -> None:
        """Run the function; what it gives is taken over only if it did not refuse."""
        controls = self.controls.items()
        settings = {name: _exact(control.value) for name, control in controls}
        self.values: Arrays = self._function(**inputs, **settings)
        self.inputs, self.settings = inputs, settings

    def _changed(self, _: object = None) -> None:
        try:
            self._run(self.inputs)
        except REFUSED as error:
            self.view.message = str(error)
        else:
            self._draw()

    def _draw(self) -> None:
        self.view.show(self._current_panels(), self.values)

    def _current_panels(self) -> list[Panel]:
        return sized(self._panels(self.values, **self.settings))

    # ── at rest: what the saved notebook keeps ────────────────────────────────
    def text(self) -> str:
        """The settings and every panel's numbers, as text."""
        settings = " · ".join(f"{n}: {_plain(v)}" for n, v in self.settings.items())
        tables = [p.text(self.values[p.name]) for p in self._current_panels()]
        return "\n\n".join([*([settings] if settings else []), *tables])

    def picture(self) -> Figure:
        """The panels as a matplotlib figure: the static twin of the view."""
        return draw_panels(self._current_panels(), self.values)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        png = io.BytesIO()
        with warnings.catch_warnings():  # a word may have letters that the font lacks
            warnings.filterwarnings("ignore", "Glyph .* missing")
            self.picture().savefig(png, format="png", metadata={"Software": None})
        bundle["image/png"] = base64.b64encode(png.getvalue()).decode()
        bundle["text/plain"] = self.text()
        return bundle


def _exact(value: Any) -> Any:
    """A slider's 1.0000000000000002 as the 1.0 that its reader sees."""
    return round(value, 10) if isinstance(value, float) else value


def _plain(value: object) -> str:
    """A control's value in words: on/off, a short number, or itself."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return plots.number(value, 1) if isinstance(value, float) else str(value)

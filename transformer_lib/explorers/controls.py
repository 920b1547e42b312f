"""The controls of every explorer, in one look: labels in full, one line each."""

from collections.abc import Sequence
from typing import Any

import ipywidgets as W


def slider(label: str, value: float, low: float, high: float, step: float) -> Any:
    """A slider over real numbers."""
    return W.FloatSlider(
        value=value,
        min=low,
        max=high,
        step=step,
        description=label,
        readout_format=".1f",
        style={"description_width": "initial"},
        layout=_wide(30 + len(label)),
    )


def stops(label: str, values: Sequence[int], value: int) -> Any:
    """A slider over a few whole numbers."""
    return W.SelectionSlider(
        options=list(values),
        value=value,
        description=label,
        style={"description_width": "initial"},
        layout=_wide(30 + len(label)),
    )


def choice(label: str, options: Sequence[str], wide: float = 5.5) -> Any:
    """Buttons side by side, each `wide` em, one of them pressed."""
    buttons = W.ToggleButtons(
        options=list(options),
        description=label,
        style={"description_width": "initial", "button_width": f"{wide}em"},
        layout=_wide(len(label) + 2 * wide * len(options)),
    )
    buttons.add_class("tl-choice")
    return buttons


def switch(label: str, value: bool) -> Any:
    """A box to tick."""
    return W.Checkbox(
        value=value, description=label, indent=False, layout=_wide(len(label) + 3)
    )


def button(label: str, icon: str) -> Any:
    """A button as wide as its label."""
    return W.Button(description=label, icon=icon, layout=W.Layout(width="auto"))


def bar(controls: Sequence[Any]) -> Any:
    """The controls side by side, wrapping on a narrow page."""
    row = W.Layout(flex_flow="row wrap", align_items="center", margin="0 0 0 4px")
    return W.Box(list(controls), layout=row)


def _wide(characters: float) -> Any:
    return W.Layout(width=f"{0.62 * characters:.1f}em", margin="2px 26px 2px 0")

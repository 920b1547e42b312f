"""The controls of every explorer, in one look: labels in full, one line each."""

from collections.abc import Sequence
from typing import Any

import ipywidgets as W


def _control(kind: Any, label: str, characters: float, **traits: Any) -> Any:
    """A widget as wide as so many characters, its label beside it."""
    width = f"{0.62 * characters:.1f}em"
    style = {"description_width": "initial", **traits.pop("style", {})}
    layout = W.Layout(width=width, margin="2px 26px 2px 0")
    return kind(description=label, style=style, layout=layout, **traits)


def slider(label: str, value: float, low: float, high: float, step: float) -> Any:
    """A slider over real numbers, read to one decimal, or as many as it begins with."""
    decimals = len(f"{value:.10f}".rstrip("0").partition(".")[2])
    shown = f".{max(1, decimals)}f"
    ends = {"min": low, "max": high, "step": step, "readout_format": shown}
    return _control(W.FloatSlider, label, 30 + len(label), value=value, **ends)


def whole(label: str, value: int, low: int, high: int) -> Any:
    """A slider over whole numbers."""
    ends = {"min": low, "max": high}
    return _control(W.IntSlider, label, 30 + len(label), value=value, **ends)


def stops(label: str, values: Sequence[float], value: float) -> Any:
    """A slider over a few numbers."""
    kind, wide = W.SelectionSlider, 30 + len(label)
    return _control(kind, label, wide, options=list(values), value=value)


def choice(
    label: str, options: Sequence[str], wide: float = 5.5, value: str | None = None
) -> Any:
    """Buttons side by side, each `wide` em, one of them pressed, or else the first."""
    look = {"style": {"button_width": f"{wide}em"}, "value": value or options[0]}
    buttons = _control(W.ToggleButtons, label, 0, options=list(options), **look)
    buttons.layout.width = "auto"
    buttons.add_class("tl-choice")
    return buttons


def menu(label: str, options: Sequence[str], value: str) -> Any:
    """A list that opens when it is wanted."""
    wide = min(70, len(label) + 6 + max(map(len, options)))
    return _control(W.Dropdown, label, wide, options=list(options), value=value)


def switch(label: str, value: bool) -> Any:
    """A box to tick."""
    return _control(W.Checkbox, label, len(label) + 3, value=value, indent=False)


def text(label: str, value: str, *, at_once: bool = True, wide: int = 56) -> Any:
    """A line of text to type in: every key counts, or Enter and leaving it do."""
    return _control(W.Text, label, wide, value=value, continuous_update=at_once)


def button(label: str, icon: str) -> Any:
    """A button as wide as its label."""
    return W.Button(description=label, icon=icon, layout=W.Layout(width="auto"))


def bar(controls: Sequence[Any]) -> Any:
    """The controls side by side, wrapping on a narrow page."""
    row = W.Layout(flex_flow="row wrap", align_items="center", margin="0 0 0 4px")
    return W.Box(list(controls), layout=row)


def side_by_side(views: Sequence[Any]) -> Any:
    """Views in one row, wrapping on a narrow page; the last takes what is left."""
    if len(views) == 1:
        return views[0]
    for view in views[:-1]:
        view.layout.flex = "0 1 auto"
    views[-1].layout.flex = "1 1 24em"
    row = W.Layout(flex_flow="row wrap", align_items="flex-start")
    return W.Box(list(views), layout=row)

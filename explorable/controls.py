"""The controls of every explorer, in one look: labels in full, one line each.

What a control is to begin with is checked: widgets clip it in silence, or refuse it in
words of their own. The error names the argument by `name`, where that is not the label.
"""

from collections.abc import Sequence
from typing import Any

import ipywidgets as W

from .inputs import sentence_words, whole_number
from .validation import check_number, check_option
from .views import parse_number

STARTS = ("first", "second", "third", "fourth", "fifth")  # by their seeds


def _control(kind: Any, label: str, room: float = 30, **traits: Any) -> Any:
    """A widget with its label, and room for so many characters beside it."""
    width = f"{0.62 * (len(label) + room):.1f}em"
    style = {"description_width": "initial", **traits.pop("style", {})}
    layout = W.Layout(width=width, margin="2px 26px 2px 0")
    return kind(description=label, style=style, layout=layout, **traits)


def slider(
    label: str, value: float, low: float, high: float, step: float, name: str = ""
) -> Any:
    """A slider over real numbers, read to one decimal, or as many as it begins with."""
    check_number(name or label, value, low, high)
    decimals = len(f"{value:.10f}".rstrip("0").partition(".")[2])
    ends: Any = {"min": low, "max": high, "readout_format": f".{max(1, decimals)}f"}
    return _control(W.FloatSlider, label, value=value, step=step, **ends)


def whole(
    label: str, value: int, low: int, high: int, name: str = "", room: int = 30
) -> Any:
    """A slider over whole numbers."""
    value = whole_number(name or label, value, low, high)
    return _control(W.IntSlider, label, room, value=value, min=low, max=high)


def stops(label: str, values: Sequence[Any], value: Any, name: str = "") -> Any:
    """A slider over a few rising numbers."""
    if all(isinstance(number, int) for number in values):
        value = whole_number(name or label, value, values[0], values[-1])
    check_option(name or label, value, values)
    return _control(W.SelectionSlider, label, options=list(values), value=value)


def typed_beside(slider: Any, text: str) -> Any:
    """The value that a reader means who types this at the number beside a slider.

    Raises:
        ValueError: it is no number, or none that the slider reaches.
    """
    name = slider.description
    number = parse_number(text)
    if hasattr(slider, "options"):
        shown: Any = int(number) if number.is_integer() else number
        check_option(name, shown, slider.options)
        return slider.options[slider.options.index(number)]
    check_number(name, number, slider.min, slider.max)
    steps = round((number - slider.min) / slider.step)
    return type(slider.value)(round(slider.min + steps * slider.step, 10))


def choice(
    label: str,
    options: Sequence[str],
    wide: float = 5.5,
    value: str | None = None,
    name: str = "",
) -> Any:
    """Buttons side by side, each `wide` em, one of them pressed, or else the first."""
    value = options[0] if value is None else value
    check_option(name or label, value, options)
    look: Any = {"options": list(options), "style": {"button_width": f"{wide}em"}}
    buttons = _control(W.ToggleButtons, label, value=value, **look)
    buttons.layout.width = "auto"
    buttons.add_class("tl-choice")
    return buttons


def random_start() -> Any:
    """Buttons for the seed that a training begins from: see `seed_of`."""
    return choice("random start", STARTS)


def seed_of(start: str) -> int:
    """The seed of a random start."""
    return STARTS.index(start)


def menu(label: str, options: Sequence[str], value: str) -> Any:
    """A list that opens when it is wanted."""
    room = min(70 - len(label), 6 + max(map(len, options)))
    return _control(W.Dropdown, label, room, options=list(options), value=value)


def switch(label: str, value: bool) -> Any:
    """A box to tick."""
    return _control(W.Checkbox, label, 3, value=value, indent=False)


def text(
    label: str, value: str, most: int, *, at_once: bool = True, room: int = 48
) -> Any:
    """A line for a sentence of at most so many words: every key counts, or Enter."""
    sentence_words(value, most, label)
    return _control(W.Text, label, room, value=value, continuous_update=at_once)


def bar(controls: Sequence[Any]) -> Any:
    """The controls side by side, wrapping on a narrow page."""
    row = {"flex_flow": "row wrap", "align_items": "center", "margin": "0 0 0 4px"}
    return W.Box(list(controls), layout=row)


def side_by_side(views: Sequence[Any]) -> Any:
    """Views in one row, wrapping on a narrow page; the last takes what is left."""
    if len(views) == 1:
        return views[0]
    for view in views[:-1]:
        view.layout.flex = "0 1 auto"
    views[-1].layout.flex = "1 1 24em"
    row = {"flex_flow": "row wrap", "align_items": "flex-start"}
    return W.Box(list(views), layout=row)

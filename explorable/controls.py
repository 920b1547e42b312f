"""The controls of every explorer, in one style: full labels, one line each.

The first value of a control is checked, since widgets clip it silently or refuse it in
words of their own. Errors call the argument by its `name`, or else by the label.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import ipywidgets as W

from . import plots
from .inputs import sentence_words, whole_number
from .validation import check_number, check_option
from .views import parse_number

LINE = 40  # letters on buttons side by side
STARTS = ("one", "two", "three", "four", "five")  # what a reader calls the seeds


def _control(kind: Any, label: str, room: float = 0, **traits: Any) -> Any:
    """A widget with its label and, where it says so, room for so many characters."""
    style = {"description_width": "initial", **traits.pop("style", {})}
    width = f"{0.62 * (len(label) + room):.1f}em" if room else "auto"
    return kind(description=label, style=style, layout={"width": width}, **traits)


def slider(
    label: str, value: float, low: float, high: float, step: float, name: str = ""
) -> Any:
    """A slider over real numbers, shown with one decimal or as many as `value` has."""
    check_number(name or label, value, low, high)
    decimals = len(f"{value:.10f}".rstrip("0").partition(".")[2])
    ends: Any = {"min": low, "max": high, "readout_format": f".{max(1, decimals)}f"}
    return _control(W.FloatSlider, label, value=value, step=step, **ends)


def whole(label: str, value: int, low: int, high: int, name: str = "") -> Any:
    """A slider over whole numbers; fewer than ten are stepped through by buttons."""
    value = whole_number(name or label, value, low, high)
    ends: Any = {"min": low, "max": max(high, low + 1), "disabled": high == low}
    control = _control(W.IntSlider, label, value=value, **ends)
    if high - low < 10:
        control.add_class("tl-stepper")
    return control


def limit(
    control: Any,
    before: Mapping[str, Any],
    *,
    shown: bool,
    keep_last: bool = False,
    **traits: Any,
) -> None:
    """Apply to a control what a sheet says of it; see `Trace.control`.

    No page can draw a slider with a single position: such a slider is disabled, and has
    a second position that it never reaches.

    Args:
        control: a widget.
        before: what the sheet before said of it.
        shown: whether the reader sees it.
        keep_last: whether a slider at its end moves with its end.
        **traits: of the widget.
    """
    control.layout.display = None if shown else "none"
    if "max" in traits:
        last = traits["max"]
        is_last = control.value >= before.get("max", control.max)
        value = last if keep_last and is_last else min(control.value, last)
        traits["max"] = max(last, control.min + control.step)
        traits |= {"disabled": last <= control.min, "value": value}
    with control.hold_sync():  # one message to the page
        for name, value in traits.items():
            setattr(control, name, value)


def stops(label: str, values: Sequence[Any], value: Any, name: str = "") -> Any:
    """A slider over a few rising numbers; a list if there is one number only."""
    if all(isinstance(number, int) for number in values):
        value = whole_number(name or label, value, values[0], values[-1])
    check_option(name or label, value, values)
    kind = W.SelectionSlider if len(values) > 1 else W.Dropdown
    control = _control(kind, label, options=list(values), value=value)
    control.set_trait("_options_labels", tuple(map(_written, control._options_labels)))
    return control


def _written(number: str) -> str:
    """A number as a page has it: 10⁻⁵ for 1e-05, and 1,024 for 1024."""
    if number.isdigit():
        return f"{int(number):,}"
    return plots.scientific(number)


def typed_beside(slider: Any, text: str) -> Any:
    """Read what was typed beside a slider as one of its values.

    Raises:
        ValueError: it is no number, or none that the slider reaches.
    """
    name = slider.description
    if hasattr(slider, "options") and text in slider._options_labels:
        return slider.options[slider._options_labels.index(text)]
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
    value: str | None = None,
    name: str = "",
) -> Any:
    """Buttons side by side, one of them pressed: that of `value`, or the first."""
    value = options[0] if value is None else value
    check_option(name or label, value, options)
    look: Any = {"options": list(options), "style": {"button_width": "auto"}}
    buttons = _control(W.ToggleButtons, label, value=value, **look)
    buttons.add_class("tl-choice")
    return buttons


def one_of(label: str, words: Sequence[str], at: int = 0) -> Any:
    """Buttons for one of some words, or a list where buttons would fill the line."""
    each = told_apart(words)
    kind = choice if sum(map(len, each)) <= LINE else menu
    return kind(label, each, each[at])


def told_apart(words: Sequence[str]) -> list[str]:
    """The words, or "2: is" where two are the same or one is blank."""
    plain = [" ".join(word.split()) for word in words]
    if len({"", *plain}) > len(plain):
        return plain
    return [f"{n}: {word}" for n, word in enumerate(plain, start=1)]


def random_start() -> Any:
    """Buttons for the seed of a training: see `seed_of`."""
    return choice("seed", STARTS)


def seed_of(start: str) -> int:
    """The seed that was chosen."""
    return STARTS.index(start)


def menu(label: str, options: Sequence[str], value: str) -> Any:
    """A drop-down list."""
    room = min(70 - len(label), 6 + max(map(len, options)))
    return _control(W.Dropdown, label, room, options=list(options), value=value)


def switch(label: str, value: bool) -> Any:
    """A checkbox."""
    return _control(W.Checkbox, label, value=value, indent=False)


def text(
    label: str,
    value: str,
    most: int,
    *,
    at_once: bool = True,
    room: int = 48,
    words: Sequence[str] = (),
    least: int = 1,
) -> Any:
    """A text field for `least` (0 or 1) to `most` words, read at every key or on Enter.

    Where only some `words` are known, it lists them while one types: those that the
    text may end with, and those that may follow it.
    """
    if least or not (isinstance(value, str) and value == ""):
        sentence_words(value, most, label)
    look: dict[str, Any] = {"value": value, "continuous_update": at_once}
    if not words:
        return _control(W.Text, label, room, **look)
    field = _control(W.Combobox, label, room, **look)

    def offer(_: object = None) -> None:
        field.options = _continued(field.value, most, words)

    field.observe(offer, names="value")
    offer()
    return field


def _continued(text: str, most: int, words: Sequence[str]) -> tuple[str, ...]:
    """A text with each of some words as its last; and behind it, if it ends in one."""
    said = text.split()
    known = {word.casefold() for word in words}
    whole = said and said[-1].strip(".,").casefold() in known and len(said) < most
    starts = [said, said[:-1]] if whole else [said[:-1]]
    return tuple(dict.fromkeys(" ".join([*s, w]) for s in starts for w in words))


def bar(controls: Sequence[Any]) -> Any:
    """The controls side by side, wrapping on a narrow page."""
    row = {"flex_flow": "row wrap", "align_items": "center"}
    return W.Box(list(controls), layout=row)


def together(buttons: Sequence[Any]) -> Any:
    """Buttons that belong together, close to each other."""
    row = W.Box(list(buttons))
    row.add_class("tl-together")
    return row


def side_by_side(views: Sequence[Any]) -> Any:
    """Views in a row, wrapping on a narrow page; the last takes the remaining room."""
    if len(views) == 1:
        return views[0]
    for view in views[:-1]:
        view.layout.flex = "0 1 auto"
    views[-1].layout.flex = "1 1 24em"
    row = {"flex_flow": "row wrap", "align_items": "flex-start"}
    return W.Box(list(views), layout=row)

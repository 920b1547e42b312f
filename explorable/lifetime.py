"""What a cell shows: live until it runs again, and at rest a picture and a text."""

import base64
from collections.abc import Callable, Iterator
from typing import Any

import ipywidgets as W
from IPython import get_ipython
from matplotlib.figure import Figure

from .plots import as_png

#: By cell: the execution that showed explorers last, and those it showed.
_SHOWN: dict[str, tuple[str, list[W.Widget]]] = {}


class Exhibit(W.VBox):
    """Widgets in a box, of which a saved notebook keeps a picture and a text.

    Each kind has three methods: `text` and `picture` give what it shows as text and as
    a figure, and `alt` what the picture is of, for those who do not see it. `numbers`
    gives the text for a program, where that is another.
    """

    text: Callable[[], str]
    picture: Callable[[], Figure]
    alt: Callable[[], str]

    def numbers(self) -> str:
        """The same as `text`, to be read by a program."""
        return self.text()

    def take(self, number: int, text: str) -> None:
        """Set the nth of the sliders to what was typed beside it: there are none."""

    def retell(self) -> list[str]:
        """Tell a page that has lost messages all that the widgets hold; their ids."""
        open_ones = [part for part in _parts(self) if part.comm is not None]
        for part in open_ones:
            part.send_state([name for name in part.keys if not name.startswith("_")])
        return [part.model_id for part in open_ones]

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        if self.comm is None:  # it was closed, and is shown once more
            for widget in _parts(self):
                widget.open()
        close_what_its_cell_showed_before(self)
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        kept, about = self.at_rest()
        return bundle | kept, about

    def at_rest(self) -> tuple[dict[str, str], dict[str, Any]]:
        """What the notebook keeps of it as it stands now, and what that is of."""
        picture = base64.b64encode(as_png(self.picture())).decode()
        kept = {"image/png": picture, "text/plain": self.text()}
        return kept, {"image/png": {"alt": " ".join(self.alt().split())}}


def close_what_its_cell_showed_before(explorer: W.Widget) -> None:
    """Close the explorers of an earlier run of the cell that shows this one now.

    JupyterLab drops their pictures, and without this kernel and page would keep them
    and all their widgets. One that another cell shows too is left open.
    """
    execution, cell = execution_of_a_page()
    if not cell:
        return
    before, shown = _SHOWN.get(cell, ("", []))
    if before != execution:
        _SHOWN[cell] = execution, []
        kept = {id(e) for _, others in _SHOWN.values() for e in others}
        for old in shown:
            if old is not explorer and id(old) not in kept:
                for widget in reversed(list(_parts(old))):
                    widget.close()
                vars(old).pop("_repr_mimebundle_", None)  # ipywidgets hides it for ever
                forget(old)
    _SHOWN[cell][1].append(explorer)


def execution_of_a_page() -> tuple[str, str]:
    """The execution that runs now and its cell, as a page names them; or "" and "".

    A program that executes notebooks names no cell, and a script is no kernel.
    """
    parent = getattr(get_ipython(), "parent_header", None) or {}
    execution = parent.get("header", {}).get("msg_id", "")
    return execution, parent.get("metadata", {}).get("cellId", "")


def forget(result: object) -> None:
    """Let IPython's own memory hold this result no more: Out, _3, and _ to ___.

    A variable of the reader's still holds it, and it can be shown again.
    """
    shell: Any = get_ipython()
    spaces = shell.user_ns, shell.user_ns_hidden
    numbered = [n for n, known in shell.user_ns["_oh"].items() if known is result]
    for number in numbered:
        del shell.user_ns["_oh"][number]
        for names in spaces:
            names.pop(f"_{number}", None)
    for last in ("_", "__", "___"):
        for names in (*spaces, vars(shell.displayhook)):
            if names.get(last) is result:
                names[last] = None


def _parts(widget: W.Widget) -> Iterator[W.Widget]:
    """A widget's parts and then itself: children, layout and style."""
    for child in getattr(widget, "children", ()):
        yield from _parts(child)
    for part in (getattr(widget, "layout", None), getattr(widget, "style", None)):
        if isinstance(part, W.Widget):
            yield part
    yield widget

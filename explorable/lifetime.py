"""What a cell shows: live until the cell runs again; saved as a picture and a text."""

import base64
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import ipywidgets as W
from IPython import get_ipython
from ipywidgets.widgets.widget import _instances as open_widgets
from matplotlib.figure import Figure

from .plots import as_png

#: By cell: its last execution that showed explorers, and these, weakly referenced:
#: nobody tells us when a cell is deleted.
_SHOWN: dict[str, tuple[str, "weakref.WeakSet[W.Widget]"]] = {}


class Exhibit(W.VBox):
    """Widgets in a box; a saved notebook keeps a picture and a text of them.

    Each kind has three methods: `text` and `picture` return what it shows as a text and
    as a figure, and `alt` describes the picture for those who cannot see it. `numbers`
    is the text for a program, if that differs.
    """

    text: Callable[[], str]
    picture: Callable[[], Figure]
    alt: Callable[[], str]

    def numbers(self) -> str:
        """The same as `text`, for a program."""
        return self.text()

    def take(self, name: str, text: str) -> None:
        """Set a slider to the number typed beside it; here there are none."""

    def resend(self) -> list[str]:
        """Send all state again to a page that has lost messages; return the ids."""
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
        """What a notebook keeps of its present state: data and metadata."""
        picture = base64.b64encode(as_png(self.picture())).decode()
        kept = {"image/png": picture, "text/plain": self.text()}
        return kept, {"image/png": {"alt": " ".join(self.alt().split())}}


def close_what_its_cell_showed_before(explorer: W.Widget) -> None:
    """Close the explorers that an earlier run of the current cell has shown.

    JupyterLab drops their pictures, but kernel and page would keep all their widgets.
    An explorer that another cell shows too stays open.
    """
    execution, cell = execution_of_a_page()
    if not cell:
        return
    before, shown = _SHOWN.get(cell, ("", weakref.WeakSet()))
    if before != execution:
        _SHOWN[cell] = execution, weakref.WeakSet()
        kept = {id(e) for _, others in _SHOWN.values() for e in others}
        for old in shown:
            if old is not explorer and id(old) not in kept:
                _close(old)
                vars(old).pop("_repr_mimebundle_", None)  # ipywidgets hides it for ever
                forget(old)
    _SHOWN[cell][1].add(explorer)


@contextmanager
def closing_if_refused(*given: W.Widget) -> Iterator[None]:
    """If the block raises, close these widgets and all that were opened in it."""
    before = set(open_widgets)
    try:
        yield
    except BaseException:
        new = [w for model_id, w in open_widgets.items() if model_id not in before]
        for widget in (*given, *new):
            _close(widget)
        raise


def _close(widget: W.Widget) -> None:
    """Close a widget and all its parts."""
    for part in reversed(list(_parts(widget))):
        part.close()


def execution_of_a_page() -> tuple[str, str]:
    """The ids of the current execution and its cell in a page; otherwise "" and "".

    A program that executes notebooks sends no cell id, and a script has no kernel.
    """
    parent = getattr(get_ipython(), "parent_header", None) or {}
    execution = parent.get("header", {}).get("msg_id", "")
    return execution, parent.get("metadata", {}).get("cellId", "")


def forget(result: object) -> None:
    """Remove a result from IPython's history: Out, _3, and _ to ___.

    If the reader's own variable holds it, it can be shown again.
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

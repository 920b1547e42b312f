"""How a widget of Python's is told to the bare page, and how it talks with it."""

import base64
from typing import Any

from anywidget import AnyWidget
from ipywidgets import VBox


class Wire:
    """A widget's comm whose other end is its model in the page."""

    def __init__(self, unheard: list[Any], comm_id: str) -> None:
        self._unheard, self.comm_id = unheard, comm_id

    def send(self, data: dict[str, Any], buffers: Any = None, **_: object) -> None:
        for [name], buffer in zip(
            data.get("buffer_paths", ()), buffers or (), strict=True
        ):
            data["state"][name] = packed(buffer)
        self._unheard.append([self.comm_id, data])

    def on_msg(self, _: object) -> None:
        """The page calls `BarePage._kernel` instead."""

    def close(self, *_: object, **__: object) -> None:
        """A widget closes its comm when it goes; the page is cleared by `draw`."""


def packed(buffer: bytes | memoryview) -> dict[str, str]:
    return {"base64": base64.b64encode(buffer).decode()}


def views_of(widget: Any) -> list[Any]:
    """The widgets of ours in it, in reading order; ipywidgets' own are not drawn."""
    if isinstance(widget, AnyWidget):
        return [widget]
    return [view for part in getattr(widget, "children", ()) for view in views_of(part)]


def tree(widget: Any) -> Any:
    """The same as the boxes hold them: ids, and classes with what is inside."""
    if isinstance(widget, AnyWidget):
        return widget.comm.comm_id
    parts = [tree(part) for part in getattr(widget, "children", ())]
    names = ["widget-box", "widget-vbox" if isinstance(widget, VBox) else "widget-hbox"]
    return {"name": " ".join([*names, *widget._dom_classes]), "parts": parts}


def described(id: str, widget: Any) -> dict[str, Any]:
    """All that the page must know of a widget to draw it."""
    state = {n: x for n, x in widget.get_state().items() if not n.startswith("_")}
    state = {
        n: packed(x) if isinstance(x, bytes | memoryview) else x
        for n, x in state.items()
    }
    return {"id": id, "kind": type(widget).__name__, "state": state}


def written(widget: Any) -> list[str]:
    """The module that draws it, and its style sheet."""
    return [str(widget._esm), str(getattr(widget, "_css", ""))]

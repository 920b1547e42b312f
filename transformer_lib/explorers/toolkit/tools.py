"""The tools beside the controls: copy the numbers, save the picture, set the size."""

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets as T
from matplotlib.figure import Figure

from ...plots import as_svg
from .views import STATIC, module, palette_css, stylesheet


class ToolsView(anywidget.AnyWidget):
    """Buttons that hand the reader what an explorer shows, as text or as a picture.

    The text and the picture are those of the saved notebook, made when asked for. The
    size is the whole page's, so that one press enlarges every explorer on it. Every
    explorer has its tools, and by them the style and the colours that all views share.

    Traits:
        end: what a notebook keeps instead of what its cell showed first, if anything:
            {"of": the explorer's model_id, "data", "metadata"}.

    Args:
        name: of the saved picture's file.
        text: gives the numbers as text.
        picture: gives the picture as a figure.
        take: called with what was typed beside a slider: which one, and the text.
    """

    _esm = module(STATIC / "tools/tools.js")
    _css = "\n".join([stylesheet(STATIC / "shared", STATIC / "tools"), palette_css()])
    end: Any = T.Dict().tag(sync=True)

    def __init__(
        self,
        name: str,
        text: Callable[[], str],
        picture: Callable[[], Figure],
        take: Callable[[int, str], None] | None = None,
    ) -> None:
        self._take = take
        self._made: dict[Any, Callable[[], dict[str, str]]] = {
            "numbers": lambda: {"text": text()},
            "picture": lambda: {"svg": as_svg(picture()), "name": name},
        }
        super().__init__()
        self.on_msg(self._answer)

    def _answer(self, _: object, content: dict[str, Any], __: object) -> None:
        """Send what is asked for to the page that asks, and first that it is made."""
        asked = {key: content.get(key) for key in ("type", "turn")}
        if asked["type"] == "typed" and self._take:
            self._take(content["slider"], content["text"])
        if make := self._made.get(asked["type"]):
            self.send(asked | {"type": "working"})
            self.send(asked | make())

"""The tools beside the controls: copy the numbers, save the picture, set the size."""

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets as T

from .lifetime import Exhibit
from .plots import as_svg
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
        exhibit: what they stand below.
    """

    _esm = module(STATIC / "tools/tools.js")
    _css = "\n".join([stylesheet(STATIC / "shared", STATIC / "tools"), palette_css()])
    end: Any = T.Dict().tag(sync=True)

    def __init__(self, name: str, exhibit: Exhibit) -> None:
        self._exhibit = exhibit
        self._made: dict[Any, Callable[[], dict[str, str]]] = {
            "numbers": lambda: {"text": exhibit.numbers()},
            "picture": lambda: {"svg": as_svg(exhibit.picture()), "name": name},
        }
        super().__init__()
        self.on_msg(self._answer)

    def _answer(self, _: object, content: dict[str, Any], __: object) -> None:
        """Send what is asked for to the page that asks; take what was typed there."""
        asked = {key: content.get(key) for key in ("type", "turn")}
        if asked["type"] == "typed":
            self._exhibit.take(content["slider"], content["text"])
        if asked["type"] == "alive":
            self.send(asked)
        if asked["type"] == "again":
            self.send(asked | {"widgets": self._exhibit.retell()})
        if make := self._made.get(asked["type"]):
            self.send(asked | {"type": "working"})
            self.send(asked | make())

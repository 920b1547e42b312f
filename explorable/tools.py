"""The head of an explorer: its title, its task and its tools."""

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets as T

from .lifetime import Exhibit
from .plots import as_svg
from .validation import in_a_line
from .views import STATIC, fonts_css, module, palette_css, stylesheet


class ToolsView(anywidget.AnyWidget):
    """Buttons that give the reader what an explorer shows, as a text or a picture.

    Both are those of the saved notebook, made on request. The size applies to the whole
    page, so that one click enlarges every explorer on it. The style and the colors that
    all views share come with the tools, which every explorer has.

    Traits:
        name: of the explorer.
        title, task: what stands at the head.
        end: what the notebook saves instead of what its cell showed first, if anything:
            {"of": the explorer's model_id, "data", "metadata"}.

    Args:
        name: of the saved picture's file.
        exhibit: the explorer or quiz that they belong to.
        title, task: its title, and what to do with it.
    """

    _esm = module(STATIC / "tools/tools.js")
    _css = "\n".join(
        [fonts_css(), stylesheet(STATIC / "shared", STATIC / "tools"), palette_css()]
    )
    name = T.Unicode("").tag(sync=True)
    title = T.Unicode("").tag(sync=True)
    task = T.Unicode("").tag(sync=True)
    end: Any = T.Dict().tag(sync=True)

    def __init__(
        self, name: str, exhibit: Exhibit, title: str = "", task: str = ""
    ) -> None:
        self._exhibit = exhibit
        self._made: dict[Any, Callable[[], dict[str, str]]] = {
            "numbers": lambda: {"text": exhibit.numbers()},
            "picture": lambda: {"svg": as_svg(exhibit.picture()), "name": name},
        }
        super().__init__(name=name, title=title, task=task)
        self.on_msg(self._answer)

    def _answer(self, _: object, content: dict[str, Any], __: object) -> None:
        """Answer the page that asks, or pass on what was typed there."""
        asked = {key: content.get(key) for key in ("type", "turn")}
        if asked["type"] == "typed":
            self._exhibit.take(content["control"], content["text"])
        if asked["type"] == "alive":
            self.send(asked)
        if asked["type"] == "again":
            self.send(asked | {"widgets": self._exhibit.resend()})
        if make := self._made.get(asked["type"]):
            self.send(asked | {"type": "working"})
            try:
                answer = make()
            except Exception as error:
                answer = {"type": "failed", "why": in_a_line(error)}
            self.send(asked | answer)

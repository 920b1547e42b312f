"""OrderView: the words of a sentence in a row, to be dragged into another order."""

import pathlib
from collections.abc import Sequence
from typing import Any

import anywidget
import numpy as np
import traitlets as T

from explorable.views import module, stylesheet

HERE = pathlib.Path(__file__).parent


class OrderView(anywidget.AnyWidget):
    """A control whose value is an order of words, changed by mouse, keyboard, buttons.

    Place p of the row holds word `value[p]`. Reverse, shuffle and original are done
    here; the page says which was pressed.

    Traits:
        words: the words in their original order.
        value: which word stands at each place, counted from 0.
    """

    _esm = module(HERE / "order_view.js")
    _css = stylesheet(HERE)
    words: T.List[Any] = T.List().tag(sync=True)
    value: T.List[Any] = T.List().tag(sync=True)

    def __init__(self, words: Sequence[str], value: Sequence[int]) -> None:
        self._random = np.random.default_rng(3)
        self._orders = {len(value): list(value)}
        super().__init__(words=list(words), value=list(value))
        self.layout.max_width = "100%"
        self.on_msg(lambda _, content, __: self.turn(content.get("type", "")))

    @T.observe("words")
    def _take_order(self, change: Any) -> None:
        """Bring other words into the order that so many of them had last."""
        self._orders[len(self.value)] = self.value
        many = len(change.new)
        self.value = self._orders.get(many, list(range(many)))

    def turn(self, how: str) -> None:
        """Bring the words into another order: "reverse", "shuffle" or "original"."""
        before = self.value
        turned = {"reverse": before[::-1], "original": sorted(before)}
        self.value = turned.get(how, before)
        while how == "shuffle" and self.value == before and len(before) > 1:
            self.value = self._random.permutation(len(before)).tolist()

"""The panels of the masks' explorers: a mask in three conventions, and the weights."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..toolkit import panels
from ..toolkit.explorer import Arrays
from ..toolkit.panel import Panel
from .hiding import AFTER, BEFORE, LARGE, LIBRARY, RENORMALISED

BOOLEAN = ("False", "True")
#: what a mask may be written as → the panels that show it.
SHOWN = {
    "may look": ("may_look",),
    "hidden": ("hides",),
    "0 / −∞": ("added",),
    "all three": ("may_look", "hides", "added"),
}
FORMULAS = {
    "may_look": "True = may look",
    "hides": "True = hidden",
    "added": "0 or −∞, to add",
}
Words = tuple[Sequence[str], Sequence[str]]
Mask = NDArray[np.bool_]


def lab_panels(
    arrays: Arrays, prefix: str, words: Words, written: str, way: str
) -> list[Panel]:
    """The panels of `mask_lab`, in the order in which they come about.

    Args:
        arrays: from `mask_steps`.
        prefix: of the names of the matrices that can be edited.
        words: labels of queries and of keys.
        written: a key of SHOWN.
        way: one of `hiding.WAYS`.
    """
    names = SHOWN[written]
    apart = int(len(names) > 1)  # several masks stand in a row of their own
    masks = [
        Panel(**mask_panel(arrays, name, prefix + "look", words), group=apart)
        for name in names
    ]
    scores, values = _scores(arrays, prefix, words), _values(arrays, prefix, words[1])
    inputs = [scores, values, *masks] if apart else [scores, *masks, values]
    hidden = arrays["may_look"] == 0
    derived = [
        Panel(**_masked(arrays, prefix, words, way, hidden)),
        Panel(**_weights(words, way, hidden)),
        Panel(**_sum(words[0])),
        _output(arrays, prefix, words[0]),
    ]
    return [*inputs, *(replace(panel, group=2) for panel in derived)]


def mask_panel(
    arrays: Arrays, convention: str, target: str, words: Words
) -> dict[str, Any]:
    """The panel of a mask in one convention; a click turns a cell over.

    Args:
        arrays: with the mask in all three conventions.
        convention: "may_look", "hides" or "added".
        target: the matrix of zeros and ones that a click edits.
        words: labels of queries and of keys.
    """
    words_of = {"may_look": BOOLEAN, "hides": BOOLEAN, "added": ()}
    conventions = [[text, n, "", words_of[n]] for n, text in FORMULAS.items()]
    return {
        "name": convention,
        "title": "mask",
        "formula": FORMULAS[convention],
        **_square(words),
        "limit": 0.0,
        "digits": 2 if words_of[convention] else 0,
        "words": words_of[convention],
        "hidden": arrays["may_look"] == 0,
        "veil": "",
        "editable": True,
        "toggles": target,
        "sentence": "“{row}” looking at “{column}”, in each of the three conventions",
        "recipe": {"kind": "cells", "of": conventions},
    }


def _square(words: Words) -> dict[str, Any]:
    return {"rows": words[0], "columns": words[1], "axes": ("query", "key")}


def _scores(arrays: Arrays, prefix: str, words: Words) -> Panel:
    return Panel(
        name=f"{prefix}scores",
        title="scores",
        formula="scaled",
        **_square(words),
        palette="scores",
        limit=full_colour(arrays["scores"]),
        sentence="scaled score of “{row}” for “{column}”",
        editable=True,
    )


def _values(arrays: Arrays, prefix: str, keys: Sequence[str]) -> Panel:
    panel = panels.given(f"{prefix}V", "values", "value", keys, arrays["V"])
    return replace(panel, title="V")


def _masked(
    arrays: Arrays, prefix: str, words: Words, way: str, hidden: Mask
) -> dict[str, Any]:
    """What the mask is applied to, or has been applied to, before the weights."""
    if way not in BEFORE:
        return _softmax(words)
    large = "−1e9" if way == LARGE else "−∞"
    of = [["score", f"{prefix}scores"], ["may look?", "may_look", "", BOOLEAN]]
    return {
        "name": "masked",
        "title": "masked scores",
        "formula": f"hidden → {large}",
        **_square(words),
        "palette": "scores",
        "limit": full_colour(arrays["scores"]),
        "hidden": hidden,
        "veil": "",
        "sentence": "the score of “{column}” for “{row}” that the softmax sees",
        "recipe": {"kind": "cells", "of": of, "ends": True},
        "step": 1,
    }


def _softmax(words: Words) -> dict[str, Any]:
    return {
        "name": "masked",
        "title": "softmax",
        "formula": "of all scores, hidden or not",
        **_square(words),
        "digits": panels.digits_for(*words),
        "sentence": "the weight of “{column}” for “{row}”, before the mask",
        "step": 1,
        "note": "each row sums to 1",
    }


def _weights(words: Words, way: str, hidden: Mask) -> dict[str, Any]:
    formulas = {AFTER: "softmax · mask", RENORMALISED: "softmax · mask ÷ its row's sum"}
    return {
        "name": "weights",
        "title": "weights",
        "formula": formulas.get(way, "softmax of each row"),
        **_square(words),
        "digits": panels.digits_for(*words),
        "words": ("0",),
        "hidden": hidden,
        "veil": "",
        "sentence": "the share of its attention that “{row}” gives to “{column}”",
        "recipe": _weighing(way),
        "step": 2,
    }


def _weighing(way: str) -> dict[str, Any]:
    """How a weight comes about by this way of hiding."""
    share = {"kind": "share", "of": "masked"}
    share |= {part: f"weights.{part}" for part in ("parts", "total")}
    softmax = share | {"power": True, "shift": "weights.shift"}
    times = [["softmax", "masked"], ["kept?", "may_look", "", BOOLEAN]]
    recipes: dict[str, dict[str, Any]] = {
        LIBRARY: softmax | {"open": "may_look"},
        RENORMALISED: share,
        AFTER: {"kind": "cells", "ends": True, "of": times},
    }
    return recipes.get(way, softmax)


def _sum(queries: Sequence[str]) -> dict[str, Any]:
    return {
        "name": "sum",
        "title": "sum",
        "formula": "of weights",
        "rows": queries,
        "columns": ["Σ"],
        "axes": ("query", "sum"),
        "sentence": "the sum of the weights of “{row}”",
    }


def _output(arrays: Arrays, prefix: str, queries: Sequence[str]) -> Panel:
    panel = panels.output(queries, arrays["V"])
    return replace(
        panel,
        sentence="output of “{row}”, feature {column}",
        recipe={**panel.recipe, "right": f"{prefix}V"},
        note="",
        step=3,
    )


def full_colour(values: NDArray[np.float64]) -> float:
    """The magnitude that is coloured in full, with room for larger ones."""
    return max(1.0, 1.6 * panels.largest(values))

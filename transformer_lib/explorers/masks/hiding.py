"""Five ways to hide a key, and a mask's presets: what the masks' explorers share."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ...model.masks import causal_mask, padding_mask
from ...support.validation import check_option
from ..toolkit.drawing import Matrix
from ..toolkit.sheet import Sheet
from ..toolkit.trace import Axis, Table

LIBRARY, BY_HAND, LARGE = "library", "−∞ by hand", "−1e9"
AFTER, RENORMALISED = "after", "after ÷ Σ"
WAYS = (LIBRARY, BY_HAND, LARGE, AFTER, RENORMALISED)
FORMULAS = {AFTER: "softmax · mask", RENORMALISED: "softmax · mask ÷ its row's sum"}
BEFORE = (LIBRARY, BY_HAND, LARGE)  # these act on the scores, the others on weights
SUM = Axis("sum", ("Σ",))
ROWS = "rows of padding"  # what a padding mask is not, to be compared with it
KINDS = ("none", "causal", "padding", ROWS, "causal & padding")
BOOLEAN = ("False", "True")
#: The three ways to write a mask down: what is shown of each.
CONVENTIONS: dict[str, dict[str, Any]] = {
    "may_look": {"formula": "True = may look", "words": BOOLEAN},
    "hides": {"formula": "True = hidden", "words": BOOLEAN},
    "added": {"formula": "0 or −∞, to add", "digits": 0},
}
#: What the buttons say → the conventions that are shown.
SHOWN = {"may look": ["may_look"], "hidden": ["hides"], "0 / −∞": ["added"]}
SHOWN["all three"] = list(CONVENTIONS)


def preset(kind: str, T: int, S: int, length: int) -> Tensor:
    """A mask by its name: boolean (T, S), True where a query may look.

    `kind` is one of KINDS, or "cross", which hides the source's padding; the first
    `length` tokens, 0 … S, are no padding.

    Raises:
        ValueError: there is no such kind, or a number does not fit it.
    """
    check_option("mask", kind, (*KINDS, "cross"))
    if ("causal" in kind or kind == ROWS) and T != S:
        raise ValueError(
            f"a {kind} mask needs as many queries as keys, got {T} and {S}"
        )
    real = padding_mask(torch.tensor([length]), length=S)[0, 0]  # (1, S)
    mask = torch.ones(T, S, dtype=torch.bool)
    if "causal" in kind:
        mask &= causal_mask(T)
    if kind == ROWS:
        return mask & real.T
    return mask & real if "padding" in kind or kind == "cross" else mask


def adjusted(mask: Tensor, by_hand: Matrix) -> Tensor:
    """A mask with some cells set by hand: 1 may look, 0 may not, NaN as it was.

    Raises:
        ValueError: a cell set by hand holds another number.
    """
    hand = torch.from_numpy(by_hand)
    known = (hand == 0) | (hand == 1) | hand.isnan()
    if not known.all():
        raise ValueError(f"a cell of a mask holds 0 or 1, got {float(hand[~known][0])}")
    return torch.where(hand.isnan(), mask, hand == 1)


def show_mask(
    s: Sheet,
    may_look: Tensor,
    axes: tuple[Axis, Axis],
    side: str = "",
    shown: Sequence[str] = ("may_look",),
) -> Table:
    """Show a mask (T, S) in those of CONVENTIONS that are to be `shown`.

    A click turns over a cell of "look"; `side` stands before that name.

    Returns:
        "may_look" (T, S): 1 where a query may look, 0 where it may not.
    """
    s.keep(f"{side}look", may_look)
    added = torch.zeros(may_look.shape).masked_fill(~may_look, -torch.inf)
    masks = {"may_look": may_look, "hides": ~may_look, "added": added}
    tables = [s.given(name, *axes, mask) for name, mask in masks.items()]
    leads = [look["formula"] for look in CONVENTIONS.values()]
    tables = s.alike(tables, leads, hidden=~may_look.numpy())
    look: dict[str, Any] = {"toggles": f"{side}look", "editable": True}
    look |= {"veil": "", "limit": 0.0, "group": int(len(shown) > 1)}
    said = "“{row}” looking at “{column}”, in each of the three conventions"
    for table in tables:
        if table.name in shown:
            s.show(table, "mask", sentence=said, **look, **CONVENTIONS[table.name])
    return tables[0]


def hide_keys(
    s: Sheet, scores: Table, may_look: Table, way: str, name: str = ""
) -> tuple[Table, Table]:
    """Turn scores (T, S) into weights, hiding keys in one of WAYS.

    Before the softmax: −∞, with zeros for a query that may look nowhere (library), −∞
    alone, or −1e9. After it: weights times the mask, or that divided by its row's sum.

    Returns:
        "masked" (T, S): the scores that the softmax sees, or its weights before they
        are masked; and "weights" (T, S). `name` stands before both names.

    Raises:
        ValueError: there is no such way.
    """
    check_option("hide", way, WAYS)
    masked, weights = f"{name}masked", f"{name}weights"
    if way in BEFORE:
        seen = s.mask(masked, scores, may_look, -1e9 if way == LARGE else -torch.inf)
        of = (scores, may_look) if way == LIBRARY else (seen,)
        made = s.softmax(weights, *of, bare=way != LIBRARY)
    else:
        seen = s.softmax(masked, scores)
        kept = weights if way == AFTER else f"{name}kept"
        made = s.zip(kept, seen, "×", may_look, ("softmax", "kept?"))
        made = made if way == AFTER else s.share(weights, made)
    return seen, s.revise(made, hidden=may_look.values == 0)

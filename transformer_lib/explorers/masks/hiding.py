"""Five ways to hide a key, and a mask's presets: what the masks' explorers share."""

from typing import Any

import torch
from torch import Tensor

from ...model.masks import causal_mask, padding_mask
from ..toolkit.drawing import Matrix
from ..toolkit.sheet import Sheet
from ..toolkit.trace import Axis, Table

LIBRARY, BY_HAND, LARGE = "library", "−∞ by hand", "−1e9"
AFTER, RENORMALISED = "after", "after ÷ Σ"
WAYS = (LIBRARY, BY_HAND, LARGE, AFTER, RENORMALISED)
BEFORE = (LIBRARY, BY_HAND, LARGE)  # these act on the scores, the others on weights
ROWS = "rows of padding"  # what a padding mask is not, to be compared with it
KINDS = ("none", "causal", "padding", ROWS, "causal & padding")
BOOLEAN = ("False", "True")
#: The three ways to write a mask down: what is shown of each.
CONVENTIONS: dict[str, dict[str, Any]] = {
    "may_look": {"formula": "True = may look", "words": BOOLEAN},
    "hides": {"formula": "True = hidden", "words": BOOLEAN},
    "added": {"formula": "0 or −∞, to add", "digits": 0},
}


def preset(kind: str, T: int, S: int, length: int) -> Tensor:
    """The mask of a name, boolean (T, S), True where a query may look.

    Args:
        kind: one of KINDS, or "cross", which hides the source's padding.
        T: the number of queries.
        S: the number of keys.
        length: how many tokens are real, 0 … S; of use where padding is hidden.

    Raises:
        ValueError: the kind is none of these, length is out of range, or the mask is
            causal and T is not S.
    """
    if kind not in (*KINDS, "cross"):
        raise ValueError(f"mask must be one of {(*KINDS, 'cross')}, got {kind!r}")
    if "causal" in kind and T != S:
        raise ValueError(
            f"a causal mask needs as many queries as keys, got {T} and {S}"
        )
    mask = torch.ones(T, S, dtype=torch.bool)
    if "causal" in kind:
        mask = mask & causal_mask(T)
    if kind == ROWS:
        return mask & padding_mask(torch.tensor([length]), length=T)[0, 0].T  # (T, 1)
    if "padding" in kind or kind == "cross":
        mask = mask & padding_mask(torch.tensor([length]), length=S)[0, 0]  # (1, S)
    return mask


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


def written(s: Sheet, axes: tuple[Axis, Axis], may_look: Tensor) -> list[Table]:
    """One mask in the three ways that code writes it down, as tables of a sheet.

    Returns:
        "may_look", "hides" and "added", each (T, S).
    """
    added = torch.zeros(may_look.shape).masked_fill(~may_look, -torch.inf)
    masks = {"may_look": may_look, "hides": ~may_look, "added": added}
    tables = [s.given(name, *axes, mask) for name, mask in masks.items()]
    leads = [look["formula"] for look in CONVENTIONS.values()]
    return s.alike(tables, leads, hidden=~may_look.numpy())


def show_mask(s: Sheet, table: Table, toggles: str, **look: Any) -> None:
    """Show a mask in one of the conventions; a click turns over a cell of `toggles`."""
    s.show(
        table,
        "mask",
        toggles=toggles,
        editable=True,
        limit=0.0,
        veil="",
        sentence="“{row}” looking at “{column}”, in each of the three conventions",
        **CONVENTIONS[table.name],
        **look,
    )


def hide_keys(
    s: Sheet, scores: Table, may_look: Table, way: str, name: str = ""
) -> tuple[Table, Table]:
    """Turn scores into weights, hiding keys in one of five ways.

    Args:
        s: the sheet that holds the tables.
        scores: (T, S).
        may_look: 1 where a query may look, 0 where it may not (T, S).
        way: one of WAYS. Before the softmax: −∞, with zeros for a query that may look
            nowhere (library), −∞ and nothing more, or −1e9. After it: weights times the
            mask, or that divided by its row's sum.
        name: what stands before the names of the tables.

    Returns:
        "masked" (T, S): the scores that the softmax sees, or its weights before they
        are masked; and "weights" (T, S).

    Raises:
        ValueError: the way is none of these.
    """
    masked, weights = f"{name}masked", f"{name}weights"
    if way not in WAYS:
        raise ValueError(f"hide must be one of {WAYS}, got {way!r}")
    if way in BEFORE:
        low = -1e9 if way == LARGE else -torch.inf
        seen = s.mask(masked, scores, may_look, low)
        if way == LIBRARY:
            return seen, s.softmax(weights, scores, may_look)
        return seen, s.softmax(weights, seen, bare=True)
    every = s.softmax(masked, scores)
    leads = ("softmax", "kept?")
    if way == AFTER:
        return every, s.zip(weights, every, "×", may_look, leads)
    kept = s.zip(f"{name}kept", every, "×", may_look, leads)
    return every, s.share(weights, kept)

"""Five ways to hide a key, and the preset masks: shared by the masks' explorers."""

import math

import numpy as np
import torch
from torch import Tensor

from explorable import Array, Axes, Axis, Sheet, Style, Table
from transformer_lib.checks.validation import check_option
from transformer_lib.model.masks import causal_mask, padding_mask

#: Before the softmax: what replaces a hidden score. The library also gives zeros to a
#: fully masked query.
BEFORE = {"library": -math.inf, "−∞ by hand": -math.inf, "−1e9": -1e9}
#: After the softmax: how the weights are computed.
AFTER = {"after": "softmax · mask", "after ÷ Σ": "softmax · mask ÷ its row’s sum"}
WAYS = (*BEFORE, *AFTER)
SUM = Axis("", ("Σ",))
#: How weights and their sum are shown where some keys are hidden; sums that are nearly
#: always 1 have no color.
WEIGHTS: Style = {"words": (" ",), "masked_text": "", "tracked": True}
WEIGHTS |= {"blank_zeros": False}  # what is exactly 0 differs from what is nearly so
WEIGHTS |= {"vmax": 1.0}
SUMS: Style = {"vmax": 0.0, "formula": "of weights", "tracked": True}
ROWS = "rows of padding"  # a common mistake, to compare with "padding"
KINDS = ("none", "causal", "padding", ROWS, "causal & padding")
#: The three ways to write a mask, and how each is shown.
CONVENTIONS: dict[str, Style] = {
    "may_look": {"formula": "True = may look", "words": ("False", "True")},
    "hides": {"formula": "True = hidden", "words": ("False", "True")},
    "added": {"formula": "0 or −∞, to add", "digits": 0, "words": ("0",)},
}
#: Who reads a mask so: said where the three stand side by side.
READERS = {
    "may_look": "this library",
    "hides": "nn.Transformer",
    "added": "the formula",
}
#: The label of a button → the conventions that it shows.
SHOWN = {"may look": ["may_look"], "hidden": ["hides"], "0 / −∞": ["added"]}
SHOWN["all three"] = list(CONVENTIONS)


def preset(kind: str, T: int, S: int, length: int) -> Tensor:
    """Return a mask by its name: boolean (T, S), True where a query may look.

    `kind` is one of KINDS, or "cross", which hides the source's padding; the first
    `length` tokens, 0 … S, are not padding.
    """
    check_option("mask", kind, (*KINDS, "cross"))
    if ("causal" in kind or kind == ROWS) and T != S:
        need = "as many queries as keys"
        raise ValueError(f"a {kind} mask needs {need}, got {T} and {S}")
    is_token = padding_mask(torch.tensor([length]), length=S)[0, 0]  # (1, S)
    seen = causal_mask(T) if "causal" in kind else torch.ones(T, S, dtype=torch.bool)
    if kind == ROWS:
        return seen & is_token.T
    return seen & is_token if "padding" in kind or kind == "cross" else seen


def show_mask(
    s: Sheet,
    mask: Tensor,
    by_hand: Array,
    axes: Axes,
    side: str = "",
    convention: str = "may look",
    *,
    style: Style | None = None,
) -> Table:
    """Show a mask (T, S) by one of SHOWN, and return it as a table of 1 and 0.

    `by_hand` overrides it: 1 may look, 0 may not, NaN keeps the mask's own value. A
    click flips a cell of "look"; `side` is the prefix of that name. `style` is what
    else the tables are to look like.
    """
    known = np.isin(by_hand, (0, 1)) | np.isnan(by_hand)
    if not known.all():
        raise ValueError(f"a cell of a mask holds 0 or 1, got {by_hand[~known][0]}")
    hand = s.leaf("by_hand", *axes, by_hand)
    says = s.leaf("preset", *axes, mask)
    may_look = s.fill("may_look", hand, says, ("set by hand", "or as in the mask"))
    s.renamed(f"{side}look", may_look)
    less = ("×", -1.0, "−1"), ("+", 1.0, "1")
    zero = s.elementwise("zero", may_look, ("×", 0.0, "0"))
    tables = {
        "may_look": may_look,
        "hides": s.elementwise("hides", may_look, *less),
        "added": s.mask("added", zero, may_look),
    }
    shown = {name: CONVENTIONS[name] for name in SHOWN[convention]}
    hidden = may_look.values == 0
    look: Style = {"toggles": f"{side}look", "masked_text": "", "hidden": hidden}
    look |= {"vmax": 0.0, "palette": "weights"} | (style or {})
    look["sentence"] = "whether “{row}” may look at “{column}”"
    labels = [own["formula"] for own in shown.values()]
    for table in s.alike([tables[name] for name in shown], labels):
        own = shown[table.name]
        title = own["formula"] if len(shown) > 1 else "mask"
        if len(shown) > 1:
            own = own | {"formula": READERS[table.name]}
        s.show(table, title, **look, **own)
    return may_look


def hide_keys(
    s: Sheet, scores: Table, may_look: Table, way: str, name: str = ""
) -> tuple[Table, Table]:
    """Turn scores (T, S) into weights, hiding keys in one of WAYS.

    Returns "masked" (T, S), the scores that enter the softmax, or its weights before
    they are masked; and "weights" (T, S). `name` is the prefix of both names.
    """
    check_option("hide", way, WAYS)
    masked = f"{name}masked"
    weights = f"{name}weights"
    if way in BEFORE:
        seen = s.mask(masked, scores, may_look, BEFORE[way])
        of = (seen, may_look) if way == "library" else (seen,)
        made = s.softmax(weights, *of, bare=way != "library")
    else:
        seen = s.softmax(masked, scores)
        kept = weights if way == "after" else f"{name}kept"
        times = "×", may_look, "kept?"
        made = s.elementwise(kept, seen, times, label="softmax")
        made = made if kept == weights else s.normalize_rows(weights, made)
    return seen, s.revise(made, hidden=may_look.values == 0)

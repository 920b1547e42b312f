"""leak_detector: change one token and see exactly which outputs move."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import torch
from torch import Tensor

from explorable import Axis, Explorer, Sheet, Style, Table
from explorable.controls import choice, stops
from explorable.inputs import labels, some_words
from transformer_lib.model.config import TransformerConfig
from transformer_lib.model.embedding import PositionalEncoding, TokenEmbedding
from transformer_lib.training import seeded

from ...models.leaky import KINDS, UNMASKED, Stack

LARGEST = 32  # words: each is changed once, and the whole model run
FARTHEST = 4.0  # one scale for all models: a normalized output moves by at most 2√3
NO_LEAK = "No leak: hatched cells are exactly 0"
#: Each kind of model, and the same model with one mask added or removed.
TWINS = {"encoder": "GPT-style", "second unmasked": "both masked"}
TWINS |= {twin: model for model, twin in TWINS.items()}
SIZES = TransformerConfig(d_model=4, n_heads=2, d_ff=16, dropout=0.0)


def leak_detector(
    tokens: Sequence[str], other: str = "robot", model: str = UNMASKED
) -> Explorer:
    """Show which output moves with which token, in an untrained model and its twin.

    The twin is the same model with one mask added or removed.

    Args:
        tokens: the sentence, 2 to 32 words.
        other: the word that replaces one of them.
        model: which kind to show first: "encoder" (no mask), its twin "GPT-style" (one
            masked self-attention), "second unmasked" (document D3's block), or its
            twin "both masked".

    Returns:
        an Explorer with controls "model", "n_blocks" and "position".

    Raises:
        TypeError, ValueError: the words or the model are none of these.

    Source: D2.8, D3.9, D3.9.3.
    """
    words = some_words("tokens", tokens, 2, LARGEST)
    if labels("other", [other], 1)[0] in words:
        raise ValueError(f"other must be a word that is not in tokens, got {other!r}")
    last = len(words)
    controls = {
        "model": choice("model", KINDS, model),
        "n_blocks": stops("blocks", range(1, 5), 1),
        "position": stops("change token", range(1, last + 1), last),
    }
    return Explorer(
        "leak_detector",
        leak_sheet,
        controls,
        words=words,
        other=other,
        title="Does the future leak?",
        task="Change a token and see which outputs move.",
    )


def leak_sheet(
    words: Sequence[str], other: str, *, model: str, n_blocks: int, position: int
) -> Sheet:
    """Measure how far each output moves with each token, in a model and its twin.

        moved_ij = max over features |y_i(token j changed) − y_i|

    The tables "after" and "difference" are for a change of token `position`, 1 … T.
    """
    s = Sheet()
    token = Axis("output of", words)
    before, *after = _outputs(model, n_blocks, len(words))
    for name, kind in (("moved", model), ("moved in the twin", TWINS[model])):
        y0, *ys = _outputs(kind, n_blocks, len(words))
        far = torch.stack([(y - y0).abs().amax(1) for y in ys], dim=1)  # (T, T)
        moved = s.leaf(name, token, Axis("changed", words), far)
        _show_moved(s, moved, kind, position if kind == model else 0)
    changed = Axis("output of", [*words[: position - 1], other, *words[position:]])
    old = s.leaf("before", token, "feature", before)
    new = s.leaf("after", changed, "feature", after[position - 1])
    change = s.elementwise("difference", new, ("−", replace(old, rows=changed), ""))
    said = "how far feature {column} of the output of “{row}” has moved"
    formula = f"“{words[position - 1]}” is now “{other}”"
    look = {"formula": formula, "sentence": said, "group": 1}
    s.show(change, "after − before", **look, **_exact(change))
    return s


def _show_moved(s: Sheet, moved: Table, model: str, position: int) -> None:
    """Show how far outputs moved (T, T), in the chosen model or in its twin.

    Leaks of the chosen model are red, those of the changed token in a frame; the twin's
    position is 0.
    """
    chosen = position > 0
    leaks = np.triu(moved.values, 1) != 0
    above = len(leaks) * (len(leaks) - 1) // 2
    note = f"{leaks.sum()} of {above} cells leak" if leaks.any() else NO_LEAK
    red = leaks & chosen
    note = f"! {note}" if red.any() else note
    said = "how far the output of “{row}” moves when “{column}” is replaced"
    look = {"formula": "largest |after − before|", "flagged": red, "note": note}
    look |= {"leads": chosen, "concludes": chosen}
    if chosen:
        look["outlined"] = leaks & (np.arange(len(leaks)) == position - 1)
    s.show(moved, f"moved in “{model}”", sentence=said, **look, **_exact(moved))


def _exact(table: Table) -> Style:
    """Hatch a cell, without a number, if nothing has moved at all."""
    blank = {"words": (" ",), "hidden": table.values == 0, "masked_text": ""}
    return {"palette": "scores", "vmax": FARTHEST, **blank}


@cache
def _outputs(model: str, n_blocks: int, length: int) -> list[Tensor]:
    """Compute outputs (T, D), first as is and then with token 1, 2, … T replaced.

    One sentence at a time, so every run adds the same numbers in the same order: what
    does not depend on the replaced token is equal to the last bit.
    """
    with seeded(6), torch.no_grad():
        embedding = TokenEmbedding(LARGEST + 1, SIZES.d_model).double()
        stack = Stack(model, n_blocks, SIZES).double()
        positions = PositionalEncoding(LARGEST, SIZES.d_model).double()
        ids = torch.arange(length).repeat(length + 1, 1)  # (1 + T, T)
        ids[1:].fill_diagonal_(LARGEST)
        x = embedding(ids) + positions(torch.arange(length))
        return [stack(one[None])[0] for one in x]

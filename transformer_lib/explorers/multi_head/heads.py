"""heads: a sentence as every head of a small trained model reads it."""

from functools import cache, lru_cache
from typing import Literal, get_args

import numpy as np
from traitlets import dlink

from ...data.grammar_sentences import MOST_WORDS, SENTENCES, read
from ...experiments.heads import attend
from ...model.masks import causal_mask
from ...small_models.multi_head.next_word import Training, load_heads
from ..toolkit import Axis, Explorer, Look, Sheet
from ..toolkit.controls import choice, menu, stops, text
from ..toolkit.inputs import sentence_words, token_axes
from .head_split import show_head

Removal = Literal["keep all", "remove", "keep only"]
OWN, HEADS = "your own", range(1, 5)
#: Where each head of the taught model was told to look, as in `grammar.ROLES`.
TOLD = "→ the word before", "→ who it is about", "→ the verb", "→ the place"
SHOWN = 6  # predicted words
TRAININGS, PARTS = get_args(Training), get_args(Removal)
_attend, _loaded = lru_cache(maxsize=32)(attend), cache(load_heads)


def heads(
    sentence: str = SENTENCES[0],
    *,
    model: Training = "taught",
    head: int = 4,
    part: Removal = "remove",
) -> Explorer:
    """A sentence, every head's weights, and what the model says without some heads.

    Args:
        sentence: up to 16 words that the model knows.
        model: "taught", whose heads were told where to look, or "free".
        head: which one is looked at to begin with, 1 to 4.
        part: "remove" it, "keep only" it, or "keep all" heads.

    Returns:
        an Explorer with controls "example", "sentence", "model", "head" and "part".

    Raises:
        TypeError, ValueError: the sentence cannot be read, or there is no such head,
            model or part.

    Source: Vaswani et al. (2017), §3.2.2; D0.3.3, D1.15.1, D2.3.3.
    """
    example = menu("example", [OWN, *SENTENCES], OWN)
    line = text("sentence", sentence, MOST_WORDS, at_once=False, room=64)
    # An example that is chosen fills the line; a line that is typed is one's own.
    dlink((line, "value"), (example, "value"), lambda x: x if x in SENTENCES else OWN)
    dlink((example, "value"), (line, "value"), lambda x: line.value if x == OWN else x)
    controls = {
        "example": example,
        "sentence": line,
        "model": choice("model", TRAININGS, 6, model),
        "head": stops("head", HEADS, head),
        "part": choice("this head", PARTS, 6.5, part, "part"),
    }
    return Explorer("heads", heads_sheet, controls)


def heads_sheet(
    *, example: str, sentence: str, model: Training, head: int, part: Removal
) -> Sheet:
    """What every head looks at, and the next word with all heads and with some.

    The example is not used: it has filled the sentence.
    """
    words = read(sentence_words(sentence, MOST_WORDS))
    n, (out, left) = len(words), without(head, part)
    found = _attend(tuple(words[1:]), tuple(h - 1 for h in out), model)
    s, axes = Sheet(), token_axes(words, n, n)
    look: Look = {"hidden": ~causal_mask(n).numpy()}
    told = TOLD if model == "taught" else [""] * len(HEADS)
    for h, weights in zip(HEADS, found["weights"], strict=True):
        note = "removed" if h in out else told[h - 1] or "told nothing"
        small = {"note": note, "size": "tiny", "chooses": ("head", h)}
        show_head(s, f"head {h}", axes, weights, chosen=h == head, **small, **look)
    before, after = (found[f"predictions.{n}"][-1] for n in ("before", "after"))  # (V,)
    likeliest = np.argsort(-np.maximum(before, after), kind="stable")[:SHOWN]
    likeliest = likeliest[np.argsort(-before[likeliest], kind="stable")]
    word = Axis("word", _loaded(model)[1].decode(likeliest.tolist()))
    both = np.stack([before, after])[:, likeliest]  # (2, SHOWN)
    likely = s.given("next", Axis("heads", ("all heads", left)), word, both)
    said = "how likely “{column}” is to come next: {row}"
    look = {"formula": f"after “{words[-1]}”", "note": "nothing is trained anew"}
    look |= {"palette": "output", "limit": 1.0, "size": "large", "group": 1}
    s.show(likely, "next word", sentence=said, **look)
    return s


def without(head: int, part: Removal) -> tuple[list[int], str]:
    """Which heads are left out, counted from 1, and how to say it."""
    if part == "keep only":
        return [h for h in HEADS if h != head], f"only {head}"
    return ([head], f"without {head}") if part == "remove" else ([], "all the same")

"""heads: a sentence as every head of a small trained model reads it."""

from functools import cache, lru_cache
from typing import Any, get_args

import numpy as np
from traitlets import dlink

from ...model.masks import causal_mask
from ...tasks.heads import SENTENCES, attend, load_heads, read
from ...tasks.teaching import MOST_WORDS, Training
from ..toolkit.controls import choice, menu, stops, text
from ..toolkit.drawing import Links, Matrix
from ..toolkit.explorer import Explorer
from ..toolkit.inputs import brief, sentence_words, token_axes, whole_number
from ..toolkit.looks import SHARES, WEIGHTS
from ..toolkit.sheet import Sheet
from ..toolkit.trace import Axis
from .head_split import show_head

OWN, NONE, HEADS = "your own", "none", range(1, 5)
#: Where each head of the taught model was told to look, as in `grammar.ROLES`.
TOLD = "→ the word before", "→ who it is about", "→ the verb", "→ the place"
SHOWN = 6  # predicted words
TRAININGS = get_args(Training)
_attend, _loaded = lru_cache(maxsize=32)(attend), cache(load_heads)


def heads(
    sentence: str = SENTENCES[0],
    *,
    model: Training = "taught",
    head: int = 2,
    removed: int | None = None,
) -> Explorer:
    """A sentence, every head's weights, and what the model loses without one of them.

    Args:
        sentence: up to 16 words that the model knows.
        model: "taught", whose heads were told where to look, or "free".
        head: which one is shown large to begin with, 1 to 4.
        removed: which one is removed to begin with, 1 to 4; none by default.

    Returns:
        an Explorer with controls "example", "sentence", "model", "head" and "removed".

    Raises:
        TypeError, ValueError: the sentence cannot be read, or there is no such head
            or model.

    Source: Vaswani et al. (2017), §3.2.2; D0.3.3, D1.15.1, D2.3.3.
    """
    sentence_words(sentence, MOST_WORDS)
    if model not in TRAININGS:
        raise ValueError(f"model must be one of {TRAININGS}, got {brief(model)}")
    large = whole_number("head", head, 1, 4)
    out = NONE if removed is None else str(whole_number("removed", removed, 1, 4))
    example = menu("example", [OWN, *SENTENCES], OWN)
    line = text("sentence", sentence, at_once=False, wide=72)
    # An example that is chosen fills the line; a line that is typed is one's own.
    dlink((line, "value"), (example, "value"), lambda x: x if x in SENTENCES else OWN)
    dlink((example, "value"), (line, "value"), lambda x: line.value if x == OWN else x)
    controls = {
        "example": example,
        "sentence": line,
        "model": choice("model", TRAININGS, wide=6),
        "head": stops("head", HEADS, large),
        "removed": choice("remove head", (NONE, *map(str, HEADS)), wide=5),
    }
    controls["model"].value, controls["removed"].value = model, out
    return Explorer("heads", heads_sheet, controls)


def heads_sheet(
    *, example: str, sentence: str, model: Training, head: int, removed: str
) -> Sheet:
    """What every head looks at, and the next word with and without one of them.

    The example is not used: it has filled the sentence.
    """
    words = read(sentence_words(sentence, MOST_WORDS))
    out, n = () if removed == NONE else (int(removed) - 1,), len(words)
    found = _attend(tuple(words[1:]), out, model)
    s, axes = Sheet(), token_axes(words, n, n)
    look: dict[str, Any] = {"hidden": ~causal_mask(n).numpy()}
    told = TOLD if model == "taught" else [""] * len(HEADS)
    for h, weights in zip(HEADS, found["weights"], strict=True):
        note = "removed" if str(h) == removed else told[h - 1] or "told nothing"
        small = {"note": note, "size": "tiny", "chooses": ("head", h)}
        show_head(s, f"head {h}", axes, weights, chosen=h == head, **small, **look)
    _show_loss(s, words, found, model, removed)
    look |= {"formula": f"head {head} {told[head - 1]}".strip(), "band": 1}
    said = f"{SHARES['sentence']} in head {head}"
    large = look | WEIGHTS | {"sentence": said, "size": "small"}
    show_head(s, "weights", axes, found["weights"][head - 1], **large)
    links = Links(
        name="links",
        title="links",
        rows=words,
        columns=words,
        sentence=f"what “{{word}}” looks at in head {head}",
        back=f"how much looks at “{{word}}” in head {head}",
        note="the wider the line, the larger the weight",
        shares="tokens",
        **look,
    )
    s.draw(links, found["weights"][head - 1])
    return s


def _show_loss(
    s: Sheet, words: list[str], found: dict[str, Matrix], model: Training, removed: str
) -> None:
    """How far each token's output moves without the head, and the next words."""
    moved = np.linalg.norm(found["output.after"] - found["output.before"], axis=-1)
    s.show(
        s.given("moved", Axis("", ("distance",)), Axis.of("token", words), moved[None]),
        formula="how far each token's attention output moves",
        palette="output",
        sentence="how far the attention output of “{column}” moves without the head",
        words=("0",),
        size="small",
        group=1,
    )
    before, after = (found[f"predictions.{n}"][-1] for n in ("before", "after"))  # (V,)
    likeliest = np.argsort(-np.maximum(before, after), kind="stable")[:SHOWN]
    likeliest = likeliest[np.argsort(-before[likeliest], kind="stable")]
    word = Axis.of("word", _loaded(model)[1].decode(likeliest.tolist()))
    column, out = f"without {removed}", f"head {removed}"
    if removed == NONE:
        column, out = "all heads", "no head"
    both = np.stack([before, after], axis=-1)[likeliest]
    s.show(
        s.given("next", word, Axis("heads", ("all heads", column)), both),
        "next word",
        formula=f"after “{words[-1]}”",
        limit=1.0,
        sentence="how likely “{row}” is to come next: {column}",
        note=f"in the second column {out} is removed",
        size="large",
        group=1,
    )

"""heads: the attention of every head of a small trained model, and ablations."""

from functools import cache, lru_cache
from typing import Literal, get_args

import numpy as np
import torch
from torch import Tensor
from traitlets import dlink

from explorable import Axis, Explorer, Sheet, Style, Table, plots
from explorable.controls import choice, menu, stops, text
from explorable.inputs import sentence_words
from transformer_lib.model.transformer import DecoderOnlyTransformer
from transformer_lib.runtime.patching import Change, Name, patch
from transformer_lib.runtime.recording import Recording, record

from ...data.grammar import every_word
from ...data.grammar_sentences import MOST_WORDS, SENTENCES, read
from ...models.next_word import ATTENTION, Training, load_heads
from ..recorded import Labels, RecordedPass
from .head_split import show_head

Removal = Literal["keep all", "remove", "keep only"]
Model = Literal["with supervision", "without supervision"]
OWN = "your own"
HEADS = range(1, 5)
#: What the heads were trained to attend to, as in `grammar.ROLES`.
TOLD = "→ the previous word", "→ the subject", "→ the verb", "→ the place"
SHOWN = 7  # predicted words
#: Trained with attention supervision or without it: see `course.models.next_word`.
MODELS: dict[Model, Training] = {
    "with supervision": "taught",
    "without supervision": "free",
}
PARTS = get_args(Removal)
_loaded = cache(load_heads)


def heads(
    sentence: str = SENTENCES[0],
    *,
    model: Model = "with supervision",
    head: int = 4,
    part: Removal = "remove",
) -> Explorer:
    """Show every head's weights for a sentence, and the next word without some heads.

    Args:
        sentence: up to 16 words that the model knows.
        model: "with supervision" of its attention, or "without supervision".
        head: the head that is selected at first, 1 to 4.
        part: "remove" it, "keep only" it, or "keep all" heads.

    Returns:
        an Explorer with controls "example", "sentence", "model", "head" and "part".

    Raises:
        TypeError, ValueError: the sentence cannot be read, or there is no such head,
            model or part.

    Source: Vaswani et al. (2017), §3.2.2; D0.3.3, D1.15.1, D2.3.3.
    """
    example = menu("example", [OWN, *SENTENCES], OWN)
    line = text(
        "sentence", sentence, MOST_WORDS, at_once=False, room=64, words=every_word()
    )
    # An example that is chosen fills the line; a line that is typed is one's own.
    dlink((line, "value"), (example, "value"), lambda x: x if x in SENTENCES else OWN)
    dlink((example, "value"), (line, "value"), lambda x: line.value if x == OWN else x)
    controls = {
        "example": example,
        "sentence": line,
        "model": choice("model", [*MODELS], model),
        "head": stops("head", HEADS, head),
        "part": choice("this head", PARTS, part, "part"),
    }
    return Explorer(
        "heads",
        heads_sheet,
        controls,
        title="Heads at work",
        task="Select a head, remove it, and see how the next word changes.",
        more=("sentence",),
    )


@lru_cache(maxsize=32)  # what the reader holds is the reader's own: see `Explorer`
def heads_sheet(
    *, example: str, sentence: str, model: Model, head: int, part: Removal
) -> Sheet:
    """The weights of every head, and the next word with all heads and with some.

    The example is not used here: it has already filled in the sentence.
    """
    words = read(sentence_words(sentence, MOST_WORDS))
    out, left = without(head, part)
    training = MODELS[model]
    net, vocabulary = _loaded(training)
    before = _read(tuple(words), (), training)
    after = _read(tuple(words), tuple(h - 1 for h in out), training)
    s = Sheet()
    seen = RecordedPass(s, net, before, Labels(words=words))
    told = TOLD if training == "taught" else [""] * len(HEADS)
    for h in HEADS:
        weights = s.renamed(f"head {h}", seen.table(f"{ATTENTION}.weights", h - 1))
        note = "removed" if h in out else told[h - 1] or "no supervision"
        small: Style = {"note": note, "size": "tiny", "chooses": ("head", h)}
        show_head(s, weights, chosen=h == head, faint=h in out, **small)
    shown = _most_likely(_chances(before), _chances(after))
    labels = Labels(words=words[-1:], vocabulary=vocabulary.words, scored=shown)
    each = [
        _next(s, net, tensors, labels, name)
        for tensors, name in ((before, "before"), (after, "after"))
    ]
    likely = s.stack("next", Axis("heads", ("all", left)), each)
    said = "probability of “{column}” as the next word, heads: {row}"
    look: Style = {"formula": f"after “{words[-1]}”, not retrained; blank: under 0.005"}
    look |= {"note": _said(likely, head, part), "concludes": True}
    look |= {"palette": "output", "vmax": 1.0, "size": "large", "group": 1}
    look |= {"blank_zeros": True, "followed": 1 if out else -1}
    s.show(likely, "next word", sentence=said, **look)
    return s


@lru_cache(maxsize=32)
def _read(
    words: tuple[str, ...], removed: tuple[int, ...], training: Training
) -> Recording:
    """What a model computes of ⟨SOS⟩ and words, without the heads that are removed."""
    net, vocabulary = _loaded(training)
    nothing: dict[Name, Change] = {
        (f"{ATTENTION}.heads", h): torch.zeros_like for h in removed
    }
    with torch.no_grad(), patch(net, nothing), record(net) as tensors:
        net(torch.tensor([vocabulary.encode(words)]))
    return tensors


def _chances(tensors: Recording) -> Tensor:
    """The probability of every word to come next, (V,)."""
    return tensors["logits"][0, -1].softmax(dim=-1)


def _most_likely(before: Tensor, after: Tensor) -> list[int]:
    """The ids of the most likely words of either row, in the order of the first."""
    either = torch.maximum(before, after).double().numpy()
    found = np.argsort(-either, kind="stable")[:SHOWN]
    first = before.double().numpy()[found]
    ordered: list[int] = found[np.argsort(-first, kind="stable")].tolist()
    return ordered


def _next(
    s: Sheet, net: DecoderOnlyTransformer, tensors: Recording, labels: Labels, name: str
) -> Table:
    """The probabilities of the words shown, after the last position: (1, SHOWN)."""
    last = Recording({field: tensors[field][:, -1:] for field in ("decoder", "logits")})
    last.inputs["logits"] = (last["decoder"],)
    seen = RecordedPass(s, net, last, labels, prefix=f"{name} ")
    chances = _chances(tensors)[list(labels.scored or ())].double()
    return s.with_recorded(seen.table("probabilities"), chances[None], 1e-5)


def _said(likely: Table, head: int, part: Removal) -> str:
    """State which word comes next, and which one does with all heads."""
    at = likely.values.argmax(axis=1).tolist()
    (was, p), (now, q) = (
        (likely.columns.labels[n], plots.number(float(row[n]), 2))
        for n, row in zip(at, likely.values, strict=True)
    )
    if part == "keep all":
        return f"all heads: “{was}” ({p})"
    left = f"{'without' if part == 'remove' else 'only'} head {head}"
    if was == now:
        return f"{left}: still “{now}” ({q})"
    return f"{left}: “{now}” ({q}), not “{was}” ({p})"


def without(head: int, part: Removal) -> tuple[list[int], str]:
    """The heads that are removed, counted from 1, and the label of that row."""
    if part == "keep only":
        return [h for h in HEADS if h != head], f"only {head}"
    return ([head], f"all but {head}") if part == "remove" else ([], "none removed")

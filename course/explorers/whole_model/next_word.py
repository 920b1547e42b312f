"""next_word: a sentence as the whole trained model reads it, and what comes next."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Literal, get_args

from explorable import Axis, Explorer, Sheet, Style, Table
from explorable.controls import choice, text
from explorable.inputs import sentence_words
from transformer_lib.model.transformer import Transformer
from transformer_lib.runtime.recording import Recording, record

from ...data.jobs import HELD_OUT, LEARNED, VOCABULARY, probabilities
from ...data.known import check_known, plain
from ...models import jobs
from ..recorded import Labels, RecordedPass

Parameters = Literal["trained", "random"]
KINDS = get_args(Parameters)
MOST_WORDS = jobs.SIZES.max_length - 1  # one more is ⟨SOS⟩
KNOWN = plain(VOCABULARY.words)
CROSS = "decoder.blocks.0.cross_attention"
BY_QUERY = "q", "scores", "weights"  # what has a row for each word that asks
SHOWN = 7  # words whose chances are shown


def next_word(
    sentence: str = "Ajish works as an AI", *, parameters: Parameters = "trained"
) -> Explorer:
    """A sentence, what its last word looks at in it, and which word comes next.

    The model is that of `models.jobs`. Its encoder reads the whole
    sentence; its decoder has written the same words, without "studied … and". Where the
    data has such a sentence, its own probabilities stand below those of the model.

    Args:
        sentence: 1 to 8 words that the model knows.
        parameters: "trained", or "random" as before the training.

    Returns:
        an Explorer with controls "sentence" and "parameters".

    Raises:
        TypeError, ValueError: the sentence cannot be read, or there are no such
            parameters.

    Source: D2.9, D2.12, D3.10.steps.
    """
    controls = {
        "sentence": text(
            "sentence", sentence, MOST_WORDS, at_once=False, room=56, words=KNOWN
        ),
        "parameters": choice("parameters", KINDS, parameters),
    }
    return Explorer(
        "next_word",
        next_word_sheet,
        controls,
        title="The next word",
        task="Type the beginning of a sentence and see the next word.",
    )


@lru_cache(maxsize=32)  # what the reader holds is the reader's own: see `Explorer`
def next_word_sheet(*, sentence: str, parameters: Parameters) -> Sheet:
    """Cross-attention of the last word (H, S), logits and probabilities of some words.

    p = softmax(x Eᵀ), of the last word's vector x
    """
    words = sentence_words(sentence, MOST_WORDS)
    check_known("sentence", words, KNOWN)
    start = " ".join(words)
    last = words[-1]  # is written too
    model = _model(parameters)
    with record(model) as tensors:
        said = jobs.next_word(model, start)
    true = probabilities(start) if start in {*LEARNED, *HELD_OUT} else {}
    by_chance = sorted(said, key=lambda word: -max(said[word], true.get(word, 0.0)))
    shown = [word for word in said if word in by_chance[:SHOWN]]
    s = Sheet()
    labels = Labels(
        words=[last],
        source=words,
        vocabulary=VOCABULARY.words,
        scored=VOCABULARY.encode(shown),
    )
    seen = RecordedPass(s, model, _of_last(tensors), labels)
    heads = range(model.n_heads)
    each = [seen.table(f"{CROSS}.weights", h) for h in heads]
    named = Axis("head", [f"head {h + 1}" for h in heads])
    look: Style = {"vmax": 1.0, "blank_zeros": True}
    look["sentence"] = f"{{row}}: weight from “{last}” to “{{column}}”"
    look |= {"formula": f"from “{last}”, the last target word, to the source"}
    s.show(s.stack("weights", named, each), "cross-attention", **look)
    look = {"formula": "x · row of E", "sentence": "logit of “{column}”", "group": 1}
    look |= {"palette": "scores", "note": "", "size": "large"}
    s.show(seen.table("logits"), **look)
    _show_chances(s, seen.table("probabilities"), true)
    return s


def _show_chances(s: Sheet, own: Table, true: Mapping[str, float]) -> None:
    """Show how likely words are to come next, and below it how likely in the data."""
    words = own.columns.labels
    rows = ["model"]
    tables = [own]
    if true:
        known = [[true.get(word, 0.0) for word in words]]
        tables.append(s.leaf("data", Axis("", ("data",)), own.columns, known))
        rows.append("data")
    likely = s.stack("next", Axis("origin", rows), tables)
    look: Style = {"palette": "output", "vmax": 1.0, "size": "large", "group": 2}
    look |= {"formula": "softmax of all logits", "blank_zeros": True}
    look["note"] = "" if true else "the data has no sentence with this beginning"
    look["sentence"] = "probability that “{column}” comes next: {row}"
    s.show(likely, "probabilities", **look)


def _of_last(tensors: Recording) -> Recording:
    """What belongs to the last word that the decoder has read."""
    last = Recording({name: tensors[name][:, -1:] for name in ("decoder", "logits")})
    last.inputs["logits"] = (last["decoder"],)
    for field in ("k", "v"):
        last[f"{CROSS}.{field}"] = tensors[f"{CROSS}.{field}"]
    for field in BY_QUERY:
        last[f"{CROSS}.{field}"] = tensors[f"{CROSS}.{field}"][:, :, -1:]
    return last


@cache
def _model(parameters: Parameters) -> Transformer:
    return jobs.trained() if parameters == "trained" else jobs.MODEL.untrained()

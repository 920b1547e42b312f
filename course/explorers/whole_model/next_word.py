"""next_word: what a trained Transformer attends to, and which word it predicts next."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Literal, get_args

import numpy as np

from explorable import Axis, Explorer, Sheet, Style, Table, plots
from explorable.controls import choice, text
from explorable.drawings.bars import Bars
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
BY_QUERY = "q", "scores", "weights"  # one row for each query
USUAL = 0.8  # that few probabilities exceed
SHOWN = 5  # words whose probabilities are shown


def next_word(
    sentence: str = "Ajish works as an AI", *, parameters: Parameters = "trained"
) -> Explorer:
    """Show what the last word of a sentence attends to, and which word comes next.

    The model is the one in `models.jobs`. Its encoder reads the whole sentence. Its
    decoder has written the same words, except "studied … and". If the data contains
    such a sentence, the data's probabilities are shown below the model's.

    Args:
        sentence: 1 to 8 words that the model knows.
        parameters: "trained", or "random", as they were before training.

    Returns:
        an Explorer with controls "sentence" and "parameters".

    Raises:
        TypeError, ValueError: the sentence has unknown words or the wrong length, or
            `parameters` is neither of the two.

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
        title="What comes next?",
        task="Type the start of a sentence, press Enter, and see what changes.",
    )


@lru_cache(maxsize=32)  # what the reader holds is the reader's own: see `Explorer`
def next_word_sheet(*, sentence: str, parameters: Parameters) -> Sheet:
    """Show the last word's cross-attention (H, S), and which words come next."""
    words = sentence_words(sentence, MOST_WORDS)
    check_known("sentence", words, KNOWN)
    start = " ".join(words)
    last = words[-1]  # the decoder has written it, too
    model = _model(parameters)
    with record(model) as tensors:
        said = jobs.next_word(model, start)
    s = Sheet()
    seen = RecordedPass(s, model, _of_last(tensors), Labels(words=[last], source=words))
    heads = range(model.n_heads)
    each = [seen.table(f"{CROSS}.weights", h) for h in heads]
    named = Axis("head", [f"head {h + 1}" for h in heads])
    look: Style = {"vmax": 1.0, "blank_zeros": True, "note": _blank(*each)}
    look["sentence"] = f"{{row}}: how much “{last}” attends to “{{column}}”"
    look["formula"] = f"how much “{last}”, the last word, attends to each word"
    s.show(s.stack("weights", named, each), "cross-attention", **look)
    true = probabilities(start) if start in {*LEARNED, *HELD_OUT} else {}
    _show_chances(s, said, true)
    return s


def _show_chances(
    s: Sheet, said: Mapping[str, float], true: Mapping[str, float]
) -> None:
    """Show how likely each next word is: for the model, and in the data."""
    ranked = sorted(said, key=lambda word: (word not in true, -said[word]))
    shown = [word for word in said if word in ranked[:SHOWN]]
    both = {"model": said, "data": true} if true else {"model": said}
    likely = max(said, key=lambda word: said[word])
    data = f"data: {plots.number(true.get(likely, 0.0))}"
    told = data if true else "no sentence of the data begins like this"
    chances = Bars(
        name="next",
        title="probabilities",
        formula=f"of the next word: {len(shown)} words of {len(said)}",
        palette="output",
        labels=shown,
        series=[*both],
        hues=("output", "reference")[: len(both)],
        scale=(0.0, USUAL if said[likely] <= USUAL else 1.0),
        sentence="probability that {label} comes next: {series}",
        note=f"“{likely}” comes next: {plots.number(said[likely])} ({told})",
        concludes=True,
        blank_zeros=True,
        least=12,  # another sentence moves nothing
        leads=True,
    )
    numbers = [[of.get(word, 0.0) for of in both.values()] for word in shown]
    s.draw(chances, np.array(numbers))


def _blank(*tables: Table) -> str:
    """Say which cells are blank, where some are."""
    some = any((table.values < 0.005).any() for table in tables)
    return "blank: under 0.005" if some else ""


def _of_last(tensors: Recording) -> Recording:
    """Select what belongs to the last word that the decoder has read."""
    last = Recording({})
    for field in ("k", "v"):
        last[f"{CROSS}.{field}"] = tensors[f"{CROSS}.{field}"]
    for field in BY_QUERY:
        last[f"{CROSS}.{field}"] = tensors[f"{CROSS}.{field}"][:, :, -1:]
    return last


@cache
def _model(parameters: Parameters) -> Transformer:
    return jobs.trained() if parameters == "trained" else jobs.MODEL.untrained()

"""training_scrubber: a training, forwards and backwards, through its snapshots."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np

from explorable import Explorer, Sheet, Style, Table
from explorable.controls import stops, text, whole
from explorable.inputs import whole_number
from explorable.player import Player
from transformer_lib.checks.validation import check_type

from ...models.french_steps import watched
from ...models.snapshots import Snapshots
from ..multi_head.head_split import show_head
from ..recorded import Labels, RecordedPass
from .learning import draw_learning
from .reading import Reading, Seen

FEW = 10  # words, up to which the cells of a head are large


def training_scrubber(
    found: Snapshots | None = None,
    sentence: str = "the black cat sees a small house",
    *,
    step: int | None = None,
    block: int = 1,
) -> Explorer:
    """Drag through a training: its curves, and what the model makes of a sentence.

        training_scrubber()                      # English to French, trained before
        training_scrubber(found, "c a b b a g e")  # the reader's own: see `watch`

    At each step the decoder is given what the model of the last step writes, word by
    word; so all steps are asked the same, and can be compared.

    Args:
        found: the snapshots of a training, by `models.snapshots.watch`; by
            default those of `models.french_steps`.
        sentence: what is read, at most 16 words that the model knows.
        step: one that has a snapshot; the last one by default.
        block: of the decoder, from 1.

    Returns:
        an Explorer with controls "sentence", "step" and, of several, "block". Its
        values: "loss" and "right" (K, 2) of the K snapshots, the weights of each head,
        "head 1" … (T, S), and "next" (T, words shown).

    Raises:
        TypeError, ValueError: found are no snapshots, the sentence cannot be read, or
            there is no such step or block.

    Source: Vaswani et al. (2017), §3.2; D2.7.train, D2.12.train.
    """
    found = watched() if found is None else found
    check_type("found", found, Snapshots)
    steps = [shot.step for shot in found.shots]
    reading = Reading(found)
    look: Any = {"at_once": False, "room": 34, "words": reading.known}
    controls = {
        "sentence": text("sentence", sentence, reading.most, **look),
        "step": stops("step", steps, steps[-1] if step is None else step),
    }
    controls["step"].add_class("tl-long")  # room to be dragged through all of them
    blocks = found.config.n_decoder_layers
    block = whole_number("block", block, 1, blocks)
    if blocks > 1:
        controls["block"] = whole("block", block, 1, blocks)
    sheet = lru_cache(maxsize=32)(training_sheet)  # who drags comes back
    return Player(
        "training_scrubber",
        sheet,
        controls,
        reading=reading,
        title="A training, step by step",
        task="Drag the step and watch the alignment of the words form.",
        more=("block",),
    )


def training_sheet(
    reading: Reading, *, sentence: str, step: int, block: int = 1
) -> Sheet:
    """Each head's weights (T, S), how likely the next words are, and the curves."""
    found = reading.found
    shot = [one.step for one in found.shots].index(step)
    seen = reading.read(sentence, shot)
    s = Sheet()
    labels = Labels(
        words=seen.read,
        source=seen.source,
        vocabulary=reading.words.words,
        scored=seen.scored,
    )
    passed = RecordedPass(s, seen.model, seen.tensors, labels)
    name = f"decoder.blocks.{block - 1}.cross_attention.weights"
    heads = found.config.n_heads
    few = heads <= 2 and max(len(seen.source), len(seen.read)) <= FEW
    about = "cross-attention" if heads <= 2 else ""  # of more it takes the room
    for h in range(heads):
        weights = s.renamed(f"head {h + 1}", passed.table(name, h))
        said = f"{weights.name}, after “{{row}}”: the weight of “{{column}}”"
        look: Style = {"formula": about, "size": "plain" if few else "tiny"}
        look |= {"note": "", "followed": seen.slowest}
        show_head(s, weights, sentence=said, **look)
    last = found.shots[-1].step
    note = f"of {len(reading.words)} words; frame = output after step {last}"
    _show_next(s, passed.table("probabilities"), seen, note)
    draw_learning(s, found, shot)
    return s


def in_short(words: Sequence[str]) -> str:
    """Write words in a line; one that is said again and again once, and how often.

    A model that has learned little writes lines that are wider than the picture.
    """
    runs = [(word, len([*same])) for word, same in groupby(words)]
    said = (f"{word} ×{n}" if n > 2 else " ".join([word] * n) for word, n in runs)
    return " ".join(said)


def _show_next(s: Sheet, chances: Table, seen: Seen, note: str) -> None:
    """Show how likely the next words are; those that are asked for have a frame."""
    columns = chances.columns.labels
    outlined = np.array([[word == column for column in columns] for word in seen.asked])
    written = in_short(seen.written) or "nothing"
    look: Style = {"palette": "output", "vmax": 1.0, "group": 1, "outlined": outlined}
    look |= {"formula": f"{len(columns)} {note}", "blank_zeros": True}
    look |= {"followed": seen.slowest, "opens": seen.slowest, "concludes": True}
    look["sentence"] = "how likely “{column}” is to come after “{row}”"
    look["note"] = f"free-running output: “{written}”"
    s.show(s.renamed("next", chances), "next words", **look)

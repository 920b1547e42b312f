"""coreference: where a model that has learnt it looks to say what "it" stands for."""

from contextlib import nullcontext
from functools import cache, lru_cache
from typing import Literal, get_args

from torch import Tensor

from explorable import Axis, Explorer, Sheet, Style
from explorable.controls import choice, text
from explorable.drawings.links import AttentionLinks
from transformer_lib.runtime.recording import Recording, record

from ...data.coreference import MOST_WORDS, VOCABULARY, Asked, found_in
from ...models import coreference as learnt
from ..recorded import Labels, RecordedPass

Edge = Literal["none", "to its noun", "to the other noun"]
EDGES = get_args(Edge)
Turn = Literal["first", "second"]
TURNS = get_args(Turn)  # "it" looks once in each block
ENDS = {"to its noun": learnt.meant, "to the other noun": learnt.other}
BESIDE = 2  # words that are in no place of the sentence, and are the likeliest
_trained = cache(learnt.trained)  # nobody changes it here


def coreference(
    sentence: str = "The cat sat on the mat, and it was happy",
    *,
    look: Turn = "second",
    cut: Edge = "none",
) -> Explorer:
    """A sentence, where "it" looks in one of two blocks, and what it then stands for.

    The model is that of `models.coreference`, in which "it" alone may look at other
    words.

    Args:
        sentence: with "it", two nouns, and last a word that is said of one of them, of
            the words that the model knows; capitals and a full stop do not matter.
        look: the first, in the first block, or the second.
        cut: an edge along which "it" may not look, in both blocks.

    Returns:
        an Explorer with controls "sentence", "look" and "cut".

    Raises:
        TypeError, ValueError: the sentence cannot be read, or there is no such look
            or edge.

    Source: D1.7.1.
    """
    controls = {
        "sentence": text("sentence", sentence, MOST_WORDS, at_once=False, room=44),
        "look": choice("look", TURNS, value=look),
        "cut": choice("cut", EDGES, cut),
    }
    return Explorer(
        "coreference",
        coreference_sheet,
        controls,
        title="What does “it” stand for?",
        task="Change the sentence, or cut a connection, and see where “it” looks.",
    )


@lru_cache(maxsize=32)  # what the reader holds is the reader's own: see `Explorer`
def coreference_sheet(*, sentence: str, look: Turn, cut: Edge) -> Sheet:
    """Weights of a look of "it" as arcs (T, T), and how likely it stands for words.

    p = softmax(x Eᵀ), with x the vector of "it" after the last block
    """
    asked = found_in(sentence)
    tensors, scores = _read(asked, cut)
    s = Sheet()
    seen = RecordedPass(s, _trained(), tensors, Labels(words=asked.words))
    block = TURNS.index(look)
    weights = seen.table(learnt.ATTENTION.format(block, "weights"), head=0)
    arcs = AttentionLinks(
        name="arcs",
        title=f"where “it” looks: its {look} look",
        formula=f"block {block + 1}: the wider the arc, the larger the weight",
        rows=asked.words,
        columns=asked.words,
        hidden=weights.hidden,
        shares="tokens",
        arcs=True,
        chosen=asked.it,
    )
    s.draw(arcs, weights.values)
    _show_answer(s, asked, tensors, scores)
    return s


def _read(asked: Asked, cut: Edge) -> tuple[Recording, Tensor]:
    """What the model computes of a sentence, and how "it" scores every word (V,)."""
    model = _trained()
    without = learnt.cut(model, [asked], ENDS[cut]) if cut in ENDS else nullcontext()
    with without, record(model) as tensors:
        [scores] = learnt.scores(model, [asked])
    return tensors, scores


def _show_answer(s: Sheet, asked: Asked, tensors: Recording, scores: Tensor) -> None:
    """Show how likely "it" stands for both nouns, and for the likeliest other words."""
    nouns = [asked.words[n] for n in sorted((asked.antecedent, asked.other))]
    by_score = VOCABULARY.decode(scores.argsort(descending=True))
    others = [word for word in by_score if word not in nouns][:BESIDE]
    words = Axis("word", [*nouns, *others])
    x = s.leaf("x", Axis("", ["it"]), "feature", tensors["encoder"][0, [asked.it]])
    E = _trained().embedding.weight[VOCABULARY.encode(words.labels)]
    rows = s.leaf("E", words, "feature", E.detach())
    own = s.matmul("scores", x, rows, transposed=True)
    largest = float(scores.max())
    less = "−", largest, "the largest score"
    powers = s.elementwise("powers", own, less, label="score", function="exp")
    total = float((scores - largest).exp().sum())
    said = f"the same of all {len(scores)} words"
    label = "exp(score − largest)"
    likely = s.elementwise("likely", powers, ("÷", total, said), label=label)
    look: Style = {"palette": "output", "vmax": 1.0, "size": "large", "note": ""}
    look |= {"formula": "softmax of the scores x · row of E", "blank_zeros": True}
    look["sentence"] = "how likely “it” stands for “{column}”"
    s.show(likely, "what “it” stands for", **look)

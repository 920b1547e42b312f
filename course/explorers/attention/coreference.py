"""coreference: where a trained model looks to find out what "it" refers to."""

from contextlib import nullcontext
from functools import cache, lru_cache
from typing import Literal, get_args

from torch import Tensor

from explorable import Axis, Explorer, Sheet, Style
from explorable.controls import choice, text
from explorable.drawings.links import AttentionLinks
from transformer_lib.runtime.recording import Recording, record

from ...data.coreference import MOST_WORDS, VOCABULARY, Asked, found_in
from ...models import coreference as learned
from ..recorded import Labels, RecordedPass

Edge = Literal["none", "to its noun", "to the other noun"]
EDGES = get_args(Edge)
Turn = Literal["first", "second"]
TURNS = get_args(Turn)  # "it" looks once in each layer
ENDS = {"to its noun": learned.meant, "to the other noun": learned.other}
BESIDE = 2  # how many of the most likely words outside the sentence are shown
SEEN = 0.005  # the least probability that they are shown with
_trained = cache(learned.trained)  # nobody changes it here


def coreference(
    sentence: str = "The cat sat on the mat, and it was happy",
    *,
    look: Turn = "second",
    cut: Edge = "none",
) -> Explorer:
    """Show where "it" looks in one of two layers, and which noun it then refers to.

    The model is the one in `models.coreference`, in which only "it" may attend to
    words other than itself.

    Args:
        sentence: with "it", two nouns, and at the end a word that describes one of
            them; the model must know every word. Capitals and a period do not matter.
        look: "first" for the first layer, or "second".
        cut: the edge that is removed from "it" in both layers.

    Returns:
        an Explorer with controls "sentence", "look" and "cut".

    Raises:
        TypeError, ValueError: the sentence cannot be read, or `look` or `cut` has an
            unknown value.

    Source: D1.7.1.
    """
    controls = {
        "sentence": text("sentence", sentence, MOST_WORDS, at_once=False, room=36),
        "look": choice("layer", TURNS, value=look, name="look"),
        "cut": choice("cut", EDGES, cut),
    }
    return Explorer(
        "coreference",
        coreference_sheet,
        controls,
        title="What does “it” refer to?",
        task="Change the sentence, or cut an edge, and see where “it” looks.",
    )


@lru_cache(maxsize=32)  # what the reader holds is the reader's own: see `Explorer`
def coreference_sheet(*, sentence: str, look: Turn, cut: Edge) -> Sheet:
    """Show the weights of "it" in one layer as arcs, and what it probably refers to.

    p = softmax(x Eᵀ), with x the vector of "it" after the last block
    """
    asked = found_in(sentence)
    tensors, scores = _read(asked, cut)
    s = Sheet()
    seen = RecordedPass(s, _trained(), tensors, Labels(words=asked.words))
    block = TURNS.index(look)
    weights = seen.table(learned.ATTENTION.format(block, "weights"), head=0)
    arcs = AttentionLinks(
        name="arcs",
        title=f"where “it” looks in the {look} layer",
        formula="the wider the arc, the larger the weight",
        rows=asked.words,
        columns=asked.words,
        hidden=weights.hidden,
        shares="tokens",
        arcs=True,
        chosen=asked.it,
        note=_answer(scores),
        concludes=True,
    )
    s.draw(arcs, weights.values)
    _show_answer(s, asked, tensors, scores)
    return s


def _read(asked: Asked, cut: Edge) -> tuple[Recording, Tensor]:
    """Return what the model computes for a sentence, and each word's score (V,)."""
    model = _trained()
    without = learned.cut(model, [asked], ENDS[cut]) if cut in ENDS else nullcontext()
    with without, record(model) as tensors:
        [scores] = learned.scores(model, [asked])
    return tensors, scores


def _answer(scores: Tensor) -> str:
    """Say what "it" most probably refers to."""
    probability, word = scores.softmax(-1).max(-1)
    [noun] = VOCABULARY.decode(word[None])
    return f"“it” refers to “{noun}”: probability {probability:.2f}"


def _show_answer(s: Sheet, asked: Asked, tensors: Recording, scores: Tensor) -> None:
    """Show the probabilities of both nouns and of the most likely other words."""
    nouns = [asked.words[n] for n in sorted((asked.antecedent, asked.other))]
    by_score = VOCABULARY.decode(scores.argsort(descending=True))
    probable = VOCABULARY.decode((scores.softmax(-1) >= SEEN).nonzero().flatten())
    others = [word for word in by_score if word in {*probable} - {*nouns}][:BESIDE]
    words = Axis("word", [*nouns, *others])
    x = s.leaf("x", Axis("", ["it"]), "feature", tensors["encoder"][0, [asked.it]])
    E = _trained().embedding.weight[VOCABULARY.encode(words.labels)]
    rows = s.leaf("E", words, "feature", E.detach())
    own = s.matmul("scores", x, rows, transposed=True)
    largest = float(scores.max())
    less = "−", largest, "the largest score"
    powers = s.elementwise("powers", own, less, label="score", function="exp")
    total = float((scores - largest).exp().sum())
    said = f"the sum over all {len(scores)} words"
    label = "exp(score − largest)"
    likely = s.elementwise("likely", powers, ("÷", total, said), label=label)
    look: Style = {"palette": "output", "vmax": 1.0, "size": "large", "note": ""}
    look |= {"formula": "softmax of the scores x · row of E"}
    look["sentence"] = "probability that “it” refers to “{column}”"
    s.show(likely, "what “it” refers to", **look)

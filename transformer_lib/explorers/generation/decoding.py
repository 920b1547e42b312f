"""decoding: how a text is written, step by step: greedily, by chance, with beams."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from ...generation.settings import Sampling
from ...model.transformer import DecoderOnlyTransformer, Transformer
from ...text.vocabulary import Vocabulary
from ..toolkit import Explorer, Sheet
from ..toolkit.controls import choice, slider, text, whole
from ..toolkit.inputs import whole_number
from .branches import draw_tree
from .choices import draw_candidates, draw_next
from .stepping import Stepping
from .writing import Greedy, Sampled, Searched, Writer, Writing

Strategy = Literal["greedy", "sample", "beam search"]
STRATEGIES = get_args(Strategy)
TEXTS = 6  # samples or beams
SEEDS = 99
#: The controls that only some strategies ask for.
ASKED = {
    "texts": STRATEGIES[1:],
    "text": STRATEGIES[1:],
    "temperature": ("sample",),
    "top_k": ("sample",),
    "top_p": ("sample",),
    "seed": ("sample",),
    "length_penalty": ("beam search",),
}


def decoding(
    model: DecoderOnlyTransformer | Transformer,
    vocabulary: Vocabulary,
    source: str,
    *,
    strategy: Strategy = "greedy",
    step: int = 1,
    texts: int = 3,
    text_in_view: int = 1,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    seed: int = 0,
    length_penalty: float = 0.0,
    longest: int | None = None,
    end: str | None = None,
) -> Explorer:
    """How a model writes: what may come next at each step, and what was chosen.

        decoding(model, vocabulary, "Ajish works as an AI", strategy="beam search")

    Next and Back take a step, To the end takes all; Play goes on by itself until
    anything is touched. The bars are of the text in view; below grow all texts as a
    tree, and the one that is given out is marked.

    Args:
        model: a DecoderOnlyTransformer or a Transformer.
        vocabulary: the words by the model's ids.
        source: what is translated, or what a decoder goes on from: words that the
            model knows.
        strategy: `greedy`, `sample` or `beam_search` of the library.
        step: to begin with, from 1; one behind the last shows the end.
        texts: how many samples or beams, 1 to 6.
        text_in_view: which of them, from 1; of beams by Σ log p, the best first.
        temperature: of the samples, 0.1 to 5: see `Sampling`.
        top_k: of the samples: so many words can be drawn; None for all.
        top_p: of the samples, 0.05 to 1.
        seed: of the samples, 0 to 99.
        length_penalty: of the beams, 0 to 3.
        longest: the most tokens of a text, its first included; by default as many as
            fit, at most 24.
        end: the word that ends a text; by default the vocabulary's sign for it, if any.

    Returns:
        an Explorer with controls "strategy", "source", "texts", "text", "temperature",
        "top_k", "top_p", "seed", "length_penalty", "longest" and "step". What the
        strategy does not ask for is out of sight.

    Raises:
        TypeError, ValueError: it is no such model, or not its vocabulary, the source
            cannot be read, or a setting is not one of those there are.

    Source: D0.2.3, D2.7.infer, D3.10.loop; Holtzman et al. (2020).
    """
    writer = Writer(model, vocabulary, end)
    most = writer.most
    longest = whole_number("longest", most if longest is None else longest, 2, most)
    writer.read(source, longest)
    V = len(vocabulary)
    settings = {
        "strategy": choice("strategy", STRATEGIES, 9.5, strategy),
        "source": text(writer.given, source, most, at_once=False, room=36),
        "longest": whole("longest text", longest, 2, most),
        "texts": whole("texts at once", texts, 1, min(TEXTS, V), "texts"),
        "text": whole("text in view", text_in_view, 1, TEXTS, "text_in_view"),
        "temperature": slider("temperature", temperature, 0.1, 5.0, 0.1),
        "top_k": whole("top-k", V if top_k is None else top_k, 1, V, "top_k"),
        "top_p": slider("top-p", top_p, 0.05, 1.0, 0.05, "top_p"),
        "seed": whole("seed", seed, 0, SEEDS),
        "length_penalty": slider(
            "length penalty", length_penalty, 0.0, 3.0, 0.1, "length_penalty"
        ),
        "step": whole("step", step, 1, most - 1),
    }
    return Writings("decoding", decoding_sheet, count_steps, settings, writer=writer)


class Writings(Stepping):
    """An explorer whose strategy does not ask for all of its controls."""

    def _draw(self) -> None:
        super()._draw()
        for name, strategies in ASKED.items():
            asked = self.settings["strategy"] in strategies
            self.controls[name].layout.display = None if asked else "none"


def count_steps(writer: Writer, *, text: int, step: int, **asked: Any) -> int:
    """How many steps a strategy takes."""
    return writing_of(writer, **asked).steps


def decoding_sheet(writer: Writer, *, text: int, step: int, **asked: Any) -> Sheet:
    """What may follow the text in view at a step, and all texts as a tree."""
    made = writing_of(writer, **asked)
    strategy = asked["strategy"]
    words = writer.words
    root = writer.root(asked["source"].split())
    n = min(step, made.steps)
    stood = made.fronts[n - 1]
    node = stood[min(text, len(stood)) - 1]
    if node in made.ended:  # it is seen as it was when it ended
        node = made.parents[node]
    s = Sheet()
    behind = [m for m, parent in enumerate(made.parents) if parent == node]
    taken = [m for m in behind if m not in made.tried]
    if strategy == "sample":
        end = made.fronts[n][min(text, len(stood)) - 1]
        taken = [m for m in taken if m in made.path(end)]
    sampling = sampling_of(asked) if strategy == "sample" else None
    draw_next(s, made, words, root, node, taken, sampling)
    if strategy == "beam search":
        draw_candidates(s, made, words, n)
        end = made.best if n == made.steps else -1
    elif strategy == "greedy":
        end = made.fronts[n][0]
    exponent = asked["length_penalty"] if made.beams else 0.0
    draw_tree(s, made, words, root, n, end, exponent)
    return s


def writing_of(
    writer: Writer, *, strategy: Strategy, source: str, longest: int, **asked: Any
) -> Writing:
    """What a strategy writes, with the settings of the controls."""
    told: Greedy | Sampled | Searched = Greedy()
    if strategy == "sample":
        told = Sampled(asked["texts"], sampling_of(asked), asked["seed"])
    if strategy == "beam search":
        told = Searched(asked["texts"], asked["length_penalty"])
    return writer.write(source, longest, told)


def sampling_of(asked: Mapping[str, Any]) -> Sampling:
    """How the controls' settings shape what is drawn from."""
    names = "temperature", "top_k", "top_p"
    return Sampling(**{name: asked[name] for name in names})

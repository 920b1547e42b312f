"""decoding: how a text is written, step by step: greedily, by chance, with beams."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from explorable import Explorer, Sheet
from explorable.controls import choice, slider, text, whole
from explorable.inputs import whole_number
from explorable.player import Player
from transformer_lib.generation.sampling import Sampling
from transformer_lib.model.transformer import DecoderOnlyTransformer, Transformer
from transformer_lib.text.vocabulary import Vocabulary

from .branches import draw_tree
from .choices import draw_candidates, draw_next
from .writing import Greedy, Sampled, Searched, Writer, Writing

Strategy = Literal["greedy", "sample", "beam search"]
STRATEGIES = get_args(Strategy)
TEXTS = 6  # samples or beams
SEEDS = 99
#: The controls that only some strategies ask for.
ASKED = {
    "texts": STRATEGIES[1:],
    "text": ("sample",),
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
    anything is touched. The bars are what is chosen from: words behind the text, or
    behind all beams; the texts grow as a tree, in which the path taken is marked.

    Args:
        model: a DecoderOnlyTransformer or a Transformer.
        vocabulary: the words by the model's ids.
        source: what is translated, or what a decoder goes on from: words that the
            model knows.
        strategy: `greedy`, `sample` or `beam_search` of the library.
        step: to begin with, from 1; one behind the last shows the end.
        texts: how many samples or beams, 1 to 6.
        text_in_view: which of the samples, from 1.
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
        "strategy": choice("strategy", STRATEGIES, strategy),
        "source": text(
            writer.given, source, most, at_once=False, room=24, words=writer.offered
        ),
        "longest": whole("longest text", longest, 2, most),
        "texts": whole("samples or beams", texts, 1, min(TEXTS, V), "texts"),
        "text": whole("sample in view", text_in_view, 1, TEXTS, "text_in_view"),
        "temperature": slider("temperature", temperature, 0.1, 5.0, 0.1),
        "top_k": whole("top-k", V if top_k is None else top_k, 1, V, "top_k"),
        "top_p": slider("top-p", top_p, 0.05, 1.0, 0.05, "top_p"),
        "seed": whole("seed", seed, 0, SEEDS),
        "length_penalty": slider(
            "length penalty", length_penalty, 0.0, 3.0, 0.1, "length_penalty"
        ),
        "step": whole("step", step, 1, most - 1),
    }
    return Player(
        "decoding",
        decoding_sheet,
        settings,
        writer=writer,
        title="Writing a text, word by word",
        task="Choose a strategy, then step through the text as it is written.",
        more=("longest", "text", "seed", "length_penalty"),
    )


def decoding_sheet(writer: Writer, *, text: int, step: int, **asked: Any) -> Sheet:
    """What was chosen from at a step, and all texts as a tree."""
    made = writing_of(writer, **asked)
    root = writer.root(asked["source"].split())
    n = min(step, made.steps)
    s = Sheet()
    s.control("step", max=made.steps)
    for name, strategies in ASKED.items():
        s.control(name, shown=asked["strategy"] in strategies)
    if made.beams:
        draw_candidates(s, made, writer.words, n)
        taken = made.best if n == made.steps else -1
        exponent = asked["length_penalty"]
        draw_tree(s, made, writer.words, root, n, taken=taken, exponent=exponent)
        return s
    sampling = sampling_of(asked) if asked["strategy"] == "sample" else None
    text = min(text, len(made.fronts[n]))
    taken = made.fronts[n][text - 1]
    # A text that has ended is seen as it was when it did.
    draw_next(s, made, writer.words, root, taken, sampling)
    draw_tree(s, made, writer.words, root, n, taken=taken)
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

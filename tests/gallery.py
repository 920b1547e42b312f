"""Every explorer as the tests meet it: how to build it, and what to move.

A function of the package that gives an explorer joins here; a test fails until it has.
"""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from unittest import mock

from explorable import Job

#: What an entry's `build` may use, in the tests and in a notebook alike.
SETUP = """
import numpy as np
from course import explorers
from course.data.order_questions import TASKS, baselines
from course.experiments.word_order import WordOrder
from course.models.reader import VARIANTS

def table(rows, columns):
    draw = np.random.default_rng(100 * rows + columns)
    return draw.normal(size=(rows, columns)).round(2)

def words(n, letter="w"):
    return [f"{letter}{i}" for i in range(1, n + 1)]

def trees(names, nodes):
    # Of every state: what was taken, what ended, what was left, and a tree of one node.
    from explorable.drawings.tree import Tree
    from explorable import Explorer, Sheet
    from explorable.controls import whole
    from explorable.inputs import some_words

    names = some_words("names", names, 1, 32)
    most = len(names)
    parents = [-1, *(n // 2 for n in range(most - 1))]
    states = [("kept", "left", "ended")[n % 3] for n in range(most)]
    numbers = np.stack([1 / np.arange(1, most + 1), -np.arange(most)], axis=1)

    def sheet(*, nodes):
        s = Sheet()
        shown = min(nodes, most)
        cut = {"words": names[:shown], "parents": parents[:shown]}
        cut["states"] = states[:shown]
        look = {"title": "search", "note": "a note", "taken": shown - 1}
        s.draw(Tree(name="search", **look, **cut), numbers[:shown])
        alone = {"words": names[:1], "parents": [-1], "states": ["ended"]}
        s.draw(Tree(name="alone", **alone), [[0.5, -0.7]])
        return s

    return Explorer("trees", sheet, {"nodes": whole("nodes", nodes, 1, 32)})

def pictures(names, contrast):
    # Of every form: to be painted on, in patches with weights, in colors.
    from explorable.drawings.picture import PixelGrid
    from explorable import Explorer, Sheet
    from explorable.controls import slider
    from explorable.inputs import some_words

    names = some_words("names", names, 1, 12)
    shades = [f"#{40 * (n % 6):02X}{80 * (n % 3):02X}C0" for n in range(len(names))]
    colors = list(zip(names, shades))
    rings = np.hypot(*np.mgrid[-3.5:4, -3.5:4]).round(1)
    inputs = {"digit": np.where(abs(rings - 2.5) < 0.9, 16.0, 0.0)}
    inputs["shape"] = np.add.outer(np.arange(4), np.arange(6)) % len(names) * 1.0

    def sheet(digit, shape, *, contrast):
        s = Sheet()
        gray = {"size": (8, 8), "vmax": 16.0, "digits": 0}
        s.draw(PixelGrid(name="digit", title="drawn by hand", **gray), digit)
        dark = np.minimum(16, digit * contrast)
        look = {"patch": (4, 4), "full": 0.5, "note": "a weight for each patch"}
        s.draw(PixelGrid(name="seen", size=(8, 8), vmax=16.0, **look), dark)
        patches = dark.reshape(2, 4, 2, 4).sum(axis=(1, 3)) + 1
        s.keep("seen.weights", patches / patches.sum())
        s.draw(PixelGrid(name="shape", size=(4, 6), colors=colors), shape)
        sky = np.linspace(0, 1, 72).reshape(4, 18)
        s.draw(PixelGrid(name="sky", size=(4, 6), rgb=True), sky)
        ends = [[0, len(names) - 1]] * 2
        s.draw(PixelGrid(name="ends", size=(2, 2), colors=colors), ends)
        return s

    controls = {"contrast": slider("contrast", contrast, 0.0, 2.0, 0.1)}
    return Explorer("pictures", sheet, controls, inputs)

def written(explorer, **options):
    # How the jobs model goes on from half a start, where there is more to choose from.
    from course.data.jobs import VOCABULARY
    from course.models.jobs import trained

    return explorer(trained(), VOCABULARY, "Mia works as", **options)

def watched():
    # A few snapshots of the course's own, which are quickly read.
    from dataclasses import replace
    from course.models import french_steps

    found = french_steps.watched()
    return replace(found, shots=found.shots[::5])

def walked(name, **options):
    # A pass of the jobs model with a head removed, or of a model with random weights.
    import copy
    import torch
    import transformer_lib as library
    from course.data.jobs import VOCABULARY
    from course.models.jobs import trained

    sentence = "Mia works as"
    if name == "Transformer":
        model = copy.deepcopy(trained()).double()
        heads = "decoder.blocks.0.cross_attention.heads", 1
        options = {"patches": {heads: torch.zeros_like}} | options
        return explorers.walk(model, VOCABULARY, sentence, sentence, **options)
    sizes = {"d_model": 12, "n_heads": 2, "d_ff": 16, "max_length": 9}
    sizes |= {"n_encoder_layers": 2, "n_decoder_layers": 2, "norm_first": True}
    sizes |= {"tie_embeddings": False, "positions": "learned", "activation": "gelu"}
    config = library.TransformerConfig(vocabulary_size=len(VOCABULARY), **sizes)
    torch.manual_seed(0)
    model = getattr(library, name)(config).double()
    return explorers.walk(model, VOCABULARY, sentence, **options)
"""
# The first key of each pair takes one step away from the start, the second one back.
CELL_KEYS, SLIDER_KEYS = ("ArrowUp", "ArrowDown"), ("ArrowLeft", "ArrowRight")


@functools.cache
def scope() -> dict[str, Any]:
    """What `SETUP` defines."""
    defined: dict[str, Any] = {}
    exec(SETUP, defined)
    return defined


DONE: dict[tuple[str, int, str], list[Any]] = {}


def done_once(*of: Any) -> Callable[..., None]:
    """How a job begins whose work, asked for the same again, gives what it gave."""
    begin = Job.__init__

    def begun(job: Job, name: str, function: Any, work: Any, *others: Any, **more: Any):
        @functools.wraps(work)
        def again(**asked: Any) -> Iterator[Any]:
            key = (*of, repr(asked))
            if key in DONE:
                yield from DONE[key]
                return
            found = []
            for item in work(**asked):
                found.append(item)
                yield item
            DONE[key] = found

        begin(job, name, function, again, *others, **more)

    return begun


@dataclass(frozen=True)
class Exhibit:
    """One explorer: how to build it, and what to move to see its picture follow.

    Attributes:
        build: an expression of the size n that makes it; {tokens} in it are its words.
        moves: the control to move, a slider not at its lower end; or, where it has no
            control, the matrix whose first cell is nudged; "" where there is neither.
        largest: the largest n that it admits, where that is below 32; the least of
            all, 2, where it has but one size.
    """

    build: str
    moves: str = ""
    largest: int = 32

    def size(self, n: int) -> int:
        return min(n, self.largest)

    def cell(self, n: int, tokens: str = "words(n)") -> str:
        """The Python that builds it, at size n or its largest."""
        return f"n = {self.size(n)}\n{self.expression(tokens)}"

    def expression(self, tokens: str = "words(n)") -> str:
        return self.build.replace("{tokens}", tokens)

    def make(self, n: int, tokens: str = "words(n)") -> Any:
        """The same explorer in this process; what it learns is learned once."""
        build, size = self.expression(tokens), self.size(n)
        with mock.patch.object(Job, "__init__", done_once(build, size)):
            return eval(build, {**scope(), "n": size})

    @functools.cached_property
    def example(self) -> Any:
        """The explorer at size 4, for all who ask it and change nothing."""
        return self.make(4)

    @functools.cached_property
    def label(self) -> str:
        """What the control to move says of itself; "" where a cell is nudged."""
        controls = self.example.controls
        return controls[self.moves].description if self.moves in controls else ""

    def move(self, explorer: Any, steps: int) -> None:
        """Do in this process what so many of the first of `keys` do in the page."""
        control = explorer.controls.get(self.moves)
        if control is None:
            start = float(explorer._first_inputs[self.moves][0, 0])
            explorer.edit(self.moves, 0, 0, round(start + 0.1 * steps, 10))
        elif hasattr(control, "options"):
            start = control.options.index(explorer._first_values[self.moves])
            control.value = control.options[start - steps]
        else:
            start = explorer._first_values[self.moves]
            control.value = round(start - control.step * steps, 10)

    @property
    def keys(self) -> tuple[str, str]:
        """The two keys that move it there and back."""
        return SLIDER_KEYS if self.label else CELL_KEYS


GALLERY = {
    "add_and_norm": Exhibit(
        "explorers.add_and_norm(table(n, n), table(n, n) / n, {tokens})", moves="shift"
    ),
    "attention_bench": Exhibit(
        "explorers.attention_bench("
        "table(n, n), table(n, n + 1)[:, :n], table(n, n + 2)[:, :n], {tokens})",
        moves="temperature",
    ),
    "cache_costs": Exhibit(
        "explorers.cache_costs(tokens=8192)", moves="tokens", largest=2
    ),
    "coreference": Exhibit("explorers.coreference()", largest=2),
    "decoding": Exhibit(
        "written(explorers.decoding, strategy='beam search', step=5)",
        moves="step",
        largest=2,
    ),
    "deep_stack": Exhibit("explorers.deep_stack(blocks=6)", moves="weights", largest=2),
    "define": Exhibit("explorers.define(step=3)", moves="step", largest=2),
    "depth_training": Exhibit("explorers.depth_training(1, steps=2)", largest=2),
    "digit_training": Exhibit(
        "explorers.digit_training(steps=2)", moves="number", largest=2
    ),
    "feed_forward": Exhibit(
        "explorers.feed_forward(table(n, n), table(n, n), table(1, n),"
        " table(n, n + 1)[:, :n], table(1, n), {tokens})",
        moves="x",
    ),
    "fill": Exhibit("explorers.fill()", moves="hidden", largest=2),
    "find_the_bug": Exhibit("explorers.find_the_bug([1, 2, 7])", largest=2),
    "head_split": Exhibit(
        "explorers.head_split({tokens}, 8, 4)", moves="n_heads", largest=16
    ),
    "heads": Exhibit("explorers.heads(head=3)", moves="head", largest=2),
    "hiding_bench": Exhibit(
        "explorers.hiding_bench(table(1, n)[0], table(1, n + 1)[0, :n], {tokens}, [1])",
        moves="scores",
    ),
    "kv_cache": Exhibit("written(explorers.kv_cache, step=5)", moves="step", largest=2),
    "layer_norm_lab": Exhibit(
        "explorers.layer_norm_lab(table(n, n), {tokens})", moves="x"
    ),
    "leak_detector": Exhibit(
        "explorers.leak_detector({tokens}, 'another')", moves="position"
    ),
    "low_rank": Exhibit("explorers.low_rank(4)", moves="rank", largest=2),
    "mask_lab": Exhibit(
        "explorers.mask_lab(table(n, n), table(n, 4), {tokens},"
        " cross=(table(n, n + 1)[:, :n], table(n, 3), words(n, 's')),"
        " mask='causal & padding', real=n // 2)",
        moves="length",
    ),
    "masked_words": Exhibit("explorers.masked_words()", moves="hidden", largest=2),
    "masked_words_training": Exhibit(
        "explorers.masked_words_training(steps=2)", largest=2
    ),
    "mixing_bench": Exhibit(
        "explorers.mixing_bench(table(n, n) ** 2, table(n, 4), {tokens})",
        moves="parts",
    ),
    "modern_block": Exhibit("explorers.modern_block()", largest=2),
    "nearness_training": Exhibit(
        "explorers.nearness_training("
        "*[('AI', 'Engineer'), ('I', 'love'), ('mat', 'chair')][:n])",
        largest=2,
    ),
    "next_word": Exhibit("explorers.next_word()", largest=2),
    "online_softmax": Exhibit(
        "explorers.online_softmax(step=3)", moves="step", largest=2
    ),
    "order_experiment": Exhibit(
        "explorers.order_experiment(*(WordOrder(task,"
        " {way: tuple(np.arange(5) / 4) for way in VARIANTS}, baselines(task),"
        " {w: abs(table(1, 100)[0]).tolist() for w in VARIANTS}) for task in TASKS))",
        largest=2,
    ),
    "order_training": Exhibit(
        "explorers.order_training(ways=['waves added'], steps=20)", largest=2
    ),
    "patch_attention": Exhibit(
        "explorers.patch_attention(block=2)", moves="number", largest=2
    ),
    "picture_writing": Exhibit(
        "explorers.picture_writing(step=46)", moves="step", largest=2
    ),
    "pictures_and_captions": Exhibit(
        "explorers.pictures_and_captions(pictures=5)", moves="pictures", largest=2
    ),
    "positional_encoding": Exhibit(
        "explorers.positional_encoding(n, n, p=1, k=1, pair=0)", moves="base"
    ),
    "projections": Exhibit(
        "explorers.projections(table(n, n), table(n, 2), table(n, 4)[:, :2],"
        " table(n, 3), {tokens}, (n - 1, 0))",
        moves="X",
    ),
    "rnn_or_attention": Exhibit(
        "explorers.rnn_or_attention(8 * n)", moves="length", largest=8
    ),
    "rotary": Exhibit("explorers.rotary()", moves="p", largest=2),
    "scale_lab": Exhibit("explorers.scale_lab()", moves="d_k", largest=2),
    "sentence_attention": Exhibit(
        "explorers.sentence_attention("
        "{tokens}, table(n, 4), table(n, 5)[:, :4], table(n, 2))",
    ),
    "split_lab": Exhibit("explorers.split_lab(8, 4, {tokens})", moves="n_heads"),
    "sequence_training": Exhibit(
        "explorers.sequence_training('abcdefghij'[:n], steps=2)", largest=10
    ),
    "softmax_bench": Exhibit(
        "explorers.softmax_bench(table(n, n), {tokens}, {tokens})",
        moves="multiply",
    ),
    "speculative": Exhibit("explorers.speculative()", moves="temperature", largest=2),
    "text_to_text": Exhibit("explorers.text_to_text()", largest=2),
    "tokens": Exhibit(
        "explorers.tokens(' '.join(['AI', 'w1', *'is a the an as .'.split()][:n]))",
        moves="E",
        largest=8,
    ),
    "training_scrubber": Exhibit(
        "explorers.training_scrubber(watched(), 'I love AI', step=360)",
        moves="step",
        largest=2,
    ),
    "walk": Exhibit(
        "walked('Transformer', step='encoder.blocks.0.self_attention.scores')",
        moves="step",
        largest=2,
    ),
    "word_order": Exhibit(
        "explorers.word_order(' '.join(words(n)), list(range(n))[::-1], strength=1.0)",
        moves="strength",
    ),
}

#: Kinds of drawing that no explorer shows yet, in all of their states.
KINDS = {
    "pictures": Exhibit("pictures({tokens}, 0.5)", moves="contrast", largest=12),
    "trees": Exhibit("trees({tokens}, n)", moves="nodes"),
}
#: Explorers in other states, with other drawings and controls.
STATES = {
    "walk of a reader": Exhibit(
        "walked('EncoderOnlyTransformer', step=9, layer=2)", moves="step", largest=2
    ),
    "walk of a writer": Exhibit(
        "walked('DecoderOnlyTransformer', step=8)", moves="step", largest=2
    ),
}
GALLERY |= KINDS | STATES

#: Those with a slider or a cell to move fast; others have choices only.
MOVED = [name for name, exhibit in GALLERY.items() if exhibit.moves]


def kinds(explorer: Any) -> set[Any]:
    """The kinds of drawing and of control that an explorer has."""
    drawn = {(d.kind, *_changed(d)) for d in explorer.drawings}
    return drawn | {(type(c), type(c.value)) for c in explorer.controls.values()}


def _changed(drawing: Any) -> tuple[bool, ...]:
    return tuple(bool(getattr(drawing, how, ())) for how in ("editable", "toggles"))


def a_few(brought: dict[str, set[Any]]) -> list[str]:
    """A few names that bring everything between them: each the most that is new."""
    chosen, missing = [], set().union(*brought.values())
    while missing:
        chosen.append(max(brought, key=lambda name: len(brought[name] & missing)))
        missing -= brought[chosen[-1]]
    return sorted(chosen)


#: A few explorers for what all of a kind share: what one kind of drawing or of control
#: does, it does in every explorer. (This list and the next three are written out, since
#: building every explorer takes seconds; test_gallery.py compares them.)
A_FEW = ["add_and_norm", "decoding", "find_the_bug", "hiding_bench"]
A_FEW += ["patch_attention", "walk", "word_order"]
#: Those with numbers to type.
TYPED = ["add_and_norm", "attention_bench", "feed_forward", "hiding_bench"]
TYPED += ["layer_norm_lab", "mask_lab", "mixing_bench", "projections"]
TYPED += ["softmax_bench", "tokens"]
#: Those with numbers to change at all: to type, to turn over or to paint.
EDITED = [*TYPED, "patch_attention", "picture_writing", "pictures"]
#: The controls that take any text, by explorer.
SENTENCES = {
    "coreference": ["sentence"],
    "decoding": ["source"],
    "define": ["word", "begins"],
    "fill": ["own"],
    "heads": ["sentence"],
    "kv_cache": ["source"],
    "masked_words": ["sentence"],
    "masked_words_training": ["sentence"],
    "next_word": ["sentence"],
    "picture_writing": ["caption", "later"],
    "pictures_and_captions": ["caption"],
    "sequence_training": ["letters"],
    "speculative": ["word"],
    "text_to_text": ["sentence", "question"],
    "tokens": ["sentence"],
    "training_scrubber": ["sentence"],
    "walk": ["source", "target"],
    "word_order": ["sentence"],
    "walk of a reader": ["source"],
    "walk of a writer": ["source"],
}
#: Those that are given words.
NAMED = [name for name, exhibit in GALLERY.items() if "{tokens}" in exhibit.build]


def ends_of(control: Any) -> list[Any]:
    """The values that a control is driven to: its ends, or every choice it offers."""
    if hasattr(control, "options") and not takes_any_text(control):
        values = list(control.options)
        return [values[-1], values[0]] if is_slider(control) else values
    if isinstance(control.value, bool):
        return [not control.value, control.value]
    if hasattr(control, "min"):
        return [control.max, control.min]
    return []  # a text: see test_nasty_text.py


def sentences(explorer: Any) -> list[str]:
    """The controls that take any text."""
    controls = explorer.controls.items()
    return [name for name, control in controls if takes_any_text(control)]


def takes_any_text(control: Any) -> bool:
    """Whether it is a text field, also one that lists words while one types."""
    return type(control).__name__ in ("Text", "Combobox")


def typed(explorer: Any) -> list[str]:
    """The matrices whose numbers are typed: those to turn over or to paint are not."""
    tables = (d for d in explorer.drawings if d.kind == "matrix")
    return [d.name for d in tables if d.editable and not d.toggles]


def is_slider(control: Any) -> bool:
    return "Slider" in type(control).__name__


def is_row_of_words(control: Any) -> bool:
    return type(control).__name__ == "OrderView"


def explorer_of(steps: Any, drawings: Any, controls: Any = None) -> Any:
    """An explorer of any drawings: `steps(**settings)` gives the arrays they show."""
    from explorable.explorer import Explorer
    from explorable.sheet import Sheet

    def sheet(**settings: Any) -> Sheet:
        s, arrays = Sheet(), steps(**settings)
        for name, values in arrays.items():
            s.keep(name, values)
        for drawing in drawings(arrays, **settings):
            s.draw(drawing)
        return s

    return Explorer("drawn", sheet, controls)

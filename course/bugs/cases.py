"""The twelve cases: where a function is put, its symptom, and its suspects.

The bug of a case is the planted mistake of its exercise. `Case.run` trains the program
with any function in that place, so the same lines show the symptom and that it is gone.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import mean
from typing import Any

import torch
from torch import Tensor

from ..exercises import EXERCISES, Exercise
from .instruments import TrainingRun, numbers, starting_at
from .program import (
    FLOOR,
    LONGEST,
    PAD,
    SOS,
    Part,
    Parts,
    Program,
    Settings,
    build,
    continued,
    draw_words,
    dropout_with,
    exact_match,
    generate,
    ids_of,
    new_texts,
    spelled,
    trained,
)

EVERY = 5  # steps between two points of a curve
COUNTS = ("steps", "parameters")  # what whole numbers begin with
LAST = 20  # steps whose mean is the loss at the end


@dataclass(frozen=True)
class Symptom:
    """What the reader sees of a program: numbers, texts, curves and perhaps a matrix.

    Args:
        numbers: by name; None for one that is not finite.
        texts: what a program has written, by name.
        curves: training losses, at every fifth step.
        matrix: a picture, by rows.
    """

    numbers: Mapping[str, float | None]
    texts: Mapping[str, str] = field(default_factory=dict)
    curves: Mapping[str, Sequence[float]] = field(default_factory=dict)
    matrix: Sequence[Sequence[float]] = ()

    def said(self) -> dict[str, str]:
        """Write the numbers, then the texts, by name."""
        return {n: written(n, x) for n, x in self.numbers.items()} | {**self.texts}

    def __repr__(self) -> str:
        said = self.said()
        wide = max(map(len, said))
        return "\n".join(f"{name:{wide}}  {x}" for name, x in said.items())


def written(name: str, x: float | None) -> str:
    """Write a number with two decimals, or a count; None is one that is not finite."""
    if x is None:
        return "not finite"
    return f"{x:.0f}" if name.startswith(COUNTS) else f"{x:.2f}"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One bug, from the symptom to the mended line.

    Args:
        number: 1 to 12; the exercise is called case_1 and so on.
        title: the symptom in a few words.
        place: puts the function of the exercise into the program.
        look: runs the program and returns what the reader sees.
        gone: whether the symptom is gone, by the numbers.
        settings: how the program is built.
        suspects: four, each with what is to be said for or against it.
        culprit: which of them it is.
        thread: where the bug was reported, as OWNER/REPOSITORY#NUMBER.
    """

    number: int
    title: str
    place: Callable[[Part], Parts]
    look: Callable[[Settings, Parts, int], tuple[Symptom, Program]]
    gone: Callable[[Mapping[str, float | None]], bool]
    settings: Settings = field(default_factory=Settings)
    suspects: Mapping[str, str]
    culprit: str
    thread: str

    @property
    def exercise(self) -> Exercise:
        """The exercise whose planted mistake is the bug."""
        return EXERCISES[f"case_{self.number}"]

    def function(self, version: str) -> Part:
        """Build the function of the exercise, "planted" or "mended"."""
        planted = self.exercise.planted if version == "planted" else ""
        return self.exercise.build(planted)

    def run(self, function: Part, seed: int = 0) -> Symptom:
        """Train the program with a function in its place, and see what it does."""
        return self.look(self.settings, self.place(function), seed)[0]

    def training_run(self, version: str, seed: int = 0) -> tuple[Symptom, TrainingRun]:
        """Train the planted or the mended program, and keep it for the instruments."""
        parts = self.place(self.function(version))
        symptom, program = self.look(self.settings, parts, seed)
        return symptom, TrainingRun(self.settings, parts, program, seed)


# ── what the reader sees ──────────────────────────────────────────────────────
def look_at_repeating(
    settings: Settings, parts: Parts, seed: int, *, attention: bool = False
) -> tuple[Symptom, Program]:
    """Compare the loss with the lowest possible one, and what the program writes."""
    program, losses = trained(settings, parts, seed)
    found = {
        "training loss": mean(losses[-LAST:]),
        "lowest loss": FLOOR,
        "exact match": exact_match(program),
    }
    texts = {"continues cab to": continued(program)}
    matrix = weights_of(program) if attention else []
    return Symptom(numbers(found), texts, {"loss": losses[::EVERY]}, matrix), program


def weights_of(program: Program, word: str = "cab") -> list[list[float]]:
    """The attention weights (T, T), averaged over heads, on a word that is repeated."""
    ids = torch.tensor([[SOS, *ids_of(word * 2)]])
    seen: dict[str, Tensor] = {}
    with torch.no_grad():
        program(ids, seen=seen)
    rows: list[list[float]] = seen["weights"][0].mean(dim=0).tolist()
    return rows


def look_at_heads(
    settings: Settings, parts: Parts, seed: int
) -> tuple[Symptom, Program]:
    """Train with one head and with four."""
    found, curves = {}, {}
    for count in (1, 4):
        program, losses = trained(replace(settings, n_heads=count), parts, seed)
        name = f"{count} head{'s' if count > 1 else ''}"
        found[f"match, {name}"] = exact_match(program)
        curves[name] = losses[::EVERY]
    return Symptom(numbers(found), {}, curves), program


def look_at_padding(
    settings: Settings, parts: Parts, seed: int
) -> tuple[Symptom, Program]:
    """Compute the loss of the same texts twice, with more padding the second time."""
    program, _ = trained(settings, parts, seed)
    texts = new_texts(seed)
    longer = torch.nn.functional.pad(texts, (0, 2 * LONGEST), value=PAD)
    with torch.no_grad():
        found: dict[str, Tensor | float] = {
            "loss": program.loss(texts),
            "more padding": program.loss(longer),
            "exact match": exact_match(program),
        }
    text = {"continues fed to": continued(program, "fed")}
    return Symptom(numbers(found), text | first_that_stops(program)), program


def first_that_stops(program: Program) -> dict[str, str]:
    """The first of 200 words whose text contains ⟨PAD⟩, if there is one."""
    words = draw_words(torch.Generator().manual_seed(7), 200)
    stops = (generate(program, words) == PAD).any(dim=1).nonzero()
    if not len(stops):
        return {}
    word = spelled(words[stops[0, 0]])
    return {f"continues {word} to": continued(program, word)}


def look_at_cache(
    settings: Settings, parts: Parts, seed: int
) -> tuple[Symptom, Program]:
    """Generate without a cache and with one."""
    program, _ = trained(settings, parts, seed)
    both = {"uncached": False, "cached": True}
    found = {
        f"match, {name}": exact_match(program, cached=cached)
        for name, cached in both.items()
    }
    texts = {
        f"cab, {name}": continued(program, cached=cached)
        for name, cached in both.items()
    }
    return Symptom(numbers(found), texts), program


def look_at_dropout(
    settings: Settings, parts: Parts, seed: int
) -> tuple[Symptom, Program]:
    """Train without dropout and with it."""
    found, curves = {}, {}
    for p in (0.0, settings.p):
        program, losses = trained(replace(settings, p=p), parts, seed)
        found[f"loss, p = {p:g}"] = mean(losses[-LAST:])
        curves[f"p = {p:g}"] = losses[::EVERY]
    found |= {f"match, p = {settings.p:g}": exact_match(program)}
    return Symptom(numbers(found), {}, curves), program


def look_at_smoothing(
    settings: Settings, parts: Parts, seed: int
) -> tuple[Symptom, Program]:
    """Train without label smoothing and with it: the first loss, and how many steps."""
    found = {}
    for epsilon in (0.0, settings.epsilon):
        program, losses = trained(replace(settings, epsilon=epsilon), parts, seed)
        found[f"loss, ε = {epsilon:g}"] = losses[0]
        found[f"steps, ε = {epsilon:g}"] = float(len(losses))
    return Symptom(numbers(found)), program


def look_at_rotary(
    settings: Settings, parts: Parts, seed: int
) -> tuple[Symptom, Program]:
    """Let the texts begin at another position than in training."""
    program, losses = trained(settings, parts, seed)
    found = {"training loss": mean(losses[-LAST:])}
    for first in (0, 200, 2000):
        moved = copy.copy(program)
        moved.parts = starting_at(parts, first)
        found[f"match at {first}"] = exact_match(moved)
    return Symptom(numbers(found)), program


def look_at_width(
    settings: Settings, parts: Parts, seed: int
) -> tuple[Symptom, Program]:
    """Train a narrow model with one head, and a wide one."""
    found, curves = {}, {}
    for D in (16, settings.d_model):
        program, losses = trained(replace(settings, d_model=D), parts, seed)
        found[f"match, D = {D}"] = exact_match(program)
        curves[f"D = {D}"] = losses[::EVERY]
    return Symptom(numbers(found), {}, curves), program


def look_at_evaluation(
    settings: Settings, parts: Parts, seed: int
) -> tuple[Symptom, Program]:
    """Evaluate the same program three times."""
    program, _ = trained(settings, parts, seed)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        found = {f"match, {n}": exact_match(program) for n in ("1st", "2nd", "3rd")}
    return Symptom(numbers(found)), program


def look_at_saving(
    settings: Settings, parts: Parts, seed: int
) -> tuple[Symptom, Program]:
    """Save a tied model, without the matrix that it need not keep, and load it."""
    program, _ = trained(settings, parts, seed)
    texts = new_texts(seed)
    file = {name: w for name, w in program.state_dict().items() if name != "W"}
    loaded = build(settings, parts, seed + 1)
    loaded.load_state_dict(file, strict=False)
    with torch.no_grad():
        found: dict[str, Tensor | float] = {
            "before saving": program.loss(texts),
            "after loading": loaded.loss(texts),
            "parameters": float(sum(w.numel() for w in program.parameters())),
        }
    return Symptom(numbers(found)), program


Found = Mapping[str, float | None]


def all_match(found: Found, least: float = 0.85) -> bool:
    """Whether every exact match is high."""
    matches = [x for name, x in found.items() if "match" in name]
    return all(x is not None and x >= least for x in matches)


def steady(found: Found) -> bool:
    """Whether every exact match is high, and all are the same up to a few words."""
    matches = [x for name, x in found.items() if x is not None and "match" in name]
    return all_match(found) and max(matches) - min(matches) < 0.025


def alike(name: str, other: str) -> Callable[[Found], bool]:
    """Return whether two numbers are finite, and the same to two decimals."""

    def gone(found: Found) -> bool:
        a, b = found[name], found[other]
        return a is not None and b is not None and abs(a - b) < 0.005

    return gone


def place(name: str) -> Callable[[Part], Parts]:
    """Return what puts a function into the program under this name."""
    return partial(_put, name)


def _put(name: str, function: Part) -> Parts:
    own: dict[str, Any] = {name: function}
    return Parts(**own)


def in_dropout(function: Part) -> Parts:
    """Put a function of features, a rate and noise into the program."""
    return Parts(drop=dropout_with(function))


# ── the cases ─────────────────────────────────────────────────────────────────
LISTED = (
    Case(
        number=1,
        title="a loss of zero",
        place=place("shift"),
        look=look_at_repeating,
        gone=all_match,
        suspects={
            "the mask": "Nothing moves in the leak detector when a later token is "
            "changed. With a missing or reversed mask, something would.",
            "the labels": "Yes. The layers are healthy and nothing leaks, and still "
            "the model sees its answer, so the answer must be in the input. "
            "Layer by layer, the labels are the first to differ.",
            "learning rate": "It can make training slow, or make it explode. It "
            "cannot bring the loss below what the best model would have.",
            "memorizing": "Every batch is new, and a new batch has the same "
            "loss of zero. What has been memorized would not help there.",
        },
        culprit="the labels",
        thread="huggingface/transformers#404",
    ),
    Case(
        number=2,
        title="too good again",
        place=place("weights"),
        look=look_at_repeating,
        gone=all_match,
        suspects={
            "the mask": "Yes. Earlier outputs move when a later token is changed. "
            "Layer by layer, the scores are healthy and the weights are not, and "
            "the mask comes between the two.",
            "the labels": "The labels are healthy, and unshifted labels need no leak: "
            "in case 1 the leak detector stood at 0. Here it does not.",
            "the heads": "A wrong split into heads can leak, too. But then the "
            "queries would differ, and the permutation test, which uses no mask, "
            "would fail.",
            "the positions": "Wrong positions make a model worse. They do not tell "
            "it the next letter.",
        },
        culprit="the mask",
        thread="rasbt/LLMs-from-scratch#1061",
    ),
    Case(
        number=3,
        title="one head learns, four do not",
        place=place("split"),
        look=look_at_heads,
        gone=all_match,
        suspects={
            "the heads": "Yes. Without mask and positions, reordered "
            "tokens must give reordered outputs, and here they do not: something "
            "mixes tokens by their place in memory. The queries differ first.",
            "the mask": "The leak detector rings, but the permutation test uses no "
            "mask and fails as well. And with one head the same mask is fine.",
            "parameters": "One head and four heads have matrices of the same sizes. "
            "Only the way in which their outputs are split is different.",
            "small heads": "Eight features are few, but enough: with "
            "the same sizes, the healthy program repeats every word.",
        },
        culprit="the heads",
        thread="reczoo/FuxiCTR#30",
    ),
    Case(
        number=4,
        title="more padding, a better loss",
        place=place("loss"),
        look=look_at_padding,
        gone=alike("loss", "more padding"),
        suspects={
            "the loss": "Yes. Everything up to the logits is healthy, and only the "
            "number that is computed from them differs. It falls if nothing but "
            "padding is added, so padding is counted; and what counts is learned.",
            "the mask": "The padding is on the right, where a causal mask never "
            "looks. The leak detector stands at 0.",
            "the texts": "Both batches hold the same 64 strings. Only the number of "
            "⟨PAD⟩ after them has changed.",
            "⟨PAD⟩’s vector": "As an input, it reaches no real token, since "
            "nothing attends to later positions. All layers are healthy.",
        },
        culprit="the loss",
        thread="EleutherAI/gpt-neo#45",
    ),
    Case(
        number=5,
        title="wrong only with a cache",
        place=place("positions"),
        look=look_at_cache,
        gone=all_match,
        suspects={
            "the positions": "Yes. The first token agrees, all later ones differ, and "
            "without a cache everything is healthy. So a token is right only as "
            "long as nothing is in the cache: it does not know its place in the text.",
            "training": "The parameters are the same in both rows, and without a "
            "cache the program repeats every word.",
            "the mask": "A single new token may attend to everything in the "
            "cache, so there is nothing to hide; and the leak detector is at 0.",
            "greedy search": "It is the same search in both rows.",
        },
        culprit="the positions",
        thread="huggingface/transformers#15736",
    ),
    Case(
        number=6,
        title="a little dropout is too much",
        place=in_dropout,
        look=look_at_dropout,
        gone=all_match,
        settings=Settings(p=0.2),
        suspects={
            "dropout rate": "The healthy program learns with the same rate, to an "
            "exact match of 100 %.",
            "dropout scale": "Yes. Layer by layer compares in evaluation mode, "
            "where nothing differs. But in training, many ones have a mean of 0.16 "
            "after dropout, and should have kept a mean of 1.",
            "the mask": "Nothing leaks, and without dropout the same mask is fine.",
            "learning rate": "At the same learning rate, the program learns "
            "without dropout; and the healthy one with dropout, too.",
        },
        culprit="dropout scale",
        thread="NVIDIA/apex#816",
    ),
    Case(
        number=7,
        title="an odd picture of attention",
        place=place("attend"),
        look=partial(look_at_repeating, attention=True),
        gone=all_match,
        suspects={
            "the mask": "Above the diagonal all weights are 0, as they should be. No "
            "weight goes to the future, and still the leak detector rings.",
            "the softmax": "Yes. The scores are healthy, the weights are not. Add up "
            "a row of the picture, and then a column: each key has one unit to "
            "give away. So a weight depends on later queries, and that leaks.",
            "the labels": "They are healthy, and the leak detector rings before any "
            "label is used.",
            "the heads": "The permutation test stands at 0, and the "
            "queries are healthy.",
        },
        culprit="the softmax",
        thread="labmlai/annotated_deep_learning_paper_implementations#146",
    ),
    Case(
        number=8,
        title="infinite from the first batch",
        place=place("smooth"),
        look=look_at_smoothing,
        gone=lambda found: None not in found.values(),
        settings=Settings(no_pad=True, epsilon=0.1),
        suspects={
            "learning rate": "The loss is infinite before the first step, so no "
            "learning rate has been used yet.",
            "initialization": "With ε = 0, the same parameters have a first loss "
            "of 2.42, close to log V.",
            "smoothing": "Yes. Up to the logits everything is healthy, and "
            "only ε > 0 makes the loss infinite. One token has the probability 0 by "
            "design. Does the target ask for it?",
            "overflow": "The largest logit is subtracted before "
            "the exponential, and with ε = 0 the same softmax is fine.",
        },
        culprit="smoothing",
        thread="harvardnlp/annotated-transformer#39",
    ),
    Case(
        number=9,
        title="it depends on where a string begins",
        place=place("rotate"),
        look=look_at_rotary,
        gone=steady,
        settings=Settings(rotary=True),
        suspects={
            "short strings": "The healthy program has seen the same short "
            "strings, and it repeats words wherever they begin.",
            "the rotation": "Yes. The queries are healthy, and after they have been "
            "turned they are not. If each pair were turned by a single angle, a score "
            "would depend on the distance only, and a shift would change nothing.",
            "the mask": "A mask compares two positions, so it does not change when "
            "both are moved. Nothing leaks, either.",
            "the cache": "No cache was used, and with a cache the logits are the same.",
        },
        culprit="the rotation",
        thread="raiyanyahya/how-to-train-your-gpt#6",
    ),
    Case(
        number=10,
        title="a wider model learns less",
        place=place("scores"),
        look=look_at_width,
        gone=partial(all_match, least=0.5),  # in 250 steps, one run reaches 0.59
        settings=Settings(n_heads=1, d_model=64),
        suspects={
            "learning rate": "A fair guess, since wide models often need a "
            "smaller one. But the healthy program learns at the same rate.",
            "little data": "Every batch is new, and the healthy program learns "
            "from the same batches.",
            "the heads": "There is one head, so there is nothing to "
            "split. The queries are healthy.",
            "the scores": "Yes. They are the first to differ. Their spread grows "
            "with the number of features; if nothing makes up for it, the softmax "
            "becomes a switch, and little gradient comes through.",
        },
        culprit="the scores",
        thread="mlc-ai/mlc-llm#3426",
    ),
    Case(
        number=11,
        title="three evaluations, three results",
        place=place("drop"),
        look=look_at_evaluation,
        gone=lambda found: all_match(found) and len({*found.values()}) == 1,
        settings=Settings(p=0.2),
        suspects={
            "test words": "They are the same 200 words each time.",
            "the mask": "The leak detector rings, and so do four other instruments, "
            "even the permutation test, which uses no mask. A program that differs "
            "from itself fails them all: first find out where chance comes in.",
            "the dropout": "Yes. In evaluation mode, the same batch has two losses. "
            "The only thing in a pass that draws random numbers is dropout, "
            "and it should have stopped.",
            "greedy search": "It takes the most likely token, so there is no "
            "chance in it.",
        },
        culprit="the dropout",
        thread="karpathy/nanoGPT#240",
    ),
    Case(
        number=12,
        title="saved, loaded, forgotten",
        place=place("tie"),
        look=look_at_saving,
        gone=alike("before saving", "after loading"),
        suspects={
            "rounding": "Nothing is rounded here. And the loss is about that "
            "of an untrained model: log V is 2.48.",
            "test strings": "Both losses are measured on the same strings.",
            "the dropout": "There is none, and two evaluations give the same loss.",
            "tied weights": "Yes. Up to the block everything is healthy, and the "
            "logits are not: the output matrix is not the embedding. The file of a "
            "tied model holds one of the two, so the other one is lost.",
        },
        culprit="tied weights",
        thread="Modalities/modalities#357",
    ),
)
CASES: Mapping[int, Case] = {case.number: case for case in LISTED}

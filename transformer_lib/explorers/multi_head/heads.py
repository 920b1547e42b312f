"""heads: a sentence as every head of a small trained model reads it."""

from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ...tasks.heads import SENTENCES, attend, load_heads, read
from ...tasks.teaching import Training
from ..toolkit.controls import choice, menu, stops, text
from ..toolkit.drawing import Drawing
from ..toolkit.explorer import Arrays, Explorer
from .head_panels import HEADS, NONE, head_drawings

OWN = "your own"
TRAININGS = ("taught", "free")
LONGEST = 400  # characters
SHOWN = 6  # predicted words
Matrix = NDArray[np.float64]


def heads(
    sentence: str = SENTENCES[0],
    *,
    model: str = "taught",
    head: int = 2,
    removed: int | None = None,
) -> Explorer:
    """A sentence, every head's weights, and what the model loses without one of them.

    Args:
        sentence: up to 16 words that the model knows.
        model: "taught", whose heads were told where to look, or "free".
        head: which one is shown large to begin with, 1 to 4.
        removed: which one is removed to begin with, 1 to 4; none by default.

    Returns:
        an Explorer with controls "example", "sentence", "model", "head" and "removed".

    Raises:
        TypeError, ValueError: the sentence cannot be read, or there is no such head
            or model.

    Source: Vaswani et al. (2017), §3.2.2; D0.3.3, D1.15.1, D2.3.3.
    """
    _check(sentence, model, head, removed)
    controls = {
        "example": menu("example", [OWN, *SENTENCES], OWN),
        "sentence": text("sentence", sentence, at_once=False, wide=72),
        "model": choice("model", TRAININGS, wide=6),
        "head": stops("head", range(1, len(HEADS) + 1), head),
        "removed": choice("remove head", (NONE, *HEADS), wide=5),
    }
    controls["model"].value = model
    controls["removed"].value = NONE if removed is None else str(removed)
    _tie(controls["example"], controls["sentence"])

    def drawings(arrays: Arrays, **settings: Any) -> list[Drawing]:
        shown = {name: settings[name] for name in ("model", "head", "removed")}
        known, words = known_words(shown["model"]), words_of(settings["sentence"])
        return head_drawings(arrays, words, known, **shown)

    return Explorer(head_steps, drawings, controls, {})


def _check(sentence: str, model: str, head: int, removed: int | None) -> None:
    if not isinstance(sentence, str):
        raise TypeError(f"sentence must be text, got {sentence!r}")
    words_of(sentence)
    if model not in TRAININGS:
        raise ValueError(f"model must be one of {TRAININGS}, got {model!r}")
    for name, number in (
        ("head", head),
        ("removed", 1 if removed is None else removed),
    ):
        if isinstance(number, bool) or number not in range(1, 5):
            raise ValueError(f"{name} must be 1 to 4, got {number!r}")


def _tie(example: Any, sentence: Any) -> None:
    """An example that is chosen fills the line; a line that is typed is one's own."""

    def fill(_: object) -> None:
        if example.value != OWN:
            sentence.value = example.value

    def follow(_: object) -> None:
        example.value = sentence.value if sentence.value in SENTENCES else OWN

    follow(None)
    example.observe(fill, names="value")
    sentence.observe(follow, names="value")


def words_of(sentence: str) -> list[str]:
    """Split a line of text into ⟨SOS⟩ and words that the model knows.

    Raises:
        ValueError: it is longer than 400 characters, or `read` refuses it.
    """
    if len(sentence) > LONGEST:
        raise ValueError(
            f"a sentence may have {LONGEST} characters, got {len(sentence)}"
        )
    try:
        return read(sentence)
    except ValueError as error:  # a lone surrogate could not be sent to the page
        raise ValueError(str(error).encode("utf-8", "replace").decode()) from None


@lru_cache(maxsize=32)
def _attend(words: tuple[str, ...], removed: str, model: str) -> dict[str, Matrix]:
    off = [] if removed == NONE else [int(removed) - 1]
    return attend(words, off, cast(Training, model))


def head_steps(
    *, example: str, sentence: str, model: str, head: int, removed: str
) -> Arrays:
    """What every head looks at, and the next word with and without one of them.

    Args:
        example: not used: it has filled the sentence.
        sentence: words that the model knows.
        model: "taught" or "free".
        head: the one that "weights" and "links" show, 1 to 4.
        removed: "none", or the head whose part is left out.

    Returns:
        "head 1" … "head 4", "weights" and "links" (n, n); "moved" (1, n): how far each
        token's attention output moves; "next" (6, 2): the likeliest next words with all
        heads and without the removed one, and "next.ids" (1, 6), which words they are.

    Raises:
        ValueError: the sentence cannot be read.
    """
    words = tuple(words_of(sentence)[1:])
    found = _attend(words, removed, model)
    weights = found["weights"]
    chosen = weights[head - 1]
    before, after = (found[f"predictions.{n}"][-1] for n in ("before", "after"))
    likeliest = np.argsort(-np.maximum(before, after), kind="stable")[:SHOWN]
    likeliest = likeliest[np.argsort(-before[likeliest], kind="stable")]
    moved = np.linalg.norm(found["output.after"] - found["output.before"], axis=-1)
    return {
        **{f"head {h}": x for h, x in enumerate(weights, start=1)},
        "weights": chosen,
        "links": chosen,
        "next": np.stack([before[likeliest], after[likeliest]], axis=-1),
        "next.ids": likeliest[None].astype(np.float64),
        "moved": moved[None],
    }


@lru_cache(maxsize=2)
def known_words(model: str) -> list[str]:
    """List the words of a model, in the order of their ids."""
    _, vocabulary = load_heads(cast(Training, model))
    return [vocabulary.decode([n])[0] for n in range(len(vocabulary))]

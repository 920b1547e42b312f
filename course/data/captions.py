"""Captions: what a picture of `data.shapes` shows, said in many ways."""

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product

import torch
from torch import Tensor

from transformer_lib.checks.validation import check_type, require
from transformer_lib.text.vocabulary import Vocabulary

from .batches import padded
from .pairs import PAD, SOS
from .shapes import SCENES, Scene

#: Words that may stand for another one.
ALIKE: Mapping[str, tuple[str, ...]] = {
    "red": ("red", "scarlet"),
    "blue": ("blue", "navy"),
    "purple": ("purple", "violet"),
    "cyan": ("cyan", "turquoise"),
    "square": ("square", "box"),
    "diamond": ("diamond", "rhombus"),
    "top": ("top", "upper"),
    "bottom": ("bottom", "lower"),
}
#: C stands for the color, S for the shape, P for the place.
FORMS = (
    "a C S P",
    "C S P",
    "P a C S",
    "P there is a S that is C",
    "a S P that is C",
    "the S P is C",
)
LENGTH = 13  # tokens of a caption, from ⟨SOS⟩, with padding behind it


def words_for(word: str) -> tuple[str, ...]:
    """Return the words that may stand for a color, a shape or a part of a place."""
    return ALIKE.get(word, (word,))


def places_for(place: str) -> list[str]:
    """Return the ways to say a place: "at the top left", "in the upper left", …."""
    row, column = place.split()
    if row == column:
        return ["in the middle", "in the centre"]
    if column == "middle":
        ways = [*words_for(row)]
    elif row == "middle":
        ways = [column]
    else:
        ways = [f"{word} {column}" for word in words_for(row)]
    return [f"{start} {way}" for start in ("at the", "in the") for way in ways]


def captions_of(scene: Scene) -> list[str]:
    """Return every caption of a scene: "a red square at the top left", and others."""
    colors, shapes = words_for(scene.color), words_for(scene.shape)
    parts = product(FORMS, colors, shapes, places_for(scene.place))
    return [_filled(form, {"C": c, "S": s, "P": p}) for form, c, s, p in parts]


def captions_for(scenes: Sequence[Scene], seed: int = 1) -> list[str]:
    """Draw a caption for each scene, in words."""
    chance = random.Random(seed)
    return [chance.choice(captions_of(scene)) for scene in scenes]


def _filled(form: str, parts: Mapping[str, str]) -> str:
    return " ".join(parts.get(word, word) for word in form.split())


def _every_word() -> Iterator[str]:
    for scene in SCENES:
        for caption in captions_of(scene):
            yield from caption.split()
    yield "of"  # "left of", which captions of two shapes say: see `data.two_shapes`


VOCABULARY = Vocabulary(sorted({*_every_word()}), pad=PAD, sos=SOS)
[PAD_ID] = VOCABULARY.encode([PAD])


def in_ids(captions: Sequence[str]) -> Tensor:
    """Turn captions into ids (B, LENGTH): ⟨SOS⟩, the words, and padding.

    Raises:
        TypeError: captions are no list.
        ValueError: there is no caption; or one has a word outside the vocabulary, none
            at all, or over 12.
    """
    check_type("captions", captions, list, tuple)
    rows = [[SOS, *caption.split()] for caption in captions]
    for row in rows:
        fits = 1 < len(row) <= LENGTH
        wanted = f"have 1 to {LENGTH - 1} words"
        require(fits, "caption", wanted, f"{len(row) - 1} of them")
    return padded([VOCABULARY.encode(row) for row in rows], PAD_ID, LENGTH)


@cache
def every_caption() -> tuple[Tensor, Tensor]:
    """Return the captions of all scenes: ids (K, LENGTH), and how many of each (432,).

    Those of one scene stand below each other.
    """
    said = [captions_of(scene) for scene in SCENES]
    ids = in_ids([caption for captions in said for caption in captions])
    return ids, torch.tensor([len(captions) for captions in said])


def captions(scenes: Tensor, draw: torch.Generator) -> Tensor:
    """Draw a caption for each scene, given by number (B,): ids (B, LENGTH)."""
    ids, counts = every_caption()
    first = counts.cumsum(0) - counts  # (432,)
    chance = torch.rand(len(scenes), generator=draw)
    return ids[first[scenes] + (chance * counts[scenes]).long()]

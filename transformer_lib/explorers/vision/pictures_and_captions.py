"""pictures_and_captions: which caption belongs to which picture, as a CLIP has it."""

import random
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import torch
from torch import Tensor

from ...checks.validation import check_number
from ...data.captions import captions_of, in_ids
from ...data.shapes import SIDE, Scene, drawings, new_scenes, numbers, photographed
from ...small_models.multimodal import clip
from ..drawings.bars import Bars
from ..drawings.picture import Picture
from ..toolkit import Axis, Explorer, Look, Sheet, Table
from ..toolkit.controls import choice, stops, text, whole
from .said import MOST_WORDS, caption_of

Asks = Literal["each picture", "each caption"]
ASKS = get_args(Asks)
SHOWN = 4  # pictures, and captions
SETS = 20
TEMPERATURES = (0.01, 0.1, 0.3, 1.0)  # beside the learned one


def pictures_and_captions(
    caption: str = "a white diamond",
    *,
    temperature: float | None = None,
    asks: Asks = "each picture",
    pictures: int = 1,
) -> Explorer:
    """Four pictures and their captions: how like each two are, and who finds whom.

    The model is that of `small_models.multimodal.clip`. It has learned none of these
    scenes, whose parts differ but little.

    Args:
        caption: one's own, 1 to 12 words that the model knows.
        temperature: that similarities are divided by: 0.01, 0.1, 0.3, 1 or the learned
            one, which is taken without it.
        asks: "each picture" is asked for its caption, or "each caption" for its
            picture.
        pictures: which four, from 1 to 20.

    Returns:
        an Explorer with controls "pictures", "temperature", "asks" and "caption". Its
        values: "picture 1" … (8, 24); "similarities" (4, 4) and "odds" (4, 4), of which
        each row sums to 1; and "own" (4, 2), how like one's own caption is to each
        picture, and its odds.

    Raises:
        TypeError, ValueError: the caption cannot be read, or a setting is not one of
            those there are.

    Source: Radford et al. (2021), §2.3 and figure 3; D0.6.multi.
    """
    said = caption_of("caption", caption)
    learned = round(clip.temperature(clip.trained()), 3)
    start = learned if temperature is None else temperature
    check_number("temperature", start, 0, above=True)
    controls = {
        "pictures": whole("pictures", pictures, 1, SETS),
        "temperature": stops("temperature", sorted({*TEMPERATURES, learned}), start),
        "asks": choice("who asks", ASKS, 9.5, asks, "asks"),
        "caption": text("your caption", said, MOST_WORDS, at_once=False, room=44),
    }
    return Explorer("pictures_and_captions", matching_sheet, controls)


@dataclass(frozen=True)
class Set:
    """Scenes, with a picture and a caption of each, and what the model makes of them.

    pictures: (4, 3, 8, 8). captions: in words. of_pictures, of_texts: (4, E).
    """

    pictures: Tensor
    captions: list[str]
    of_pictures: Tensor
    of_texts: Tensor


@lru_cache(maxsize=SETS)
def set_of(number: int) -> Set:
    """Draw four new scenes, alike in their parts, and let the model read them."""
    chance = random.Random(number)
    first, *others = chance.sample(new_scenes(), len(new_scenes()))
    others.sort(key=lambda scene: -shared(first, scene))
    scenes = [first, *others[: SHOWN - 1]]
    chance.shuffle(scenes)
    draw = torch.Generator().manual_seed(number)
    seen = photographed(drawings(numbers(scenes), draw), draw)
    said = [min(chance.sample(captions_of(s), 3), key=len) for s in scenes]  # short
    model = clip.trained()
    with torch.inference_mode():
        return Set(seen, said, model.of_pictures(seen), model.of_texts(in_ids(said)))


def shared(one: Scene, other: Scene) -> int:
    """Count the parts that two scenes share: colour, shape, place."""
    return sum(a == b for a, b in zip(one, other, strict=True))


def matching_sheet(
    *, pictures: int, temperature: float, asks: Asks, caption: str
) -> Sheet:
    """The pictures, similarities of all with all, and odds, of rows and of one's own.

    odds = softmax(similarities / temperature), of each row
    """
    own = caption_of("caption", caption)
    found = set_of(pictures)
    s = Sheet()
    draw_pictures(s, found)
    p = given(s, "picture", found.of_pictures)
    t = given(s, "caption", found.of_texts)
    rows, columns = (p, t) if asks == ASKS[0] else (t, p)
    alike = s.dot("similarities", rows, columns)
    scaled = s.scale("scaled", alike, ("÷", "temperature", temperature))
    odds = s.softmax("odds", scaled)
    look: Look = {"outlined": np.eye(SHOWN, dtype=bool), "band": 1, "shares": "pairs"}
    said = "of “{row}” and “{column}”: the dot product of their vectors"
    s.show(alike, limit=1.0, formula="p · t", sentence=said, note="", **look)
    look["formula"] = f"softmax(similarities ÷ {temperature:g})"
    look["note"] = f"{asks} looks for its {columns.rows.name}: each row sums to 1"
    s.show(odds, sentence="how likely “{column}” belongs to “{row}”", **look)
    draw_own(s, own, found, temperature)
    return s


def draw_pictures(s: Sheet, found: Set) -> None:
    """Draw each picture below its caption."""
    both = zip(found.pictures, found.captions, strict=True)
    for n, (picture, said) in enumerate(both, start=1):
        drawing = Picture(
            name=f"picture {n}",
            title=str(n),
            formula=said,
            size=(SIDE, SIDE),
            rgb=True,
            side=1.2,
            digits=1,
        )
        cells = picture.permute(1, 2, 0).flatten(1)  # (8, 24)
        s.draw(drawing, cells.double().numpy())


def given(s: Sheet, kind: str, vectors: Tensor) -> Table:
    """Give the vectors (4, E) of the pictures, or of the captions."""
    return s.given(kind, axis_of(kind), "feature", vectors.double().numpy())


def axis_of(kind: str) -> Axis:
    """Name the pictures, or the captions: by number, as they belong together."""
    return Axis(kind, [f"{kind} {n}" for n in range(1, SHOWN + 1)])


def draw_own(s: Sheet, caption: str, found: Set, temperature: float) -> None:
    """Draw how like one's own caption is to each picture, and its odds."""
    alike = clip.similarities(clip.trained(), found.pictures, [caption]).double()
    _, odds = clip.odds(alike, temperature)  # (4, 1)
    bars = Bars(
        name="own",
        title="your caption",
        formula=f"“{caption}”: which picture?",
        labels=axis_of("picture").labels,
        series=("similarity", "odds"),
        hues=("scores", "output"),
        scale=(-1.0, 1.0),
        palette="output",
        band=1,
        sentence="{label} and your caption: {series}",
        note="the odds of the four pictures sum to 1, whatever is said",
    )
    s.draw(bars, torch.cat([alike, odds], dim=1).numpy())

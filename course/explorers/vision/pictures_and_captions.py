"""pictures_and_captions: which caption belongs to which picture, as a CLIP has it."""

import random
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, get_args

import numpy as np
import torch
from torch import Tensor

from explorable import Axis, Explorer, Sheet, Style, Table, plots
from explorable.controls import choice, stops, text, whole
from explorable.drawings.picture import PixelGrid

from ...data.captions import captions_of, in_ids
from ...data.shapes import SIDE, Scene, drawings, held_out_scenes, numbers, photographed
from ...models import clip
from .said import KNOWN, MOST_WORDS, caption_of

Asks = Literal["each picture", "each caption"]
ASKS = get_args(Asks)
SHOWN = 4  # pictures, and captions
SETS = 20
TEMPERATURES = (0.01, 0.1, 0.3, 1.0)  # beside the learned one
_trained = cache(clip.trained)  # nobody changes it here


def pictures_and_captions(
    caption: str = "a white diamond at the bottom",
    *,
    temperature: float | None = None,
    asks: Asks = "each picture",
    pictures: int = 1,
) -> Explorer:
    """Four pictures, their captions and one's own: how like each two are.

    And who finds whom: each picture a caption, or each caption a picture. The model is
    that of `models.clip`. It has learned none of these scenes, whose
    parts differ but little.

    Args:
        caption: one's own, 1 to 12 words that the model knows.
        temperature: that similarities are divided by: 0.01, 0.1, 0.3, 1 or the learned
            one, which is taken without it.
        asks: "each picture" is asked for its caption, or "each caption" for its
            picture.
        pictures: which four, from 1 to 20.

    Returns:
        an Explorer with controls "pictures", "temperature", "asks" and "caption". Its
        values: "picture 1" … (8, 24); "similarities"; "probabilities", of which each
        row sums to 1: (4, 5), one's own caption the last, or (5, 4) where captions ask.

    Raises:
        TypeError, ValueError: the caption cannot be read, or a setting is not one of
            those there are.

    Source: Radford et al. (2021), §2.3 and figure 3; D0.6.multi.
    """
    said = caption_of("caption", caption)
    learned = round(clip.temperature(_trained()), 3)
    start = learned if temperature is None else temperature
    controls = {
        "pictures": whole("pictures", pictures, 1, SETS),
        "temperature": stops("temperature", sorted({*TEMPERATURES, learned}), start),
        "asks": choice("who asks", ASKS, asks, "asks"),
        "caption": text(
            "your caption", said, MOST_WORDS, at_once=False, room=44, words=KNOWN
        ),
    }
    return Explorer(
        "pictures_and_captions",
        matching_sheet,
        controls,
        title="Matching pictures and captions",
        task="Type a caption and see which picture the model matches with it.",
        more=("pictures",),
    )


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
    first, *others = chance.sample(held_out_scenes(), len(held_out_scenes()))
    others.sort(key=lambda scene: -shared(first, scene))
    scenes = [first, *others[: SHOWN - 1]]
    chance.shuffle(scenes)
    draw = torch.Generator().manual_seed(number)
    seen = photographed(drawings(numbers(scenes), draw), draw)
    said = [min(chance.sample(captions_of(s), 3), key=len) for s in scenes]  # short
    model = _trained()
    with torch.inference_mode():
        return Set(seen, said, model.of_pictures(seen), model.of_texts(in_ids(said)))


def shared(one: Scene, other: Scene) -> int:
    """Count the parts that two scenes share: color, shape, place."""
    return sum(a == b for a, b in zip(one, other, strict=True))


def matching_sheet(
    *, pictures: int, temperature: float, asks: Asks, caption: str
) -> Sheet:
    """The pictures, the similarities of all with all, the probabilities of each row.

    probabilities = softmax(similarities / temperature), of each row
    """
    own = caption_of("caption", caption)
    found = set_of(pictures)
    s = Sheet()
    draw_pictures(s, found)
    with torch.inference_mode():
        text = _trained().of_texts(in_ids([own]))  # (1, E)
    p = given(s, "picture", found.of_pictures)
    t = given(s, "caption", torch.cat([found.of_texts, text]))
    rows, columns = (p, t) if asks == ASKS[0] else (t, p)
    alike = s.matmul("similarities", rows, columns, transposed=True)
    scaled = s.elementwise("scaled", alike, ("÷", temperature, "temperature"))
    probabilities = s.softmax("probabilities", scaled)
    together = np.eye(*probabilities.values.shape) > 0
    picture_asks = asks == ASKS[0]
    by_caption = probabilities.values.T if picture_asks else probabilities.values
    best = int(by_caption[SHOWN].argmax())  # of the pictures, for the own caption
    mine = np.zeros_like(together)
    mine[(best, SHOWN) if picture_asks else (SHOWN, best)] = True
    beside = "row_pictures" if picture_asks else "column_pictures"
    look: Style = {beside: [f"picture {n + 1}" for n in range(SHOWN)]}
    look |= {"outlined": together, "shares": "pairs", "size": "small", "band": 1}
    pair = f"{rows.rows.name} “{{row}}” and {columns.rows.name} “{{column}}”"
    said = f"{pair}: the dot product of their vectors"
    s.show(alike, vmax=1.0, formula="picture · caption", sentence=said, note="", **look)
    look["formula"] = f"softmax(similarities ÷ {temperature:g})"
    share = plots.number(float(by_caption[SHOWN, best]), 2)
    took = f"Picture {best + 1} gives your caption {share}"
    found_by = f"Your caption finds picture {best + 1}, {share}"
    look["note"] = took if picture_asks else found_by
    look |= {"leads": True, "concludes": True, "outlined": mine}
    s.show(probabilities, sentence=f"{pair}: how likely they belong together", **look)
    return s


def draw_pictures(s: Sheet, found: Set) -> None:
    """Draw each picture above its caption, in a row."""
    both = zip(found.pictures, found.captions, strict=True)
    for n, (picture, said) in enumerate(both):
        drawing = PixelGrid(
            name=f"picture {n + 1}",
            size=(SIDE, SIDE),
            rgb=True,
            side=1.5,
            digits=1,
            note=said,
        )
        cells = picture.permute(1, 2, 0).flatten(1)  # (8, 24)
        s.draw(drawing, cells.double().numpy())


def given(s: Sheet, kind: str, vectors: Tensor) -> Table:
    """Return the vectors (n, E) of pictures or captions; the fifth is the reader's."""
    names = [*(str(n + 1) for n in range(SHOWN)), "yours"]
    axis = Axis(kind, names[: len(vectors)])
    return s.leaf(kind, axis, "feature", vectors.double().numpy())

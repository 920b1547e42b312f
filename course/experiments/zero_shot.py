"""Use a CLIP as a classifier: the classes are captions that it compares with images."""

from collections.abc import Mapping, Sequence

import torch
import torch.nn.functional as F

from ..data.captions import in_ids, places_for
from ..data.shapes import COLORS, PLACES, SHAPES, held_out_scenes, numbers
from ..models.clip import CLIP, MODEL, of_scenes
from .experiment import Experiment, grid
from .results import Row

STEPS = MODEL.recipe.steps
LENGTHS = (STEPS // 2, STEPS)
PER_SCENE = 4  # images of each held-out scene
Classes = Mapping[str, Sequence[str]]  # the captions of each class, by its name


def class_captions() -> dict[str, Classes]:
    """Return the captions of the shapes and of the colors: one, or all that fit.

    "a square" is one caption; "a red square at the top" is one of 72 captions of a
    square, one for each color and place.
    """
    full = [
        (color, shape, f"a {color} {shape} {places_for(place)[0]}")
        for color in COLORS
        for shape in SHAPES
        for place in PLACES
    ]
    return {
        "shape, one caption": {shape: [f"a {shape}"] for shape in SHAPES},
        "shape, average": {s: [text for _, b, text in full if b == s] for s in SHAPES},
        "color, one caption": {color: [f"a {color}"] for color in COLORS},
        "color, average": {c: [text for a, _, text in full if a == c] for c in COLORS},
    }


def accuracies(model: CLIP) -> dict[str, float]:
    """Classify images of held-out scenes by the class vector that is most similar."""
    scenes = PER_SCENE * held_out_scenes()
    images, _ = of_scenes(numbers(scenes), torch.Generator().manual_seed(1))
    found = {}
    with torch.inference_mode():
        seen = model.of_pictures(images)  # (B, E)
        for name, classes in class_captions().items():
            means = [model.of_texts(in_ids(some)).mean(0) for some in classes.values()]
            best = (seen @ F.normalize(torch.stack(means), dim=-1).mT).argmax(1)
            names = [*classes]
            hits = [names[n] in scene for n, scene in zip(best, scenes, strict=True)]
            found[name] = sum(hits) / len(hits)
    return found


def run(steps: int, seed: int) -> Row:
    """Measure a model; that of the course is not trained again."""
    return accuracies(MODEL.after(steps, seed))


EXPERIMENT = Experiment(
    name="zero_shot",
    runs=grid(steps=LENGTHS, seed=range(5)),
    measure=run,
    models={"clip": MODEL},
    settings={"images of each scene": PER_SCENE},
)

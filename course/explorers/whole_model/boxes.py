"""The model as boxes, the present one lit, and a token's vector above each."""

import numpy as np
import torch

from explorable import Array, Sheet, plots
from explorable.style import full_color

from ..drawings.architecture import Architecture
from .scene import Scene
from .steps import Said

SIGNS = "≠ filled: patched; outlined: changed by the patch"
VECTORS = "B, T, D", "T, D"  # the shapes of what goes up from box to box


def draw_boxes(s: Sheet, scene: Scene, patched: list[str], about: str) -> None:
    """Draw the model, and say what it is about; of each vector the features shown."""
    way, at = scene.way, scene.at
    boxes = way.boxes()
    only = scene.features(way.model.config.d_model)
    vectors = _vectors(scene, boxes, only)
    words = scene.seen.source if at.reads else scene.seen.words
    drawing = Architecture(
        name="model",
        title="the model",
        formula=f"step {scene.number} of {len(way.steps)}",
        palette="scores",
        layout=way.plan(),
        steps=[(each[0], each[-1]) for each in boxes],
        control="step",
        ends=_ends(scene),
        lit=at.box,
        inside=[(said.chip, said.hue) for said in _inside(scene, boxes)],
        now=boxes[at.box].index(scene.number),
        what=at.said.what,
        marked=way.boxes_of(patched),
        changed=_changed(scene, boxes),
        token=words[scene.row(at.reads)],
        first=only.start + 1,
        vmax=full_color(vectors),
        sentence="{part}, {steps}: “{token}” leaves it as",
        note=f"{SIGNS} · {about}" if patched else about,
    )
    s.draw(drawing, vectors)


def _inside(scene: Scene, boxes: list[list[int]]) -> list[Said]:
    return [scene.way.steps[n - 1].said for n in boxes[scene.at.box]]


def _changed(scene: Scene, boxes: list[list[int]]) -> list[int]:
    """The boxes in which a tensor is not what it was without the patches."""

    def differs(number: int) -> bool:
        name = scene.name_of(scene.way.steps[number - 1])
        was, now = scene.seen.before.get(name), scene.tensors.get(name)
        if was is None or now is None:  # not recorded: it is made of the step before
            return number > 1 and differs(number - 1)
        return not torch.equal(was.nan_to_num(), now.nan_to_num())

    return [n for n, each in enumerate(boxes) if any(map(differs, each))]


def _vectors(scene: Scene, boxes: list[list[int]], only: range) -> Array:
    """The token's vector as it leaves each box; NaN where it has not been."""
    vectors = np.full((len(boxes), len(only)), np.nan)
    for n, each in enumerate(boxes):
        for number in each:
            step = scene.way.steps[number - 1]
            x = scene.tensors.get(scene.name_of(step))
            goes_up = step.said.shape in VECTORS and not step.of_heads
            if x is None or number > scene.number or not goes_up:
                continue
            row = x.reshape(-1, *x.shape[-2:])[0, scene.row(step.reads)]
            vectors[n] = row[only.start : only.stop].double().cpu().numpy()
    return vectors


def _ends(scene: Scene) -> list[str]:
    """The words below a column, in its stack's head, and above it."""
    said: list[str] = []
    for stack, count in scene.way.layers.items():
        reads = stack == "encoder" and bool(scene.seen.source)
        words = scene.seen.source if reads else scene.seen.words
        layer = scene.way.layer_of(stack, scene.at, scene.layer)
        own = f"layer {layer} of {count}" if count > 1 else "1 layer"
        above = _next_word(scene) if stack == "decoder" else ""
        said += [" ".join(words), f"{stack}: {own}", above]
    return said


def _next_word(scene: Scene) -> str:
    """What comes out at the top for the token, once it has come out."""
    if scene.number < len(scene.way.steps):
        return "next word"
    probabilities = scene.tensors["logits"][0, scene.row(reads=False)].softmax(-1)
    best = int(probabilities.argmax())
    return f"{scene.seen.vocabulary[best]} {plots.number(float(probabilities[best]))}"

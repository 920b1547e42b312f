"""What a DALL-E draws of captions."""

from functools import cache

import torch

from course.data.captions import LENGTH, VOCABULARY, captions_of
from course.data.pairs import PAD
from course.data.shapes import drawn, held_out_scenes, learned_scenes, seen
from course.experiments import drawing
from course.models.dalle import ADVISED, MODEL, WORDS

trained = cache(MODEL.trained)


def test_what_is_wrong_in_a_drawing_is_counted(monkeypatch):
    asked = held_out_scenes()[:10]
    pictures = torch.stack([drawn(scene) for scene in asked])
    pictures[:3] = pictures[:3].where(pictures[:3] == 0, 9 - pictures[:3])  # colors
    pictures[3, 7, 7] += 1  # a cell that no scene has
    monkeypatch.setattr(drawing, "draw", lambda *_: pictures)
    came = drawing.parts_right(trained(), asked)
    color = {"right": 0.6, "shown": 0.9, "color": 0.6}
    assert came == {**color, "shape": 0.9, "place": 0.9}


def test_shuffled_captions_are_those_of_other_pictures():
    true = {
        caption: scene for scene in learned_scenes() for caption in captions_of(scene)
    }
    draw = torch.Generator().manual_seed(0)
    for _ in range(50):
        tokens = drawing.shuffled(draw)
        told, shown = [], []
        for row in tokens:
            words = VOCABULARY.decode(row[row < WORDS])
            told.append(true[" ".join(w for w in words[1:] if w != PAD)])
            shown.append(seen((row[LENGTH:] - WORDS).view(8, 8)))
        assert sorted(told) == sorted(shown)
        assert all(a != b for a, b in zip(told, shown, strict=True))


def test_the_model_of_the_course_is_not_trained_again(monkeypatch):
    monkeypatch.setattr(type(MODEL), "train", lambda *_, **__: "trained")
    monkeypatch.setattr(type(MODEL), "after", lambda *_: "read")
    monkeypatch.setattr(drawing, "measure", lambda model, _: model)
    came = {variant: drawing.run(variant, 10, 0) for variant in drawing.VARIANTS}
    others = dict.fromkeys(drawing.VARIANTS, "trained")
    assert came == others | {"captions": "read"}


def test_the_temperature_is_the_highest_that_is_right_on_validation_scenes():
    [kept] = drawing.CHOICE.results()
    right = [t for t in drawing.TEMPERATURES if kept[f"{t:g}"]["right"] >= 0.95]
    assert max(right) == ADVISED


def test_what_the_kept_results_show():
    for one in drawing.EXPERIMENT.results(variant="captions", steps=drawing.STEPS):
        assert one["greedy"]["right"] >= 0.99
        assert one[str(ADVISED)]["right"] >= 0.95
        assert one["2"]["right"] < one["1"]["right"] < one[str(ADVISED)]["right"]
    for one in drawing.EXPERIMENT.results(variant="shuffled captions"):
        assert one["greedy"]["right"] < 0.05


def test_pairs_that_were_apart_are_joined_well_in_some_trainings_only():
    kept = drawing.EXPERIMENT.results(variant="pairs apart", steps=drawing.STEPS)
    right = [one["greedy"]["right"] for one in kept]
    assert 0.4 < min(right) < 0.6
    assert 0.95 < max(right) < 0.99


def test_half_of_the_steps_are_too_few_for_either():
    for one in drawing.EXPERIMENT.results(steps=drawing.STEPS // 2):
        assert one["greedy"]["right"] < 0.6

"""Classifying by captions: which captions there are, and what the kept results show."""

import pytest

from course.data.captions import captions_of
from course.data.shapes import COLORS, SCENES, SHAPES
from course.experiments import zero_shot
from course.models.clip import MODEL


def test_the_captions_of_a_class_are_captions_of_its_scenes():
    every = {text for scene in SCENES for text in captions_of(scene)}
    classes = zero_shot.class_captions()
    for name, choices in classes.items():
        assert tuple(choices) in (tuple(SHAPES), tuple(COLORS))
        for wanted, texts in choices.items():
            assert all(wanted in text.split() for text in texts)
            assert len({*texts}) == len(texts)
            assert name.endswith("one caption") or {*texts} <= every
    assert {len(texts) for texts in classes["shape, average"].values()} == {72}
    assert {len(texts) for texts in classes["color, average"].values()} == {54}


def test_a_model_that_has_learned_nothing_guesses():
    found = zero_shot.accuracies(MODEL.untrained())
    assert found["shape, average"] < 0.35
    assert found["color, average"] < 0.35


def test_the_kept_results_are_those_of_the_kept_model():
    [kept] = zero_shot.EXPERIMENT.results(steps=zero_shot.STEPS, seed=0)
    for name, accuracy in zero_shot.accuracies(MODEL.trained()).items():
        assert kept[name] == pytest.approx(accuracy, abs=0.01)


@pytest.mark.parametrize("parts", ["shape", "color"])
def test_the_average_of_many_captions_beats_one_in_every_run(parts):
    for steps in zero_shot.LENGTHS:
        one = zero_shot.EXPERIMENT.table(f"{parts}, one caption", steps=steps)
        many = zero_shot.EXPERIMENT.table(f"{parts}, average", steps=steps)
        assert one.shape == (5,)
        assert (many > one).all()

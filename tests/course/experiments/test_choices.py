"""Settings that were chosen: by validation data, which judges no model."""

import pytest
import torch

from course.data import coreference, french, masked_words
from course.data.pairs import PAD, validation
from course.data.whereabouts import Whereabouts
from course.experiments import choices
from course.models.coreference import SEED

TASKS = {
    "french": choices.french.TASK,
    **choices.sequences.TASKS,
    "t5": choices.ThreeTasks(),
}
SPLITS = {
    "coreference": coreference.SPLIT,
    "french": french.SPLIT,
    "masked words": masked_words.SPLIT,
}


def texts(task, pairs):
    """Return the sources of pairs, without their padding."""
    rows = [task.vocabulary.decode(row) for row in pairs.source]
    return {" ".join(word for word in row if word != PAD) for row in rows}


@pytest.mark.parametrize("name", TASKS)
def test_no_pair_chooses_and_judges(name):
    task = TASKS[name]
    chosen_by = texts(task, validation(task, 200))
    assert len(chosen_by) > 150
    assert not chosen_by & texts(task, task.held_out())
    assert not chosen_by & texts(task, task.batch(torch.Generator(), 500))


@pytest.mark.parametrize("name", SPLITS)
def test_no_example_chooses_and_judges(name):
    split = SPLITS[name]
    judged = {repr(one) for one in split.held_out()}
    chosen_by = split.validation(200)
    assert not judged & {repr(one) for one in chosen_by}
    assert {split.part(one) for one in chosen_by} == {"held out"}


def test_more_pairs_than_there_are_cannot_be_drawn():
    with pytest.raises(ValueError, match=r"^count must be at most \d+, got 300$"):
        validation(Whereabouts(1), 300)


def test_each_learning_rate_has_the_smallest_validation_loss_of_those_tried():
    for name, (model, _) in choices.MODELS.items():
        kept = choices.EXPERIMENT.results(model=name)
        assert [one["peak"] for one in kept] == [*choices.RATES]
        best = min(kept, key=lambda one: one["loss"])
        assert model.recipe.peak == best["peak"], name


@pytest.mark.parametrize("name", [n for n, (m, _) in choices.MODELS.items() if m.seeds])
def test_the_kept_model_is_that_of_the_rate_that_was_chosen(name):
    model, measure = choices.MODELS[name]
    [kept] = choices.EXPERIMENT.results(model=name, peak=model.recipe.peak)
    found = measure(model.trained())
    assert found["loss"] == pytest.approx(kept["loss"], rel=0.01, abs=0.001)


def test_the_seed_is_that_whose_second_block_looks_most_at_what_it_stands_for():
    kept = choices.SEED.results()
    best = max(kept, key=lambda one: one["weight"][1])
    assert best["seed"] == SEED
    assert best["accuracy"] > 0.98

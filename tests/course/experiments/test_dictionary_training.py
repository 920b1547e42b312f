"""How the models of the dictionary learn: what a training leaves behind."""

from dataclasses import replace

import pytest

from course.data.dictionary import Parts, sample
from course.experiments import dictionary_training
from course.experiments.dictionary_training import EXPERIMENT, MODELS, run
from course.models import dictionary
from course.models.dictionary import bits_per_character
from transformer_lib.checkpoints import load_checkpoint

FEW = Parts(*(entries[:40] for entries in sample()))


@pytest.fixture
def small(monkeypatch):
    """Train for 16 steps, on few and small batches; return the GPT."""
    for module in (dictionary, dictionary_training):
        monkeypatch.setattr(module, "sample", lambda: FEW)
    monkeypatch.setattr(dictionary, "everything", lambda: FEW)
    dictionary.learned.cache_clear()
    short = {
        who: (replace(small, recipe=replace(recipe, batch_size=4)), figure)
        for who, (small, figure) in MODELS.items()
        for recipe in [small.recipe.shortened(16)]
    }
    monkeypatch.setattr(dictionary_training, "MODELS", short)
    monkeypatch.setattr(dictionary_training, "GPT", short["GPT"][0])
    yield short["GPT"][0]
    dictionary.learned.cache_clear()


def test_a_training_is_measured_in_eight_stages_and_at_the_end(small):
    row = run("GPT", seed=1)
    assert row["step"] == [2, 4, 6, 8, 10, 12, 14, 16]
    assert len(row["loss"]) == 8
    assert row["loss"][0] > row["loss"][-1]
    model = small.train(1)
    assert row["held-out"] == bits_per_character(model)
    last = bits_per_character(model, FEW.validation)
    assert row["validation"][-1] == pytest.approx(last, rel=1e-3)  # rounded since


def test_the_kept_models_are_those_of_seed_0():
    for who, (small, _) in MODELS.items():
        [row] = EXPERIMENT.results(who=who, seed=0)
        _, made = load_checkpoint(small.path(), small.provenance(0))
        assert [*made.figures.values()] == pytest.approx([row["held-out"]], abs=2e-4)


def test_three_seeds_of_the_gpt_need_at_most_1_35_bits_per_character():
    assert EXPERIMENT.table("held-out", who="GPT").max() <= 1.35

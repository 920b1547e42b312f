"""Snapshots of a training: what is kept of it, and that keeping changes nothing."""

import json
from itertools import islice

import pytest
import torch

from course.data.sequences import Sequences
from course.models import french_steps
from course.models.pairs import pair_model, sizes, write
from course.models.small_model import Recipe
from course.models.snapshots import load_snapshots, measure, watch
from transformer_lib.checkpoints import read_weights, write_weights

TASK = Sequences("reverse")
SIZES = sizes(TASK, d_model=8, n_heads=2, d_ff=8)
STEPS = 6


def begin(steps=STEPS):
    return pair_model(TASK, SIZES, Recipe(steps=steps, warmup=1)).begin()


@pytest.fixture(scope="module")
def found():
    *_, found = watch(begin()[1], TASK, 3)
    return found


def same(one, other):
    return one.keys() == other.keys() and all(one[n].equal(other[n]) for n in one)


def test_who_watches_a_training_does_not_change_it(found):
    model, training = begin()
    losses = list(training)
    assert found.losses == losses
    assert same(found.shots[-1].weights, model.state_dict())


def test_each_snapshot_is_the_model_after_its_steps(found):
    assert [shot.step for shot in found.shots] == [0, 1, 3, 6]
    model, training = begin()
    for shot in found.shots:
        for _ in range(shot.step - training.taken):
            next(training)
        assert same(shot.weights, model.state_dict())
        assert shot.measured == measure(model, TASK, TASK.held_out(200))


def test_a_training_that_is_stopped_has_the_snapshots_so_far(found):
    steps = watch(begin()[1], TASK, 3)
    stopped = next(steps)
    assert (len(stopped.shots), stopped.losses) == (1, [])
    *_, stopped = islice(steps, 4)
    assert [shot.step for shot in stopped.shots] == [0, 1, 3]
    assert stopped.losses == found.losses[:4]
    assert same(stopped.model().state_dict(), found.shots[2].weights)


def test_a_training_that_goes_on_is_watched_from_where_it_is():
    _, training = begin()
    before = next(training)
    *_, found = watch(training, TASK, 2)
    assert [shot.step for shot in found.shots] == [1, 2, 6]
    assert before not in found.losses
    assert len(found.losses) == STEPS - 1


def test_there_are_no_more_snapshots_than_steps():
    *_, found = watch(begin(2)[1], TASK, 9)
    assert [shot.step for shot in found.shots] == [0, 1, 2]


def test_what_is_measured_is_right_of_a_model_that_knows_nothing_of_the_task(found):
    """Of a model that says one token alone, each share can be counted."""
    model = found.model()
    with torch.no_grad():
        for x in model.parameters():
            x.zero_()
    pairs = TASK.held_out(50)
    asked = pairs.target[:, 1:]
    real = asked != TASK.vocabulary.pad_id
    loss, words, texts = measure(model, TASK, pairs)
    assert loss == pytest.approx(torch.tensor(13.0).log().item())
    assert words == pytest.approx((asked[real] == 0).float().mean().item())
    assert texts == 0


def test_a_file_holds_all_of_it_but_the_task(found, tmp_path):
    path = tmp_path / "steps.safetensors"
    found.save(path)
    again = load_snapshots(path, TASK)
    assert again.config == found.config
    assert again.losses == pytest.approx(found.losses)
    for one, other in zip(found.shots, again.shots, strict=True):
        assert (one.step, one.measured) == (other.step, other.measured)
        assert same(one.weights, other.weights)


def test_a_file_of_something_else_is_named(found, tmp_path):
    path = tmp_path / "steps.safetensors"
    with pytest.raises(FileNotFoundError, match=r"steps\.safetensors"):
        load_snapshots(path, TASK)
    found.save(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match=r"steps\.safetensors, which cannot be read"):
        load_snapshots(path, TASK)
    weights = found.shots[0].weights
    for made in ({}, {"snapshots": [[0, 1.0, 0.0, 0.0]], "config": {}}):
        write_weights(weights | {"losses": torch.zeros(1)}, path, made)
        with pytest.raises(ValueError, match="which cannot be read"):
            load_snapshots(path, TASK)
    write_weights(weights, path, json.loads("{}"))
    with pytest.raises(ValueError, match="which cannot be read"):
        load_snapshots(path, TASK)


def test_a_configuration_that_lacks_a_size_is_refused(found, tmp_path):
    """It was filled in with the paper's: 8 heads instead of 2."""
    path = tmp_path / "steps.safetensors"
    found.save(path)
    weights, made, _ = read_weights(path)
    del made["config"]["n_heads"]
    write_weights(weights, path, made)
    with pytest.raises(ValueError, match="its configuration must say"):
        load_snapshots(path, TASK)


def test_what_cannot_be_watched_is_refused_before_a_step_is_taken(found):
    with pytest.raises(TypeError, match="training must be a Training"):
        watch(found.model(), TASK)
    with pytest.raises(ValueError, match="shots must be at least 1, got 0"):
        watch(begin()[1], TASK, 0)


# ── the training of the course ────────────────────────────────────────────────────────
def test_the_kept_training_is_measured_by_its_own_weights():
    kept = french_steps.watched()
    new = kept.task.held_out(200)
    model = kept.model()
    for shot in (kept.shots[0], kept.shots[12], kept.shots[-1]):
        model.load_state_dict(shot.weights)
        now = measure(model, kept.task, new)
        assert now == pytest.approx(shot.measured, abs=0.01)


def test_the_kept_training_goes_from_nothing_to_french():
    kept = french_steps.watched()
    assert 20 <= len(kept.shots) <= 40
    assert (kept.shots[0].step, kept.shots[-1].step) == (0, len(kept.losses))
    assert kept.shots[0].measured.exact_match == 0
    assert kept.shots[-1].measured.exact_match >= 0.98
    ids = torch.tensor([kept.task.vocabulary.encode("I love AI")])
    assert write(kept.model(), kept.task, ids) == [["j'", "aime", "l'", "IA"]]

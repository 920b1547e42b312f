"""Every small model by one mechanism: trained, kept, compared when it is read."""

from dataclasses import replace

import pytest
import torch

from course.data.dictionary import sample
from course.models import bert, dictionary, french_steps, jobs
from course.models.__main__ import FILES, KEPT, main
from course.models.small_model import Recipe
from course.trained import CHECKPOINTS
from transformer_lib.checkpoints import read_weights, write_weights
from transformer_lib.training import Training

MODELS = {model.name: model for model in KEPT}


def another_word(words):
    """Exchange two words of a vocabulary."""
    return [*words[:-2], words[-1], words[-2]]


CHANGES = {
    "another step count": (
        lambda m: replace(m, recipe=replace(m.recipe, steps=m.recipe.steps + 1)),
        "recipe.steps must be",
    ),
    "another seed": (lambda m: replace(m, seeds=(99,)), "seed must be 99"),
    "an old recipe": (
        lambda m: replace(m, recipe=replace(m.recipe, peak=0.123)),
        "recipe.peak must be 0.123",
    ),
    "a swapped word": (
        lambda m: replace(m, words=another_word(m.words or ["a", "b"])),
        r"words(\[\d+\])? must be",
    ),
    "another setting": (
        lambda m: replace(m, settings={**m.settings, "teaching": 9}),
        "recipe.teaching must be 9",
    ),
}


def same(one, other):
    """Tell whether two models have equal weights."""
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    return all(a.equal(b) for a, b in pairs)


# ── the files of the course ───────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", FILES)
def test_a_kept_file_holds_the_figures_of_its_weights(name):
    model, seed = FILES[name]
    _, _, made = read_weights(CHECKPOINTS / f"{name}.safetensors")
    trained = model.trained(seed)
    assert not trained.training
    figures = model.measure(trained) if name != "french_steps" else made.figures
    assert figures == pytest.approx(dict(made.figures), abs=1e-4)
    assert set(made.versions) == {"torch", "transformer_lib"}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", MODELS)
def test_no_kept_file_that_was_made_in_another_way_is_read(name, change):
    model = MODELS[name]
    changed, told = CHANGES[change]
    other = changed(model)
    path = CHECKPOINTS / f"{name}.safetensors"
    with pytest.raises(ValueError, match=told) as said:
        other.trained()
    assert str(path) in str(said.value)
    assert other.fault() == str(said.value)
    assert model.fault() == ""


@pytest.mark.parametrize("name", MODELS)
def test_a_file_of_another_configuration_is_refused(name, tmp_path):
    model = MODELS[name]
    weights, made, provenance = read_weights(model.path())
    config = dict(made["config"])
    inner = config["encoder"] = dict(config.get("encoder", config))
    if "shared" not in config and "patch_size" not in config:
        config, inner = inner, inner
        config.pop("encoder", None)
    inner["n_heads"] = 2 * inner["n_heads"]
    write_weights(
        weights, model.path(folder=tmp_path), {**made, "config": config}, provenance
    )
    with pytest.raises(ValueError, match=r"config\.(encoder\.)?n_heads must be"):
        model.trained(folder=tmp_path)


def test_snapshots_that_do_not_say_their_heads_are_refused(tmp_path):
    weights, made, provenance = read_weights(french_steps.MODEL.path())
    del made["config"]["n_heads"]
    write_weights(weights, tmp_path / "french_steps.safetensors", made, provenance)
    with pytest.raises(ValueError, match="its configuration must say"):
        french_steps.MODEL.snapshots(folder=tmp_path)


def test_each_reader_has_a_model_of_its_own():
    one, other = jobs.trained(), jobs.trained()
    assert same(one, other)
    with torch.no_grad():
        one.embedding.weight.mul_(0.5)
    assert not same(one, other)
    assert same(other, jobs.trained())


def test_a_seed_whose_weights_are_not_kept_is_named():
    with pytest.raises(ValueError, match=r"seed must be one of \[0, 1, .* got 5"):
        jobs.trained(5)


# ── random numbers ────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("seed", range(3))
def test_weights_and_batches_are_drawn_from_separate_streams(seed):
    """A batch holds the numbers that it would begin with, were it the weights."""
    drawn = []

    def batch(generator):
        drawn.append(generator.get_state())
        return jobs.sentences(generator, 4)

    next(jobs.begin(seed, 1, batch=batch)[1])
    for purpose in (seed, 0, 1):
        assert not drawn[0].equal(torch.Generator().manual_seed(purpose).get_state())
    next(jobs.begin(seed, 1, batch=batch)[1])
    assert drawn[0].equal(drawn[1])


# ── making them again ─────────────────────────────────────────────────────────────────
@pytest.fixture
def _small_dictionary(monkeypatch):
    """Let the dictionary's models learn from the entries that the repository holds."""
    monkeypatch.setattr(dictionary, "everything", sample)
    dictionary.learned.cache_clear()
    yield
    dictionary.learned.cache_clear()


@pytest.mark.usefixtures("_small_dictionary")
@pytest.mark.parametrize("name", MODELS)
def test_every_model_can_be_made_again(name, tmp_path):
    model = replace(MODELS[name], measure=lambda _: {"loss": 0.5})
    figures = model.make(tmp_path, steps=2)
    assert "loss" in figures
    short = replace(model, recipe=model.recipe.shortened(2))
    found = short.trained(folder=tmp_path)
    assert found.config == model.untrained().config
    assert same(found, short.train(short.seeds[0]))
    assert [file.suffix for file in tmp_path.iterdir()] == [".safetensors"]
    assert "recipe.steps must be" in model.fault(folder=tmp_path)


def test_a_model_that_is_kept_is_read_and_another_one_is_trained():
    steps = jobs.RECIPE.steps
    assert same(jobs.MODEL.after(steps, 1), jobs.trained(1))
    one, other = (jobs.MODEL.after(1, seed) for seed in (0, 1))
    assert not same(one, other)
    assert same(one, jobs.MODEL.train(0, 1))


def test_trained_weights_are_rounded_as_their_file_would_round_them():
    for weight in bert.MODEL.train(0, 1).parameters():
        assert weight.equal(weight.half().float())


def test_other_batches_may_be_drawn():
    whole = [jobs.sentences(torch.Generator().manual_seed(9), 4)] * 2
    drawn = iter(whole)
    _, training = jobs.begin(0, 2, batch=lambda _: next(drawn))
    assert isinstance(training, Training)
    assert len([*training]) == 2


# ── the command ───────────────────────────────────────────────────────────────────────
def test_the_command_tells_of_every_file_and_touches_none(capsys):
    before = {file: file.stat().st_mtime_ns for file in CHECKPOINTS.iterdir()}
    main([])
    told = capsys.readouterr().out.splitlines()
    assert told == [f"{name}: up to date" for name in FILES]
    assert {file.stem for file in CHECKPOINTS.glob("*.safetensors")} == {*FILES}
    main(["--write"])
    assert capsys.readouterr().out == ""
    assert before == {file: file.stat().st_mtime_ns for file in CHECKPOINTS.iterdir()}


def test_the_command_makes_what_is_named_or_missing(tmp_path, capsys):
    for name, (model, seed) in FILES.items():
        if name not in ("stories", "jobs_3"):
            path = model.path(seed)
            (tmp_path / path.name).write_bytes(path.read_bytes())
    main(["--write", "heads"], tmp_path, steps=1)
    assert "heads: loss " in capsys.readouterr().out
    main([], tmp_path)
    told = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    faulty = {name for name, fault in told.items() if fault != "up to date"}
    assert faulty == {"stories", "jobs_3", "heads"}
    assert "which is not there" in told["stories"]
    assert "recipe.steps must be 1500, got 1 in " in told["heads"]
    main(["--write"], tmp_path, steps=1)
    made = [line.split(":")[0] for line in capsys.readouterr().out.splitlines()]
    assert {*made} == faulty


def test_a_name_without_a_file_is_refused():
    with pytest.raises(ValueError, match="NAME must be one of"):
        main(["--write", "jubs"])


# ── recipes ───────────────────────────────────────────────────────────────────────────
def test_a_rate_that_does_not_decay_rises_all_the_same():
    falls = Recipe(steps=10, warmup=4, peak=0.1)
    stays = replace(falls, decay=False)
    assert [falls.rate(n) for n in range(4)] == [stays.rate(n) for n in range(4)]
    assert {stays.rate(n) for n in range(4, 10)} == {0.1}
    assert falls.rate(9) < 0.02


def test_a_recipe_may_be_shortened_or_made_longer():
    recipe = Recipe(steps=800, warmup=100)
    assert (recipe.shortened(80).steps, recipe.shortened(80).warmup) == (80, 10)
    assert recipe.shortened(1600).warmup == 200
    with pytest.raises(ValueError, match="steps must be at least 1"):
        recipe.shortened(0)


def test_a_plain_recipe_is_adam_at_a_constant_rate():
    plain = Recipe.plain(5, 0.1)
    assert {plain.rate(n) for n in range(5)} == {0.1}
    assert (plain.beta2, plain.clip) == (0.999, None)

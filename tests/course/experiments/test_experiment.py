"""One experiment as an example, and what holds for all that the course keeps."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from course.data.shapes import held_out_scenes
from course.experiments import (
    drawing,
    encoder_layers,
    free_running,
    learning,
    shifting,
    text_to_text,
    thousand_definitions,
    two_texts,
    word_order,
)
from course.experiments.__main__ import experiments, main
from course.experiments.experiment import Experiment, grid
from course.models import jobs
from course.models.copier import model_of
from course.trained import CHECKPOINTS
from transformer_lib.model.transformer import Transformer


@pytest.fixture
def example(tmp_path):
    """Rows of two stages for each of four runs; the calls are counted."""
    calls = []

    def measure(variant, seed):
        calls.append((variant, seed))
        for steps in (1, 2):
            share = seed + steps / 3
            yield {"steps": steps, "share": share, "both": [share, 2 * share]}

    one = Experiment(
        name="example",
        runs=grid(variant=("a", "b"), seed=range(2)),
        measure=measure,
        models={"copier": model_of("RNN", 3), "jobs": jobs.MODEL},
        settings={"asked": 10},
        folder=tmp_path,
    )
    return one, calls


def test_a_grid_is_all_combinations_in_order():
    assert grid(a=(1, 2), b="xy") == [
        {"a": a, "b": b} for a, b in [(1, "x"), (1, "y"), (2, "x"), (2, "y")]
    ]


def test_what_is_written_is_read_again_rounded(example):
    one, calls = example
    one.write()
    assert calls == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    assert one.fault() == ""
    assert len(one.results()) == 8
    [row] = one.results(variant="b", seed=1, steps=2)
    assert row["share"] == 1.6667
    one.write()
    assert len(calls) == 4  # nothing is measured twice
    one.write(again=True)
    assert len(calls) == 8  # unless it is asked for


def test_a_table_has_an_axis_for_each_list_and_one_for_the_other_runs(example):
    one, _ = example
    one.write()
    found = one.table("both", steps=(2, 1), variant=("b",))
    assert found.shape == (2, 1, 2, 2)  # steps, variants, seeds, both
    np.testing.assert_array_equal(found[0, 0, 1], [1.6667, 3.3333])
    assert one.table("share", variant="a", steps=1).tolist() == [0.3333, 1.3333]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"settings": {"asked": 20}}, r"settings\.asked must be 20, got 10 in"),
        ({"models": {"jobs": jobs.MODEL}}, r"models\.copier\..* must be nothing"),
        ({"runs": grid(variant="ab", seed=range(3))}, "'seed': 2}, got no such row"),
        ({"runs": grid(variant="a", seed=range(2))}, "no other rows .*, got 4 others"),
    ],
)
def test_results_of_other_runs_models_or_settings_are_refused(example, changes, says):
    one, _ = example
    one.write()
    other = replace(one, **changes)
    with pytest.raises(ValueError, match=says):
        other.results()
    assert str(one.path) in other.fault()


@pytest.mark.parametrize(
    ("name", "changed", "says"),
    [
        (
            "jobs",
            replace(
                jobs.MODEL, build=lambda: Transformer(replace(jobs.SIZES, d_model=16))
            ),
            r"models\.jobs\.network\.d_model must be 16, got 32",
        ),
        (
            "jobs",
            replace(jobs.MODEL, recipe=replace(jobs.RECIPE, peak=0.5)),
            r"models\.jobs\.training\.peak must be 0\.5",
        ),
        (  # a network without a configuration
            "copier",
            model_of("RNN", 3, d_model=8),
            r"models\.copier\.network\.words\.weight\[1\] must be 8, got 32",
        ),
        (
            "copier",
            model_of("RNN", 3, places=True),
            r"settings\.positions must be True",
        ),
    ],
)
def test_results_of_another_network_or_training_are_refused(
    example, name, changed, says
):
    one, _ = example
    one.write()
    other = replace(one, models={**one.models, name: changed})
    with pytest.raises(ValueError, match=says):
        other.results()


def test_what_is_missing_is_measured_alone_and_what_is_of_no_run_goes(example):
    one, calls = example
    one.write()
    other = replace(one, runs=grid(variant="bc", seed=[1]))
    other.write()
    assert calls[4:] == [("c", 1)]
    assert other.fault() == ""


def test_a_file_that_is_missing_is_named(example):
    one, _ = example
    with pytest.raises(FileNotFoundError, match=r"example\.json"):
        one.results()
    assert "example.json" in one.fault()


def test_all_kept_results_belong_to_an_experiment_and_are_up_to_date():
    files = {path.stem for path in CHECKPOINTS.glob("*.json")}
    assert files == {*experiments()}
    for one in experiments().values():
        assert one.fault() == ""


def decimals(x):
    """The most decimals of all numbers in rows."""
    if isinstance(x, dict | list):
        return max(map(decimals, x.values() if isinstance(x, dict) else x), default=0)
    return len(f"{x:.9f}".rstrip("0").partition(".")[2]) if type(x) is float else 0


@pytest.mark.parametrize("name", experiments())
def test_kept_numbers_have_as_many_decimals_as_their_experiment_says(name):
    one = experiments()[name]
    assert decimals(one.results()) == one.decimals


@pytest.mark.parametrize("name", experiments())
def test_models_with_seeds_to_keep_are_kept(name):
    for model in experiments()[name].models.values():
        assert all(model.path(seed).exists() for seed in model.seeds)


@pytest.fixture
def threads():
    """Restore the number of threads that the command changes."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def test_the_command_lists_and_changes_nothing(threads, monkeypatch, capsys):
    monkeypatch.setattr(Experiment, "write", None)  # nothing may call it
    main([])
    main(["--write"])
    told = capsys.readouterr().out.splitlines()
    assert told == [f"{name}: up to date" for name in experiments()]


def test_the_command_writes_what_is_out_of_date_alone(threads, monkeypatch, capsys):
    written = []
    stale = [name for name in experiments() if "o" in name]
    monkeypatch.setattr(Experiment, "fault", lambda one: "x" * (one.name in stale))
    monkeypatch.setattr(
        Experiment, "write", lambda one, again: written.append((one.name, again))
    )
    main([])
    told = capsys.readouterr().out.splitlines()
    assert [line[:-3] for line in told if line.endswith(": x")] == stale
    assert not written
    main(["--write", "copying", "binding"])  # the second has no fault
    assert written == [("binding", True), ("copying", True)]
    main(["--write"])
    assert written[2:] == [(name, False) for name in stale]


#: A short run of each experiment that trains, by the name of its file.
SHORT = {
    "binding": {"seed": 3, "steps": 2},
    "coin_flips": {"seed": 3, "steps": 2},
    "copying": {"variant": "RNN, with positions", "distance": 16, "steps": 2},
    "digits": {"reader": "MLP", "augmentation": "nothing", "steps": 1, "seed": 1},
    "drawing": {"variant": "shuffled captions", "steps": 1, "seed": 3},
    "encoder_layers": {"seed": 3},
    "free_running": {"seed": 3},
    "hidden_words": {"seed": 3, "steps": 2},
    "learning": {"variant": "no decay", "training": "half", "seed": 3},
    "matching": {"variant": "two shapes", "steps": 1, "seed": 3},
    "one_stack": {"seed": 3, "steps": 2},
    "shifting": {"variant": "shift alone", "seed": 3},
    "text_to_text": {"seed": 3, "steps": 2},
    "thousand_definitions": {"method": "neither", "count": 100, "seed": 3},
    "two_texts": {"seed": 3, "steps": 2},
    "word_order": {"task": "who comes first", "variant": "learned", "seed": 3},
}


@pytest.fixture
def few(monkeypatch):
    """Let experiments ask little, and stop soon."""
    monkeypatch.setattr(drawing, "held_out_scenes", lambda _: held_out_scenes()[:3])
    ablations = partial(encoder_layers.ablations, count=1)
    monkeypatch.setattr(encoder_layers, "ablations", ablations)
    monkeypatch.setattr(encoder_layers, "STAGES", (0, 1))
    monkeypatch.setattr(free_running, "STAGES", (1, 2))
    monkeypatch.setattr(free_running, "RECIPE", free_running.RECIPE.shortened(2))
    monkeypatch.setitem(learning.LENGTHS, "half", 100)
    monkeypatch.setattr(thousand_definitions, "STEPS", {100: 16})
    three = thousand_definitions.validation_definitions()[:3]
    monkeypatch.setattr(thousand_definitions, "validation_definitions", lambda: three)
    monkeypatch.setattr(shifting, "STAGES", (1, 2))
    monkeypatch.setattr(text_to_text, "ASKED", 3)
    monkeypatch.setattr(two_texts, "pairs", lambda: [two_texts.STARTS[:2]] * 2)
    monkeypatch.setattr(word_order, "STAGES", (1, 2))


@pytest.mark.parametrize("name", SHORT)
def test_a_run_measures_what_the_kept_rows_hold(few, name):
    one = experiments()[name]
    came = one.measure(**SHORT[name])
    rows = [came] if isinstance(came, Mapping) else [*came]
    alike = {k: x for k, x in SHORT[name].items() if k not in ("seed", "steps")}
    kept = json.loads(one.path.read_text())["rows"]
    kept = [row for row in kept if alike.items() <= row.items()]
    known = {json.dumps(form(row)) for row in kept}
    if name in ("free_running", "shifting"):  # both stages that `few` asks for
        assert {row["steps"] for row in rows} >= {1, 2}
    for row in rows:
        assert json.dumps(form({**SHORT[name], "seed": 0, **row})) in known


def form(x):
    """What remains of a row without its numbers."""
    if isinstance(x, Mapping):
        return {key: form(x[key]) for key in sorted(x)}
    return [form(y) for y in x] if isinstance(x, list | tuple) else ""

"""Results: a stopped run loses none and damages none, and none is measured twice."""

import io
import json
import math
import multiprocessing
import random
import sys
import time
from dataclasses import replace
from itertools import count

import pytest
import torch

from course.experiments.results import read_results, write_results
from transformer_lib.checkpoints import Provenance, read_weights, write_weights

MADE = Provenance(recipe={"rate": 0.1}, steps=10)
SEEDS = [{"seed": seed} for seed in range(4)]


class Counted:
    """Measures, keeps what it was asked, and is stopped by Ctrl-C at one seed."""

    def __init__(self, stop=None):
        self.asked = []
        self.stop = stop

    def __call__(self, seed):
        if seed == self.stop:
            raise KeyboardInterrupt
        self.asked.append(seed)
        return {"loss": (seed + 1) / 3}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "results.json"


def test_results_are_read_as_they_were_written_rounded_a_line_each(path, capsys):
    rows = write_results(path, MADE, SEEDS[:2], Counted())
    assert rows == [{"seed": 0, "loss": 0.3333}, {"seed": 1, "loss": 0.6667}]
    assert read_results(path, expected=MADE) == rows
    assert capsys.readouterr().out.splitlines() == [str(row) for row in rows]
    assert len(path.read_text("utf-8").splitlines()) == 2 + len(rows) + 1
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_stopped_run_leaves_the_old_file_and_goes_on_where_it_was(path):
    old = write_results(path, replace(MADE, steps=5), SEEDS, Counted())
    with pytest.raises(KeyboardInterrupt):
        write_results(path, MADE, SEEDS, Counted(stop=2))
    assert read_results(path) == old
    rest = Counted()
    rows = write_results(path, MADE, SEEDS, rest)
    assert rest.asked == [2, 3]
    assert read_results(path, MADE) == rows
    assert [row["seed"] for row in rows] == [0, 1, 2, 3]


def test_only_new_keys_are_measured_and_none_of_another_recipe_is_kept(path):
    write_results(path, MADE, SEEDS[1:3], Counted())
    more, other = Counted(), Counted()
    write_results(path, MADE, SEEDS, more)
    write_results(path, replace(MADE, recipe={"rate": 0.2}), SEEDS, other)
    assert more.asked == [0, 3]
    assert other.asked == [0, 1, 2, 3]


def test_what_is_made_again_is_measured_again_and_a_stopped_run_goes_on(path):
    old = write_results(path, MADE, SEEDS, Counted())
    with pytest.raises(KeyboardInterrupt):
        write_results(path, MADE, SEEDS, Counted(stop=2), again=True)
    assert read_results(path, MADE) == old
    rest = Counted()
    assert write_results(path, MADE, SEEDS, rest, again=True) == old
    assert rest.asked == [2, 3]


def test_progress_that_is_older_than_the_file_does_not_hide_its_rows(path):
    with pytest.raises(KeyboardInterrupt):
        write_results(path, MADE, SEEDS, Counted(stop=1))
    partial = path.with_name("results.json.partial")
    progress = partial.read_bytes()
    rows = write_results(path, MADE, SEEDS, Counted())
    partial.write_bytes(progress)
    again = Counted()
    assert write_results(path, MADE, SEEDS, again) == rows
    assert again.asked == []


def test_one_key_may_give_several_rows(path):
    def stages(seed):
        return [{"after": n, "loss": seed / n} for n in (1, 2)]

    rows = write_results(path, MADE, SEEDS[:2], stages)
    assert [(row["seed"], row["after"]) for row in rows] == [
        (0, 1),
        (0, 2),
        (1, 1),
        (1, 2),
    ]
    assert write_results(path, MADE, SEEDS[:2], Counted(stop=0)) == rows


@pytest.mark.parametrize("loss", [math.nan, math.inf])
def test_what_is_not_finite_is_refused_by_name_and_none_is_null(loss, path):
    with pytest.raises(ValueError, match=r"^by kind loss must be finite, got "):
        write_results(path, MADE, SEEDS, lambda seed: {"by kind": {"loss": loss}})
    write_results(path, MADE, SEEDS[:1], lambda seed: {"loss": None})
    assert json.loads(path.read_text("utf-8"))["rows"] == [{"seed": 0, "loss": None}]


def test_results_that_were_made_otherwise_are_refused_by_name(path):
    write_results(path, MADE, SEEDS, Counted())
    with pytest.raises(ValueError, match=r"^recipe\.rate must be 0\.2, got 0\.1 in "):
        read_results(path, replace(MADE, recipe={"rate": 0.2}))
    path.write_text('{"rows": [{"seed": 0}]}', "utf-8")  # which says nothing of that
    assert read_results(path) == [{"seed": 0}]
    with pytest.raises(ValueError, match=r"^recipe\.rate must be 0\.1, got nothing"):
        read_results(path, MADE)


@pytest.mark.parametrize(
    "text", ["", "{", "3", '[{"seed": 0}]', '{"seed": 0}', '{"rows": 3}']
)
def test_what_holds_no_results_is_named(text, path):
    path.parent.mkdir()
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError, match=r"results\.json, which cannot be read"):
        read_results(path)


def write_for_ever(results, weights):
    """Write both files again and again, each time with other contents."""
    sys.stdout = io.StringIO()
    for n in count():
        made = Provenance(recipe={"n": n})
        many = {"n": n, "many": [0.5] * 2000}
        write_results(results, made, SEEDS, lambda seed, many=many: many)
        write_weights({"x": torch.full((200_000,), float(n))}, weights, {"n": n}, made)


def test_whoever_is_killed_while_writing_leaves_whole_files(tmp_path):
    """Killed at ten random moments: each file is the old one or the new one."""
    results, weights = tmp_path / "r.json", tmp_path / "w.safetensors"
    write_for = multiprocessing.get_context("forkserver")
    write_for.set_forkserver_preload(["transformer_lib.checkpoints"])  # torch, once
    draw = random.Random(0)
    for _ in range(10):
        before = weights.read_bytes() if weights.exists() else b""
        writer = write_for.Process(target=write_for_ever, args=(results, weights))
        writer.start()
        while not weights.exists() or weights.read_bytes() == before:
            assert writer.is_alive()
            time.sleep(0.01)
        time.sleep(draw.uniform(0, 0.2))
        writer.kill()
        writer.join()
        rows = read_results(results)
        assert [row["seed"] for row in rows] == [0, 1, 2, 3]
        assert len({row["n"] for row in rows}) == 1
        tensors, made, found = read_weights(weights)
        assert (tensors["x"] == made["n"]).all()
        assert found.recipe == {"n": made["n"]}

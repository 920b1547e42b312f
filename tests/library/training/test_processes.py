"""Several processes train one model as one process does with the same batches."""

import os
import pathlib
import runpy
import subprocess
import sys
from typing import NamedTuple

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from transformer_lib.training import fit_steps, processes

HERE = pathlib.Path(__file__).parent
SCRIPT = HERE / "two_processes.py"
TORCHRUN = ["-m", "torch.distributed.run", "--standalone"]


def by_two_processes(path):
    """What `two_processes.train` gives under torchrun, on the CPU over gloo."""
    paths = [str(HERE.parents[1]), str(HERE.parent), os.environ.get("PYTHONPATH", "")]
    told = {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
    run = subprocess.run(
        [sys.executable, *TORCHRUN, "--nproc-per-node=2", SCRIPT, path],
        env=os.environ | told | {"CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert run.returncode == 0, run.stderr
    return [[*map(float, line.split())] for line in run.stdout.splitlines()]


def test_two_processes_learn_what_one_learns_with_the_same_batches(tmp_path):
    alone = runpy.run_path(str(SCRIPT))["train"](tmp_path / "one")
    both, dropped = by_two_processes(tmp_path / "two")
    assert len(set(alone)) == 6
    assert both == pytest.approx(alone, rel=1e-12)
    assert dropped[4:6] == dropped[6:]  # each process goes on with its own dropout
    kept, other = load_file(tmp_path / "one"), load_file(tmp_path / "two")
    assert kept.keys() == other.keys()
    assert len(kept.pop("chance")) == 1
    assert len(other.pop("chance")) == 2
    for name in kept:
        assert torch.allclose(kept[name].double(), other[name].double(), rtol=1e-8)


class Pair(NamedTuple):
    source: torch.Tensor
    target: torch.Tensor


def test_every_tensor_of_a_batch_goes_to_where_the_model_is():
    x = torch.ones(4, 2)
    batch = {"pair": Pair(x, x), "more": [x, (x, "a name", 3)]}
    moved = processes.share(batch, torch.device("meta"))
    assert isinstance(moved["pair"], Pair)
    assert moved["pair"].target.is_meta
    assert moved["more"][0].is_meta
    assert moved["more"][1][0].is_meta
    assert moved["more"][1][1:] == ("a name", 3)


def test_alone_a_model_is_not_wrapped_and_a_batch_is_whole():
    with processes.joined():
        model = nn.Linear(1, 1)
        assert processes.across(model) is model
        assert processes.place() == torch.device("cpu")
        assert processes.is_first()
        seen = []

        def loss(x):
            seen.append(len(x))
            return model(x).sum()

        next(fit_steps(model, lambda g: torch.rand(3, 1, generator=g), loss, 1))
    assert seen == [3]


def test_a_batch_that_two_cannot_share_is_named(monkeypatch):
    monkeypatch.setattr(processes.dist, "get_world_size", lambda: 2)
    monkeypatch.setattr(processes.dist, "get_rank", lambda: 1)
    told = processes._together.set(True)
    try:
        cpu = torch.device("cpu")
        own = processes.share((torch.arange(4), torch.arange(4)), cpu)
        assert [x.tolist() for x in own] == [[1, 3], [1, 3]]
        for odd in (torch.arange(3), torch.ones(())):
            with pytest.raises(ValueError, match=r"^batch must hold as many rows "):
                processes.share(odd, cpu)
    finally:
        processes._together.reset(told)

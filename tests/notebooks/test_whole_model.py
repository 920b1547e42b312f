"""Notebook 11's own model: its cells run alone, equal ours, and learn."""

import ast
import functools
import pathlib
import subprocess
import sys

import nbformat
import pytest
import torch
from torch import nn

from course import exercises
from course.experiments.torch_twin import compare
from transformer_lib import Transformer, TransformerConfig

PATH = pathlib.Path(__file__).parents[2] / "notebooks/11_full_transformer.ipynb"
PARTS = ("parts-1", "parts-2", "parts-3")
FORWARD = exercises.EXERCISES["transformer_forward"].solution


@functools.cache
def cell(tag):
    """The one cell of the notebook that has this tag."""
    cells = nbformat.read(PATH, as_version=4).cells
    [source] = [c.source for c in cells if tag in c.metadata.get("tags", [])]
    return source


def model_source():
    """The parts, a right forward pass, and the class around them."""
    forward = f"import numpy as np\n\n{FORWARD}\n\nforward_pass = transformer_forward"
    return "\n\n".join([*map(cell, PARTS), forward, cell("whole-model")])


@functools.cache
def defined():
    """What these cells define, where nothing else is."""
    names = {}
    exec(model_source(), names)
    return names


def both(V=11, D=32, H=4, N=2, d_ff=64):
    """The notebook's model and ours with the same numbers, none of them as at first."""
    torch.manual_seed(0)
    mine = defined()["MyTransformer"](V, D, H, N, d_ff).double()
    sizes = {"d_model": D, "n_heads": H, "d_ff": d_ff, "dropout": 0.0}
    layers = {"n_encoder_layers": N, "n_decoder_layers": N}
    config = TransformerConfig(vocabulary_size=V, **sizes, **layers)
    ours = Transformer(config).double()
    with torch.no_grad():
        for own, other in zip(mine.parameters(), ours.parameters(), strict=True):
            own.add_(0.1 * torch.randn_like(own))
            other.copy_(own)
    return mine, ours


def same(mine, ours, *arguments):
    """Whether two models give the same logits and gradients, which are not all 0."""
    outs = [model(*arguments) for model in (mine, ours)]
    assert torch.allclose(*outs, atol=1e-6)
    slopes = [
        torch.autograd.grad(out.square().sum(), model.parameters())
        for out, model in zip(outs, (mine, ours), strict=True)
    ]
    assert max(float(slope.abs().max()) for slope in slopes[0]) > 1
    for one, other in zip(*slopes, strict=True):
        assert torch.allclose(one, other, atol=1e-6)


def test_it_is_plain_and_needs_torch_alone():
    for source in map(cell, (*PARTS, "whole-model")):
        assert max(map(len, source.splitlines())) <= 96
        assert ";" not in source
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                assert {alias.name for alias in node.names} <= {"math", "torch"}
            if isinstance(node, ast.ImportFrom):
                assert node.module == "torch"


@pytest.mark.parametrize("sizes", [{}, {"H": 1, "N": 1}, {"D": 6, "H": 3, "d_ff": 5}])
@pytest.mark.parametrize(("B", "S", "T"), [(1, 1, 1), (2, 7, 4), (3, 2, 6)])
def test_it_gives_what_the_library_gives(sizes, B, S, T):
    same(*both(**sizes), torch.randint(11, (B, S)), torch.randint(11, (B, T)))


def test_a_mask_hides_padding_as_the_librarys_does():
    mask = torch.tensor([[True, True, False], [True, True, True]])[:, None, None]
    ids = torch.randint(11, (2, 3)), torch.randint(11, (2, 4))
    same(*both(), *ids, mask)


def test_it_gives_what_torchs_own_transformer_gives():
    theirs = nn.Transformer(32, 4, 2, 2, 64, 0.0, batch_first=True)
    theirs.encoder.norm = theirs.decoder.norm = None
    assert compare(both()[0], theirs) == "logits (3, 5, 11) and 85 gradients equal"


def test_a_padding_mask_that_is_left_out_is_noticed():
    """What the notebook asks the reader to break."""
    names = dict(defined())
    left_out = cell("whole-model").replace(
        "as_tensor(causal), mask)", "as_tensor(causal), torch.tensor(True))"
    )
    assert left_out != cell("whole-model")
    exec(left_out, names)
    theirs = nn.Transformer(32, 4, 2, 2, 64, 0.0, batch_first=True)
    theirs.encoder.norm = theirs.decoder.norm = None
    broken = names["MyTransformer"](11, 32, 4, 2, 64)
    assert "differ by up to" in compare(broken, theirs)


def test_its_defaults_are_the_base_model():
    with torch.device("meta"):
        mine = defined()["MyTransformer"](37_000)
        ours = Transformer(TransformerConfig())
    shapes = [[w.shape for w in model.parameters()] for model in (mine, ours)]
    assert shapes[0] == shapes[1]


def test_copied_into_a_fresh_process_it_learns_to_copy():
    source = "\n\n".join([model_source(), cell("training"), cell("writing")])
    ends = """
import sys
ours = {"course", "explorable", "transformer_lib"}
assert not ours & {name.split(".")[0] for name in sys.modules}
assert exact > 0.95, exact
assert not {*map(tuple, new.tolist())} & seen and len(new) > 350
"""
    done = subprocess.run(
        [sys.executable, "-c", source + ends],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "copied without a mistake" in done.stdout

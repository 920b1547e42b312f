"""Each package works without what it does not need: by its wheel, in another folder."""

import subprocess
import sys
import zipfile
from importlib.metadata import distribution, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
NEEDS = {"numpy", "safetensors", "torch"}
JUPYTER = ("anywidget", "ipy", "jupyter", "matplotlib", "nbconvert", "notebook", "tqdm")

LIBRARY = """
import torch
import torch.nn.functional as F
from transformer_lib import Decoding, Transformer, TransformerConfig, greedy
from transformer_lib import load_checkpoint, save_checkpoint
from transformer_lib.training import fit_steps

small = dict(d_model=16, n_heads=2, d_ff=32, n_encoder_layers=1, n_decoder_layers=1)
model = Transformer(TransformerConfig(vocabulary_size=9, max_length=8, **small))
source = torch.randint(9, (4, 5))
assert model(source, source).shape == (4, 5, 9)
loss = lambda ids: F.cross_entropy(model(ids, ids).flatten(0, 1), ids.flatten())
[first, second] = fit_steps(model, lambda draw: source, loss, 2, lr=lambda n: 1e-2)
assert second < first
model.eval()
ids = greedy(model, source, Decoding(max_length=8, start_id=1, end_id=2)).ids
save_checkpoint(model, "model.safetensors")
again = load_checkpoint("model.safetensors")[0]
assert torch.equal(model(source, source), again(source, source))
"""
TOOLKIT = """
import numpy as np
from explorable import Axis, Explorer, Sheet
from explorable.controls import slider

def sheet(scores, *, temperature):
    s = Sheet()
    token = Axis("token", ["AI", "is", "powerful"])
    given = s.leaf("scores", token, token, scores)
    scaled = s.elementwise("scaled", given, ("÷", temperature, "temperature"))
    s.show(given)
    s.show(s.softmax("weights", scaled))
    return s

controls = {"temperature": slider("temperature", 1.0, 0.1, 5.0, 0.1)}
lab = Explorer("lab", sheet, controls, {"scores": np.eye(3)})
np.testing.assert_allclose(lab.values["weights"].sum(axis=1), 1)
lab.controls["temperature"].value = 0.5
np.testing.assert_allclose(lab.values["scaled"], 2 * np.eye(3))
assert lab.picture().axes is not None and "powerful" in lab.text()
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The folder of an installed wheel: the three packages, and nothing else."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [file] = folder.glob("*.whl")
    with zipfile.ZipFile(file) as packed:
        packed.extractall(folder / "installed")
    return folder / "installed"


def needed(*names):
    """Name the packages that these need, and what those need, without extras."""
    found, left = set(), [canonicalize_name(name) for name in names]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            asked = map(Requirement, requires(name) or [])
            fits = [
                n for n in asked if not n.marker or n.marker.evaluate({"extra": ""})
            ]
            left += [canonicalize_name(need.name) for need in fits]
    return found


def run(script, folder, wheel, package, kept):
    """Run a script where one package of ours and some others are installed alone."""
    installed = folder / "installed"
    installed.mkdir()
    (installed / package).symlink_to(wheel / package)
    for name in kept:
        one = distribution(name)
        for top in {file.parts[0] for file in one.files if file.parts[0] != ".."}:
            if not (installed / top).exists() and one.locate_file(top).exists():
                (installed / top).symlink_to(one.locate_file(top))
    start = f"import sys; sys.path.append({str(installed)!r})\n"
    command = [sys.executable, "-I", "-S", "-c", start + script]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_the_library_asks_for_three_packages_and_none_of_jupyter():
    asked = map(Requirement, requires("transformer_lib"))
    plain = {n.name for n in asked if not n.marker or n.marker.evaluate({"extra": ""})}
    assert plain == NEEDS
    assert not [name for name in needed(*NEEDS) if name.startswith(JUPYTER)]


def test_the_library_trains_generates_and_saves_by_itself(wheel, tmp_path):
    run(LIBRARY, tmp_path, wheel, "transformer_lib", needed(*NEEDS))


def test_the_toolkit_builds_an_explorer_without_torch_or_the_library(wheel, tmp_path):
    kept = needed("anywidget", "ipywidgets", "matplotlib", "numpy", "pillow", "tqdm")
    run(TOOLKIT, tmp_path, wheel, "explorable", kept)


def test_the_wheel_holds_what_the_packages_read(wheel):
    tracked = subprocess.run(
        ["git", "ls-files", "transformer_lib", "explorable", "course"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert [name for name in tracked if not (wheel / name).exists()] == []

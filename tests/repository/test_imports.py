"""Who may import whom, read from the source; and what importing does not do."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import transformer_lib

ROOT = Path(transformer_lib.__file__).parent
#: From the ground up: a room may import what stands behind its name, and itself.
ALLOWED = {
    "support": set(),
    "model": {"support"},
    "generation": {"model", "support"},
    "training": {"model", "support"},
    "oracles": {"model", "support"},
    "tasks": {"generation", "model", "oracles", "support", "training"},
    "miniatures": {"generation", "model", "oracles", "support", "tasks", "training"},
    "plots": set(),
}
#: The order in which the model is read: a file knows only those before it.
READING = ["config", "masks", "embedding", "attention", "layers", "transformer"]
MOST_FILES, MOST_LINES = 11, 1300  # that `DecoderOnlyTransformer` brings in
MODEL_FILES, MODEL_LINES, MODEL_CODE = 7, 800, 450
FREE = {"exercises", "explorers", "site"}

DRAWS = {"plots", "explorers", "site"}
DRAWING = {"matplotlib", "ipywidgets", "anywidget", "nbconvert"}
BORROWED = {"LayerNorm", "MultiheadAttention"}
BLANK = re.compile(r"\s*(#|$)")


def sources():
    return sorted(ROOT.rglob("*.py"))


def room(path):
    """Name the module or package of ours that a file belongs to."""
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imports(path):
    """List what a file imports, in full: `transformer_lib.model.masks`, `torch.nn`."""
    package = ["transformer_lib", *path.relative_to(ROOT).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            bare = module.split(".")[0] == "transformer_lib" and module.count(".") < 2
            yield from (f"{module}.{a.name}" for a in node.names) if bare else [module]


def ours(path):
    """The rooms of ours that a file imports from, its own left out."""
    names = [n for n in imports(path) if n.startswith("transformer_lib.")]
    return {name.split(".")[1] for name in names} - {room(path)}


def files_behind(path, known=()):
    """A file and all files of ours that it imports, on any way."""
    found = {path, *known}
    for name in imports(path):
        other = ROOT.joinpath(*name.split(".")[1:]).with_suffix(".py")
        if name.startswith("transformer_lib.") and other.exists():
            found |= files_behind(other, found) if other not in found else set()
    return found


def lines(paths):
    return sum(len(path.read_text("utf-8").splitlines()) for path in paths)


def code_lines(path):
    """Count the lines that are neither empty, nor comments, nor docstrings."""
    text = path.read_text("utf-8")
    tree, silent = ast.parse(text), set()
    bodies = [getattr(node, "body", None) for node in ast.walk(tree)]
    for first in (body[0] for body in bodies if isinstance(body, list) and body):
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            silent |= set(range(first.lineno, first.end_lineno + 1))
    rows = enumerate(text.splitlines(), start=1)
    return sum(n not in silent and not BLANK.match(row) for n, row in rows)


def test_the_model_is_read_in_one_sitting():
    files = [f for f in (ROOT / "model").glob("*.py") if f.name != "__init__.py"]
    assert {f.stem for f in files} == set(READING)
    assert len(files) <= MODEL_FILES
    assert lines(files) <= MODEL_LINES
    assert sum(map(code_lines, files)) <= MODEL_CODE


def test_a_file_of_the_model_knows_only_those_that_are_read_before_it():
    for n, name in enumerate(READING):
        known = {
            i.split(".")[2]
            for i in imports(ROOT / "model" / f"{name}.py")
            if i.startswith("transformer_lib.model.")
        }
        assert known <= set(READING[:n]), name


def test_the_decoder_only_model_needs_few_files_of_ours():
    found = files_behind(ROOT / "model" / "transformer.py")
    assert len(found) <= MOST_FILES, sorted(f.name for f in found)
    assert lines(found) <= MOST_LINES


def test_validation_and_generation_stay_small():
    assert lines([ROOT / "support" / "validation.py"]) <= 200
    assert lines((ROOT / "generation").glob("*.py")) <= 600


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_downward(path):
    own = room(path)
    if path == ROOT / "__init__.py":
        assert not ours(path) & (FREE | {"plots"})
    elif own not in FREE:
        assert own in ALLOWED, f"say in ALLOWED what {own} may import"
        assert ours(path) <= ALLOWED[own]


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_only_plots_explorers_and_site_draw(path):
    roots = {name.split(".")[0] for name in imports(path)}
    assert room(path) in DRAWS or not roots & DRAWING


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_the_layers_are_our_own(path):
    if path.stem == "torch_twins":
        return  # it names torch's classes to recognise them, and makes none
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith("nn"):
            assert node.attr not in BORROWED
            assert not node.attr.startswith("Transformer")
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            "torch.nn"
        ):
            names = {alias.name for alias in node.names}
            assert not names & BORROWED
            assert not any(name.startswith("Transformer") for name in names)


def test_importing_prints_nothing_seeds_nothing_and_draws_nothing():
    script = (
        "import sys, torch; state = torch.get_rng_state(); import transformer_lib; "
        "assert torch.equal(state, torch.get_rng_state()); "
        f"assert not {DRAWING!r} & set(sys.modules)"
    )
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, cwd=ROOT.parent, capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")

"""Who may import whom, read from the source."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import transformer_lib

ROOT = Path(transformer_lib.__file__).parent
LEARNS = {"checkpoints", "generation", "oracles", "training", "text"}
# A room may import what stands behind its name, what those may, and itself.
ALLOWED = {
    "checks": set(),
    "runtime": {"checks"},
    "model": {"runtime"},
    "text": {"model"},
    "checkpoints": {"model"},
    "generation": {"model"},
    "oracles": {"model"},
    "training": {"checkpoints"},
    "pretrained": {"checkpoints", "text"},
    "data": {"text"},
    "small_models": {"data", *LEARNS},
    "experiments": {"small_models"},
    "plots": set(),
}
FREE = {"exercises", "explorers", "site"}
READING = ["config", "embedding", "masks", "attention", "layers", "transformer"]
NOTHING = {"oracles/numpy_reference.py"}  # an oracle shares no code with what it judges
DRAWS = {"plots", "explorers", "site"}
DRAWING = {"matplotlib", "ipywidgets", "anywidget", "nbconvert"}
BORROWED = {"LayerNorm", "MultiheadAttention"}


def sources():
    return sorted(ROOT.rglob("*.py"))


def name_of(path):
    return path.relative_to(ROOT).as_posix()


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
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def files(path):
    """Find the files of ours that a file imports, packages' own not counted."""
    for name in imports(path):
        if name.startswith("transformer_lib."):
            found = ROOT.joinpath(*name.split(".")[1:]).with_suffix(".py")
            if found.exists():
                yield found


def allowed(room):
    """Name the rooms that a room may import, itself among them."""
    return {room}.union(*map(allowed, ALLOWED[room]))


# ── who imports whom ──────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_imports_stay_within_the_rooms_that_are_allowed(path):
    own, others = room(path), {room(file) for file in files(path)}
    if name_of(path) in NOTHING:
        assert not others
    elif own == "__init__":
        assert not others & {*FREE, "plots"}
    elif own not in FREE:
        assert own in ALLOWED, f"say in ALLOWED what {own} may import"
        assert others <= allowed(own)


def test_the_order_of_the_rooms_has_no_circle():
    ground, left = set(), dict(ALLOWED)
    while left:
        free = {name for name, uses in left.items() if uses <= ground}
        assert free, f"a circle among {sorted(left)}"
        ground |= free
        left = {name: uses for name, uses in left.items() if name not in free}


@pytest.mark.parametrize("name", READING)
def test_the_model_is_read_from_top_to_bottom(name):
    before = READING[: READING.index(name)]
    own = [f for f in files(ROOT / "model" / f"{name}.py") if f.parent.name == "model"]
    assert {file.stem for file in own} <= set(before)


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_only_plots_explorers_and_site_draw(path):
    roots = {name.split(".")[0] for name in imports(path)}
    assert room(path) in DRAWS or not roots & DRAWING


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_the_layers_are_our_own(path):
    if name_of(path) == "oracles/torch_twins.py":
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

"""Who may import whom, read from the source; and what importing does not do."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import transformer_lib

ROOT = Path(transformer_lib.__file__).parent
CACHES = {"cache", "cache_checks"}
LEAVES = CACHES | {"activations", "checks", "config", "dropout", "fused", "shapes"}
LEAVES |= {"tree", "watching"}
ATTENTION = LEAVES | {"attention", "masks", "embedding", "vocabulary"}
MODELS = ATTENTION | {"layers", "stacks", "models"}
USES = MODELS | {"training", "generation", "recording", "interop"}
# From the ground up. A room may import what stands behind its name and nothing else.
ALLOWED = {
    "cache": {"checks", "shapes"},
    "cache_checks": {"cache", "checks", "shapes"},
    "checks": set(),
    "shapes": set(),
    "tree": set(),
    "watching": set(),
    "activations": set(),
    "dropout": set(),
    "fused": set(),
    "masks": {"checks", "shapes"},
    "vocabulary": set(),
    "embedding": {"checks", "shapes"},
    "config": {"activations", "checks", "embedding"},
    "attention": CACHES | {"checks", "dropout", "fused", "shapes", "watching"},
    "layers": LEAVES | {"attention"},
    "stacks": LEAVES | {"layers"},
    "models": ATTENTION | {"layers", "stacks"},
    "recording": MODELS,
    "training": MODELS,
    "decoding": {"checks"},
    "prompts": {"checks", "config", "decoding", "shapes"},
    "stepping": MODELS,
    "reading": MODELS | {"decoding", "prompts", "stepping"},
    "beams": {"decoding", "reading"},
    "generation": {"beams", "checks", "decoding", "prompts", "reading"},
    "interop": MODELS,
    "tasks": USES | {"tasks"},
    "miniatures": USES | {"tasks", "miniatures"},
    "reference": set(),
    "plots": set(),
}
FREE = {"explorers", "site"}
DRAWS = {"plots", *FREE}
DRAWING = {"matplotlib", "ipywidgets", "anywidget", "nbconvert"}
BORROWED = {"LayerNorm", "MultiheadAttention"}


def sources():
    return sorted(ROOT.rglob("*.py"))


def room(path):
    """Name the module or package of ours that a file belongs to."""
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imports(path):
    """List what a file imports, in full: `transformer_lib.masks`, `torch.nn`."""
    package = ["transformer_lib", *path.relative_to(ROOT).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            bare = module == "transformer_lib"
            yield from (f"{module}.{a.name}" for a in node.names) if bare else [module]


def ours(path):
    found = {
        name.split(".")[1]
        for name in imports(path)
        if name.startswith("transformer_lib.")
    }
    return found - {room(path)}


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_downward(path):
    own = room(path)
    if own == "__init__":
        assert not ours(path) & (FREE | {"plots"})
    elif own not in FREE:
        assert own in ALLOWED, f"say in ALLOWED what {own} may import"
        assert ours(path) <= ALLOWED[own]


def test_the_order_has_no_circle():
    ground = set()
    left = {name: uses - {name} for name, uses in ALLOWED.items()}
    while left:
        free = {name for name, uses in left.items() if uses <= ground}
        assert free, f"a circle among {sorted(left)}"
        ground |= free
        left = {name: uses for name, uses in left.items() if name not in free}


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_only_plots_explorers_and_site_draw(path):
    roots = {name.split(".")[0] for name in imports(path)}
    assert room(path) in DRAWS or not roots & DRAWING


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_the_layers_are_our_own(path):
    if room(path) == "interop":
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

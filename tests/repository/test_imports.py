"""Who may import whom, read from the source: three packages, and rooms inside them."""

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("transformer_lib", "explorable", "course")
# A room may import the rooms named here, and itself.
ALLOWED = {
    "transformer_lib.checks": set(),
    "transformer_lib.runtime": {"checks"},
    "transformer_lib.model": {"checks", "runtime"},
    "transformer_lib.text": {"checks", "model"},
    "transformer_lib.checkpoints": {"checks", "model", "runtime"},
    "transformer_lib.generation": {"checks", "model", "runtime"},
    "transformer_lib.oracles": {"checks", "model", "runtime"},
    "transformer_lib.training": {"checkpoints", "checks", "model", "runtime"},
    "transformer_lib.pretrained": {"checkpoints", "checks", "model", "runtime", "text"},
    "course.trained": set(),
    "course.progress": set(),
    "course.environment": set(),
    "course.data": {"trained"},
    "course.models": {"data", "progress", "trained"},
    "course.bugs": {"exercises"},
    "course.experiments": {"bugs", "data", "models", "progress", "trained"},
    "course.exercises": set(),
    "course.explorers": {
        *("bugs", "data", "exercises", "experiments", "models", "trained"),
    },
}
OURS = {
    "transformer_lib": {"transformer_lib"},
    "explorable": {"explorable"},
    "course": {"course", "explorable", "transformer_lib"},
}
READING = [
    "config",
    "embedding",
    "masks",
    "norms",
    "attention",
    "layers",
    "transformer",
]
DRAWING = {"matplotlib", "ipywidgets", "anywidget", "nbconvert"}
DRAWS = ("explorable.", "course.explorers.")
BORROWED = {"LayerNorm", "MultiheadAttention"}


def module_of(path):
    """Name a file as Python imports it; a package's own file is the package."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(
        ".__init__"
    )


FILES = {
    module_of(path): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}
TREES = {name: ast.parse(path.read_text("utf-8")) for name, path in FILES.items()}


def imports(module):
    """List what a module imports, in full: `transformer_lib.model.masks`, `numpy`."""
    is_package = FILES[module].name == "__init__.py"
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            yield source
            yield from (f"{source}.{alias.name}" for alias in node.names)


def uses(module):
    """Name the modules of ours that a module imports, packages' own among them.

    Python also runs every package above a module; what a package passes on is said by
    its own imports. A package that is named only as the way to its modules adds none.
    """
    named = {name for name in imports(module) if name in FILES}
    ways = {n for n in named if any(o.startswith(f"{n}.") for o in named)}
    return named - {module} - {way for way in ways if not passes_on(module, way)}


def passes_on(module, package):
    """Whether a module imports a name from a package that is no module of its own."""
    return any(
        name.startswith(f"{package}.")
        and name not in FILES
        and name.rpartition(".")[0] == package
        for name in imports(module)
    )


def room(module):
    """Name the room that a module belongs to: its package and one level below."""
    return ".".join(module.split(".")[:2])


def test_the_three_packages_import_only_what_stands_below_them():
    crossing = {
        (module, name)
        for module in FILES
        for name in imports(module)
        if name.split(".")[0] in PACKAGES
        and name.split(".")[0] not in OURS[module.split(".")[0]]
    }
    assert crossing == set()


def test_the_toolkit_knows_neither_torch_nor_the_library():
    roots = {name.split(".")[0] for m in FILES for name in imports(m) if m[:2] == "ex"}
    assert not roots & {"torch", "transformer_lib", "course"}


def test_rooms_import_only_the_rooms_that_are_allowed():
    upward = set()
    for module in FILES:
        own = room(module)
        if own in ALLOWED:
            package = own.split(".")[0]
            free = {own, *(f"{package}.{name}" for name in ALLOWED[own])}
            others = {room(n) for n in uses(module) if n.startswith(f"{package}.")}
            upward |= {(module, other) for other in others - free}
        elif module != "transformer_lib" and not module.startswith("explorable"):
            assert module == "course", f"say in ALLOWED what {own} may import"
    assert upward == set()


def test_no_module_imports_itself_by_way_of_others():
    order = TopologicalSorter({module: uses(module) for module in FILES})
    try:
        order.prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


@pytest.mark.parametrize("name", READING)
def test_the_model_is_read_from_top_to_bottom(name):
    before = {f"transformer_lib.model.{n}" for n in READING[: READING.index(name)]}
    own = {n for n in uses(f"transformer_lib.model.{name}") if ".model." in n}
    assert own <= before


def test_an_oracle_shares_no_code_with_what_it_judges():
    assert uses("transformer_lib.oracles.numpy_reference") == set()


def test_only_the_toolkit_and_the_explorers_draw():
    drawing = {
        module
        for module in FILES
        for name in imports(module)
        if name.split(".")[0] in DRAWING and not f"{module}.".startswith(DRAWS)
    }
    assert drawing == set()


def test_the_layers_are_our_own():
    borrowed = set()
    for module, tree in TREES.items():
        if module == "transformer_lib.oracles.torch_twins":
            continue  # it names torch's classes to recognise them, and makes none
        for node in ast.walk(tree):
            named = []
            if isinstance(node, ast.Attribute):
                named = [node.attr] if ast.unparse(node.value).endswith("nn") else []
            if isinstance(node, ast.ImportFrom):
                from_torch = (node.module or "").startswith("torch.nn")
                named = [alias.name for alias in node.names] if from_torch else []
            theirs = [n for n in named if n in BORROWED or n.startswith("Transformer")]
            borrowed |= {(module, name) for name in theirs}
    assert borrowed == set()


def test_importing_prints_nothing_seeds_nothing_and_draws_nothing():
    script = (
        "import sys, torch; state = torch.get_rng_state(); import transformer_lib; "
        "assert torch.equal(state, torch.get_rng_state()); "
        f"assert not {DRAWING!r} & set(sys.modules)"
    )
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")

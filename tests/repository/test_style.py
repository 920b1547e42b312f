"""The library's form: short functions, short files, few parameters."""

import ast
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SOURCES = sorted((ROOT / "transformer_lib").rglob("*.py"))
SCRIPTS = sorted((ROOT / "transformer_lib").rglob("*.js"))
PICTURES = ("show", "draw", "Bars", "Curves", "Plane", "Links", "Tiles")
MOST_LINES, MOST_IN_A_FUNCTION, MOST_POSITIONAL = 250, 20, 6


def name_of(path):
    return str(path.relative_to(ROOT))


def body_lines(function):
    """How many lines a function has below its docstring."""
    body = function.body
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        body = body[1:]
    lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
    return lines - sum(map(declared_lines, body))


def declared_lines(statement):
    """How many lines say what a picture shows: that is data, and may be long."""
    call = getattr(statement, "value", None)
    if not isinstance(call, ast.Call):
        return 0
    name = ast.unparse(call.func).rpartition(".")[2]
    return statement.end_lineno - statement.lineno + 1 if name in PICTURES else 0


def functions_in(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]


@pytest.mark.parametrize("path", [*SOURCES, *SCRIPTS], ids=name_of)
def test_a_file_has_at_most_250_lines(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_function_has_at_most_20_lines_below_its_docstring(path):
    lengths = {f.name: body_lines(f) for f in functions_in(path)}
    assert {n: k for n, k in lengths.items() if k > MOST_IN_A_FUNCTION} == {}


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_function_has_at_most_6_parameters_that_go_by_place(path):
    given = {f.name: [a.arg for a in f.args.args] for f in functions_in(path)}
    many = {name: len({*args} - {"self", "cls"}) for name, args in given.items()}
    assert {n: k for n, k in many.items() if k > MOST_POSITIONAL} == {}

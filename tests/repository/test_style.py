"""The library's form: few parameters that go by place."""

import ast
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SOURCES = sorted((ROOT / "transformer_lib").rglob("*.py"))
MOST_POSITIONAL = 6


def name_of(path):
    return str(path.relative_to(ROOT))


def functions_in(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_function_has_at_most_6_parameters_that_go_by_place(path):
    given = {f.name: [a.arg for a in f.args.args] for f in functions_in(path)}
    many = {name: len({*args} - {"self", "cls"}) for name, args in given.items()}
    assert {n: k for n, k in many.items() if k > MOST_POSITIONAL} == {}

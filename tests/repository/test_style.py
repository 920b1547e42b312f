"""The library's form: few parameters that go by place."""

import ast
import pathlib

ROOT = pathlib.Path(__file__).parents[2]
PACKAGES = ("transformer_lib", "explorable", "course")
SOURCES = [path for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py"))]
MOST_POSITIONAL = 6


def name_of(path):
    return str(path.relative_to(ROOT))


def functions_in(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]


def test_a_function_has_at_most_6_positional_parameters():
    many = {
        (name_of(path), function.name)
        for path in SOURCES
        for function in functions_in(path)
        if len({a.arg for a in function.args.args} - {"self", "cls"}) > MOST_POSITIONAL
    }
    assert many == set()

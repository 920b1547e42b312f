"""Names in the code are the field's: words that were given up do not come back."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = [
    path
    for package in ("transformer_lib", "explorable", "course", "tests")
    for path in sorted((ROOT / package).rglob("*.py"))
]

#: Words or phrases of names, in snake case, and what the field says instead.
GIVEN_UP = {
    "floors": "baselines",
    "kept_back": "held_out",
    "rise_and_fall": "linear_warmup_decay",
    "paper_rate": "noam_schedule",
    "check_look": "check_attention_mask",
    "likeliest": "most_likely",
    "deed": "action",
    "learnt": "learned",
    "untaught": "unsupervised",
    "retell": "resend",
    "walking": "player",
    "colour": "color",
    "colours": "colors",
    "tokenise": "tokenize",
    "tokeniser": "tokenizer",
    "tokenisers": "tokenizers",
    "normalise": "normalize",
    "labelled": "labeled",
}


def names(path):
    """List all names that a file defines, and its own, in snake case."""
    found = {path.stem}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
    return {re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower() for name in found}


@pytest.fixture(scope="module")
def defined():
    """All names, by the file that defines them."""
    return {path: names(path) for path in FILES}


@pytest.mark.parametrize("old", GIVEN_UP)
def test_no_name_brings_back_a_word_that_was_given_up(old, defined):
    again = re.compile(rf"(?:^|_){old}(?:_|$)")
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, found_there in defined.items()
        for name in sorted(found_there)
        if again.search(name)
    ]
    assert not found, f"say {GIVEN_UP[old]!r} instead of {old!r} in {found}"

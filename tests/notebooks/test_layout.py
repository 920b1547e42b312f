"""Where things stand in a notebook, and what they look like before any style sheet.

The style sheet that `make lab` adds is looked at in tests/lab/test_page.py.
"""

import pathlib
import re
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

PATHS = sorted((pathlib.Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
TASK = re.compile(r"\*\*(Predict|Try it|Write it|Push|Push it|Watch it|Exercise)\b")
CALLOUT = re.compile(r"> \*\*(Predict|Try it|Write it)\.\*\* \S")
WARNING = re.compile(r"(?<!> \*\*\*)Careful\.\*\*|> \*\*\*Careful\.(?!\*\*\* )")
LISTS = ("## Deeper", "## Reference")
VERBATIM = re.compile(
    r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$]*\$|!\[[^\]]*\]|\]\([^)]*\)|<[^>]*>", re.S
)
RAW = re.compile(r"√\w|\b[dW]_\w|\bW\^\w")

Cell = dict[str, Any]
Faults = Iterator[str]


def is_text(cell: Cell) -> bool:
    return bool(cell["cell_type"] == "markdown")


def is_folded(cell: Cell) -> bool:
    return "jp-MarkdownHeadingCollapsed" in cell["metadata"]


def tagged(cell: Cell, tag: str) -> bool:
    return tag in cell["metadata"].get("tags", [])


def is_open(cell: Cell) -> bool:
    hidden = cell["metadata"].get("jupyter", {}).get("source_hidden")
    return cell["cell_type"] == "code" and not hidden


def tasks_are_callouts(cells: list[Cell]) -> Faults:
    for number, cell in enumerate(cells):
        for line in cell["source"].splitlines() if is_text(cell) else ():
            if TASK.search(line) and not CALLOUT.match(line):
                yield f"cell {number} has a task that is no callout: {line[:50]}"
            if WARNING.search(line):
                yield f"cell {number} has a warning that is no callout: {line[:50]}"


def an_exercise_follows_its_callout(cells: list[Cell]) -> Faults:
    for number, cell in enumerate(cells):
        if (
            tagged(cell, "exercise")
            and "> **Write it.**" not in cells[number - 1]["source"]
        ):
            yield f"the exercise in cell {number} has no callout before it"


def what_is_folded_stands_in_two_lists_at_the_end(cells: list[Cell]) -> Faults:
    folded = [number for number, cell in enumerate(cells) if is_folded(cell)]
    titles = [cell["source"].splitlines()[0] for cell in cells]
    start = titles.index(LISTS[0]) if LISTS[0] in titles else titles.index(LISTS[1])
    for number in folded:
        if number < start or not titles[number].startswith("### "):
            yield f"cell {number} folds what belongs in a list at the end"
    others = (n for n in range(start, len(cells) - 1) if titles[n].startswith("## "))
    for number in others:
        if titles[number] not in LISTS:
            yield f"cell {number} stands between the lists at the end"


def it_ends_in_sight(cells: list[Cell]) -> Faults:
    """JupyterLab goes to the last cell that it has run, and unfolds what holds it."""
    if not re.match("## (Next|The end)\n\n", cells[-1]["source"]):
        yield "the last cell does not say what comes next"


def open_code_is_not_cut(cells: list[Cell]) -> Faults:
    for number, cell in enumerate(cells):
        longest = max(map(len, cell["source"].splitlines()), default=0)
        if is_open(cell) and longest > 100:
            yield f"cell {number} has a line of {longest} letters, over 100"


def formulas_are_set_as_such(cells: list[Cell]) -> Faults:
    for number, cell in enumerate(cells):
        text = VERBATIM.sub("", cell["source"]) if is_text(cell) else ""
        for found in RAW.findall(text):
            yield f"cell {number} writes {found} as plain text"


def torch_has_one_thread(cells: list[Cell]) -> Faults:
    first = next(cell for cell in cells if cell["cell_type"] == "code")
    if "torch.set_num_threads(1)" not in first["source"]:
        yield "its first code cell leaves torch more than one thread"


RULES = [
    tasks_are_callouts,
    an_exercise_follows_its_callout,
    what_is_folded_stands_in_two_lists_at_the_end,
    it_ends_in_sight,
    open_code_is_not_cut,
    formulas_are_set_as_such,
    torch_has_one_thread,
]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_notebook_is_laid_out_as_the_others(path, rule):
    assert list(rule(nbformat.read(path, as_version=4).cells)) == []


# ── each rule sees its fault ──────────────────────────────────────────────────────
def text(source, folded=False):
    metadata = {"jp-MarkdownHeadingCollapsed": True} if folded else {}
    return new_markdown_cell(source, metadata=metadata)


def code(source="x", tags=(), hidden=False):
    metadata = {"tags": list(tags), "jupyter": {"source_hidden": hidden}}
    return new_code_cell(source, metadata=metadata)


DEEPER, CHECKS = text("### Deeper: more", True), text("### Checks of the text", True)
REFERENCE, NEXT = text("## Reference"), text("## Next\n\n[06](06_masks.ipynb).")
TORCH = code("import torch\n\ntorch.set_num_threads(1)")
LONG = "x = " + "1 + " * 30 + "1"
BROKEN = [
    (tasks_are_callouts, [text("**Predict.** Which?")]),
    (tasks_are_callouts, [text("> **Predict**, then try it.")]),
    (tasks_are_callouts, [text("> **Push.** Move it.")]),
    (tasks_are_callouts, [text("A story. **Try it.** Move it.")]),
    (tasks_are_callouts, [text("> **Careful.** It looks like a task.")]),
    (an_exercise_follows_its_callout, [text("Now you."), code(tags=["exercise"])]),
    (what_is_folded_stands_in_two_lists_at_the_end, [DEEPER, REFERENCE, CHECKS, NEXT]),
    (
        what_is_folded_stands_in_two_lists_at_the_end,
        [REFERENCE, text("## Checks of the text", True), NEXT],
    ),
    (
        what_is_folded_stands_in_two_lists_at_the_end,
        [text("## Deeper"), DEEPER, text("## Summary"), REFERENCE, CHECKS, NEXT],
    ),
    (it_ends_in_sight, [NEXT, CHECKS, code(tags=["check"])]),
    (open_code_is_not_cut, [code(LONG)]),
    (formulas_are_set_as_such, [text("## Why divide by √d_k?")]),
    (formulas_are_set_as_such, [text("It multiplies by W^O.")]),
    (torch_has_one_thread, [code("import torch")]),
]


@pytest.mark.parametrize(("rule", "cells"), BROKEN)
def test_a_rule_sees_its_fault(rule, cells):
    assert list(rule(cells))


def test_the_rules_find_no_fault_in_a_good_notebook():
    cells = [
        *(TORCH, text("> **Write it.** `W_V`, and $d_k$."), code(tags=["exercise"])),
        *(code(LONG, hidden=True), text("> ***Careful.*** ![d_k by W_O](x.svg)")),
        *(text("## Deeper"), DEEPER, REFERENCE, CHECKS, code(tags=["check"]), NEXT),
    ]
    assert [fault for rule in RULES for fault in rule(cells)] == []

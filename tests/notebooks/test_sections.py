"""After the first code cell a reader may start at any section, and skip hidden ones.

A section goes from a heading of level 2 to the next; a hidden one, below a collapsed
heading of any level, is one of its own. What a code cell reads is bound before it in
its own section or in the first code cell, or is a builtin.

What checks the text stands at the end and reads whatever the notebook has bound.

And whoever has run a notebook may run any of its cells again, in any order: what a cell
reads from another cell is bound by no third one to something else.
"""

import ast
import builtins
import pathlib
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell
from notebooks.names import names

FOLDER = pathlib.Path(__file__).parents[2] / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))

Cell = dict[str, Any]


def sections(cells: list[Cell]) -> list[list[tuple[int, Cell]]]:
    """The code cells, each with its number, by section; the first has no heading."""
    found: list[list[tuple[int, Cell]]] = [[]]
    around, hidden = found[0], 7
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            found[-1].append((number, cell))
        heading = re.match(r"\s*(#+) ", cell["source"])
        if cell["cell_type"] != "markdown" or not heading:
            continue
        level = len(heading[1])
        if level <= hidden:
            hidden = 7
            found.append([] if level <= 2 else around)
            around = found[-1]
            if cell["metadata"].get("jp-MarkdownHeadingCollapsed"):
                found.append([])
                hidden = level
    return list({id(section): section for section in found}.values())


def is_check(cell: Cell) -> bool:
    return "check" in cell["metadata"].get("tags", [])


def strangers(source: str, known: set[str]) -> Iterator[str]:
    """The names that a cell reads before it knows them; those it binds become known."""
    found = names(source, known)
    yield from sorted(found.reads | (found.later - found.binds))
    known |= found.binds


def faults(cells: list[Cell]) -> Iterator[str]:
    first = next(n for n, cell in enumerate(cells) if cell["cell_type"] == "code")
    start = set(dir(builtins))
    unknown = [(first, name) for name in strangers(cells[first]["source"], start)]
    everything = start | {
        name
        for cell in cells
        if cell["cell_type"] == "code" and not is_check(cell)
        for name in names(cell["source"]).binds
    }
    for section in sections(cells):
        known = set(start)
        for number, cell in section:
            seen = set(everything) if is_check(cell) else known
            unknown += [(number, name) for name in strangers(cell["source"], seen)]
    yield from (f"cell {n} needs {name} from another section" for n, name in unknown)


def binders(cells: list[Cell]) -> dict[str, dict[int, set[str]]]:
    """For each name the cells that bind it, each with the statements that do so."""
    found: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            for statement in ast.parse(cell["source"]).body:
                for name in names(statement).binds:
                    found[name][number].add(ast.dump(statement))
    return found


def reused(cells: list[Cell]) -> Iterator[str]:
    """The cells that read another thing when they run again after the last cell."""
    bound = binders(cells)
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            found = names(cell["source"])
            for name in sorted(found.reads | found.later):
                meanings = {frozenset(how) for how in bound[name].values()}
                if len(meanings) > 1:
                    yield f"cell {number} reads {name} of {sorted(bound[name])}"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_name_that_cells_share_is_bound_to_one_thing(path):
    assert list(reused(nbformat.read(path, as_version=4).cells)) == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_section_can_be_started_and_every_hidden_one_skipped(path):
    assert list(faults(nbformat.read(path, as_version=4).cells)) == []


# ── it sees its fault ─────────────────────────────────────────────────────────
def prose(source, hidden=False):
    metadata = {"jp-MarkdownHeadingCollapsed": True} if hidden else {}
    return new_markdown_cell(source, metadata=metadata)


def code(source, *tags):
    return new_code_cell(source, metadata={"tags": list(tags)})


IMPORTS, ONE, TWO = code("import numpy as np\nn = 3"), prose("## One"), prose("## Two")
INNER = prose("### Deeper: more", hidden=True)
BROKEN = {
    "the first cell itself": ([code("x = y")], "0 needs y"),
    "another section": ([IMPORTS, ONE, code("x = n"), TWO, code("x + 1")], "4 needs x"),
    "what comes later": ([IMPORTS, ONE, code("x"), code("x = 1")], "2 needs x"),
    "itself": ([IMPORTS, ONE, code("x = x + 1")], "2 needs x"),
    "itself, in short": ([IMPORTS, ONE, code("x += 1")], "2 needs x"),
    "a function's body": (
        [IMPORTS, ONE, code("def f(a):\n    return a + b")],
        "2 needs b",
    ),
    "a comprehension": ([IMPORTS, ONE, code("[i * j for i in range(n)]")], "2 needs j"),
    "after a comprehension": (
        [IMPORTS, ONE, code("x = [i for i in range(n)]\nx.append(i)")],
        "2 needs i",
    ),
    "a section's deeper part": (
        [IMPORTS, ONE, INNER, code("x = 1"), prose("### 1.2"), code("x")],
        "5 needs x",
    ),
    "the section around a deeper part": (
        [IMPORTS, ONE, code("x = 1"), INNER, prose("#### More"), code("x")],
        "5 needs x",
    ),
    "a check": ([IMPORTS, ONE, code("x = 1", "check"), code("x")], "3 needs x"),
    "a check, for another": (
        [IMPORTS, ONE, code("x = 1", "check"), code("assert x", "check")],
        "3 needs x",
    ),
    "an exercise": (
        [IMPORTS, code("def my_f(): ..."), ONE, code("exercises.check(my_f)")],
        "3 needs exercises",
    ),
}


@pytest.mark.parametrize(("cells", "fault"), BROKEN.values(), ids=BROKEN)
def test_a_name_from_elsewhere_is_found(cells, fault):
    assert f"cell {fault} from another section" in list(faults(cells))


def test_a_section_may_use_its_own_names_the_first_cells_and_builtins():
    loop = (
        "for i in range(n):\n    y = np.ones(i)\n    print(*(j for j in y), z := i)\nz"
    )
    cells = [
        IMPORTS,
        code("def f(a):\n    b = a\n    return lambda c: b + c + n\n\nf(1)"),
        ONE,
        code("x = 1\nx += len([x])"),
        code("pairs = {i: [j for j in range(i)] for i in {k for k in range(n)}}"),
        INNER,
        code("w = n"),
        prose("### 1.2"),
        code(loop),
        code("assert x and y.size", "check"),
        code("try:\n    x\nexcept ValueError as error:\n    print(error)"),
        TWO,
        code("def my_f(n):\n    ...\n\nmy_f(n)", "exercise"),
        prose("## Checks", hidden=True),
        code("assert x and w and n", "check"),
    ]
    assert list(faults(cells)) == []


REUSED = {
    "in one section": [code("x"), code("x = 2")],
    "in another section": [code("x"), TWO, code("x = 2")],
    "in a check": [code("x"), code("x = 2", "check")],
    "by a loop": [code("x"), code("for x in (1, 2): ...")],
    "by a loop over parts": [code("x"), code("for y, (z, x) in ((1, (2, 3)),): ...")],
    "by an expression": [code("x"), code("print([x := y for y in (1, 2)])")],
    "by an import": [code("x"), code("from math import pi as x")],
    "by a function": [code("x"), code("def x(): ...")],
    "by the reader itself": [code("x = x + 1")],
    "by the reader itself, in short": [code("x += 1")],
    "in a function": [code("def f():\n    return x"), code("x = 2")],
    "in a comprehension": [code("[x + y for y in (1, 2)]"), code("x = 2")],
    "in a function's function": [code("f = lambda: lambda y: y + x"), code("x = 2")],
}


@pytest.mark.parametrize("cells", REUSED.values(), ids=REUSED)
def test_a_name_that_is_read_and_then_used_again_is_found(cells):
    assert len(list(reused([ONE, code("x = 1"), *cells]))) == 1


def test_a_function_that_is_called_later_reads_what_its_own_cell_bound():
    late = code("x = 1\ndef f():\n    return x")
    assert list(reused([late, code("x = 2"), code("f()")])) == [
        "cell 0 reads x of [0, 1]"
    ]


def test_a_name_may_be_used_again_where_no_other_cell_reads_it():
    cells = [
        ONE,
        code("x = 1\nx += 1\nprint(x, [y for y in (x, 2)])"),
        code("for x in (1, 2):\n    y = x\n    print(y)"),
        code("def f(x):\n    y = x\n    return [x + y for x in (1, 2)]"),
        code("try:\n    f(2)\nexcept ValueError as x:\n    print(x)"),
        code("import math"),
        code("math.pi"),
        code("import math"),  # the same again
        code("f(lambda y: y)"),
    ]
    assert list(reused(cells)) == []

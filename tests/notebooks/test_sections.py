"""After the first code cell a reader may start at any section, and skip hidden ones.

A section goes from a heading of level 2 to the next; a hidden one, below a collapsed
heading of any level, is one of its own. What a code cell reads is bound before it in
its own section or in the first code cell, or is a builtin.
"""

import ast
import builtins
import pathlib
import re
import symtable
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

FOLDER = pathlib.Path(__file__).parents[2] / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))
ASSIGNS = ast.Assign | ast.AnnAssign | ast.AugAssign

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


class Generators(ast.NodeTransformer):
    """Makes every comprehension a generator, the one kind that has its own scope.

    From Python 3.12 on, the names of the others stand in the table around them.
    """

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp) -> ast.GeneratorExp:
        self.generic_visit(node)
        return ast.GeneratorExp(node.elt, node.generators)

    visit_SetComp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> ast.GeneratorExp:
        self.generic_visit(node)
        pair = ast.Tuple([node.key, node.value], ast.Load())
        return ast.GeneratorExp(pair, node.generators)


def names(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """What a statement reads of the notebook's names, and what it binds."""
    source = ast.unparse(Generators().visit(statement))
    table = symtable.symtable(source, "cell", "exec")
    reads = {s.get_name() for s in table.get_symbols() if s.is_referenced()}
    binds = {
        s.get_name() for s in table.get_symbols() if s.is_assigned() | s.is_imported()
    }
    inner = [*table.get_children()]
    for child in inner:
        inner += child.get_children()
        reads |= {s.get_name() for s in child.get_symbols() if s.is_global()}
    if isinstance(statement, ast.AugAssign):
        reads |= binds
    return reads if isinstance(statement, ASSIGNS) else reads - binds, binds


def strangers(source: str, known: set[str]) -> Iterator[str]:
    """The names that a cell reads before it knows them; those it binds become known."""
    for statement in ast.parse(source).body:
        reads, binds = names(statement)
        yield from sorted(reads - known)
        known |= binds


def faults(cells: list[Cell]) -> Iterator[str]:
    first = next(n for n, cell in enumerate(cells) if cell["cell_type"] == "code")
    start = set(dir(builtins))
    unknown = [(first, name) for name in strangers(cells[first]["source"], start)]
    for section in sections(cells):
        known = set(start)
        for number, cell in section:
            is_check = "check" in cell["metadata"].get("tags", [])
            seen = set(known) if is_check else known  # a check may be skipped as well
            unknown += [(number, name) for name in strangers(cell["source"], seen)]
    yield from (f"cell {n} needs {name} from another section" for n, name in unknown)


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
    ]
    assert list(faults(cells)) == []

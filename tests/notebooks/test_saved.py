"""What a reader without a kernel gets: every notebook as it is saved.

nbval compares the saved outputs with fresh ones; this reads the files alone.
"""

import json
import pathlib
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import nbformat
import pytest
from notebooks.save import METADATA

NOTEBOOKS = pathlib.Path(__file__).parents[2] / "notebooks"
PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
WIDGET = "application/vnd.jupyter.widget-view+json"
PICTURES = {"image/png", "image/svg+xml"}
MACHINE = re.compile(
    r"(?<![\w<.])/(?:work|home|root|tmp|Users|private|mnt|usr)/|[A-Z]:\\+Users|file://"
)
LIKE_A_SECTION = re.compile(r"[Dd]\d")
SECTION = re.compile(r"D[0-3](?:\.[0-9a-z]+)+")
LINK = re.compile(r"""\]\(\s*<?([^)\s>]+)|(?:href|src)\s*=\s*["']([^"']+)""")
IMAGE = re.compile(r"""!\[[^\]]*\]\(\s*<?([^)\s>]+)|<img[^>]*src\s*=\s*["']([^"']+)""")
MARKUP = re.compile(r"\\[a-z]+|[${}_^*`]")  # of a heading, and of a formula in it
REMOTE = re.compile(r"[a-z]+:|//", re.IGNORECASE)

Cell = dict[str, Any]
Faults = Iterator[str]


def code_cells(cells: list[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell["cell_type"] == "code"]


def outputs(cells: list[Cell]) -> Iterator[tuple[int, Cell]]:
    for number, cell in enumerate(cells):
        for output in cell.get("outputs", []):
            yield number, output


def counts_run_from_one(cells: list[Cell]) -> Faults:
    counts = [cell["execution_count"] for cell in code_cells(cells)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"not run from top to bottom in one go: {counts}"


def no_cell_complains(cells: list[Cell]) -> Faults:
    for number, output in outputs(cells):
        if output["output_type"] == "error":
            yield f"cell {number} shows an error: {output['ename']}"
        if output.get("name") == "stderr":
            yield f"cell {number} writes to stderr: {output['text']}"
        if re.search(r"\w*Warning: ", output.get("text", "")):
            yield f"cell {number} warns: {output['text']}"


def no_path_of_a_machine(cells: list[Cell]) -> Faults:
    for number, cell in enumerate(cells):
        texts = [cell["source"], json.dumps(cell["metadata"])]
        for output in cell.get("outputs", []):
            texts += [output.get("text", ""), *output.get("traceback", [])]
            data = output.get("data", {})
            texts += [str(x) for kind, x in data.items() if kind != "image/png"]
        for found in filter(None, map(MACHINE.search, texts)):
            yield f"cell {number} holds a path of one machine: {found.string[:200]}"


def a_widget_is_never_alone(cells: list[Cell]) -> Faults:
    for number, output in outputs(cells):
        data = output.get("data", {})
        text = data.get("text/plain", "")
        if WIDGET in data and not PICTURES & data.keys():
            yield f"cell {number} shows a widget and no picture of it"
        if WIDGET in data and (re.match(r"\w+\(", text) or not re.search(r"\d", text)):
            yield f"cell {number} shows a widget without its numbers: {text[:60]!r}"


def code_cells_are_short(cells: list[Cell]) -> Faults:
    for number, cell in enumerate(cells):
        lines = len(cell["source"].splitlines())
        if cell["cell_type"] == "code" and lines > 20:
            yield f"cell {number} has {lines} lines, over 20"


def sections_are_well_formed(cells: list[Cell]) -> Faults:
    for number, cell in enumerate(cells):
        for tag in cell["metadata"].get("tags", []):
            if LIKE_A_SECTION.match(tag) and not SECTION.fullmatch(tag):
                yield f"cell {number} claims {tag!r}, no section's id"


def links_lead_somewhere(cells: list[Cell]) -> Faults:
    for number, target in found_in_prose(LINK, cells):
        path, _, anchor = target.partition("#")
        if REMOTE.match(target):
            continue
        if not (NOTEBOOKS / path).exists():
            yield f"cell {number} links to {target}, which is not there"
        elif anchor and anchor not in (headings_in(path) if path else headings(cells)):
            yield f"cell {number} links to a heading that {path} has not: {anchor}"


@cache
def headings_in(path: str) -> set[str]:
    return headings(nbformat.read(NOTEBOOKS / path, as_version=4).cells)


def headings(cells: list[Cell]) -> set[str]:
    """The headings of a notebook as JupyterLab writes them in a link."""
    texts = [cell["source"] for cell in cells if cell["cell_type"] == "markdown"]
    found = re.findall(r"^#+ (.+)$", "\n".join(texts), re.MULTILINE)
    return {MARKUP.sub("", heading).strip().replace(" ", "-") for heading in found}


def pictures_need_no_network(cells: list[Cell]) -> Faults:
    for number, target in found_in_prose(IMAGE, cells):
        if REMOTE.match(target) and not target.startswith("data:"):
            yield f"cell {number} shows a picture from elsewhere: {target}"


def found_in_prose(pattern: re.Pattern[str], cells: list[Cell]) -> Iterator[Any]:
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "markdown":
            prose = re.sub(r"(```.*?```|`[^`\n]*`)", "", cell["source"], flags=re.S)
            for match in pattern.finditer(prose):
                yield number, next(filter(None, match.groups()))


CHECKS = [
    counts_run_from_one,
    no_cell_complains,
    no_path_of_a_machine,
    a_widget_is_never_alone,
    code_cells_are_short,
    sections_are_well_formed,
    links_lead_somewhere,
    pictures_need_no_network,
]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_every_notebook_is_fit_to_be_read(path, check):
    faults = list(check(nbformat.read(path, as_version=4).cells))
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_notebook_says_of_its_kernel_what_jupyterlab_would_write(path):
    assert nbformat.read(path, as_version=4).metadata == METADATA


# ── each check sees its fault ─────────────────────────────────────────────────
def code(source="1", count=1, tags=(), **output):
    outputs = [{"output_type": "display_data", **output}] if output else []
    cell = {"cell_type": "code", "source": source, "execution_count": count}
    return {**cell, "metadata": {"tags": list(tags)}, "outputs": outputs}


def prose(source):
    return {"cell_type": "markdown", "source": source, "metadata": {}}


def widget(**data):
    return code(data={WIDGET: {"model_id": "explorer-1"}, **data})


PNG = {"image/png": "/tmp/AAAA"}
BROKEN = [
    (counts_run_from_one, code(count=None)),
    (counts_run_from_one, code(count=2)),
    (no_cell_complains, code(output_type="error", ename="NameError")),
    (no_cell_complains, code(output_type="stream", name="stderr", text="hm")),
    (no_cell_complains, code(output_type="stream", text="x.py:3: UserWarning: hm")),
    (no_path_of_a_machine, code("open('/home/me/x')")),
    (no_path_of_a_machine, code(text="saved in /tmp/a.png")),
    (no_path_of_a_machine, code(traceback=[r"C:\Users\me\x.py"])),
    (no_path_of_a_machine, code(data={"text/html": "<a href='file:///x'>"})),
    (a_widget_is_never_alone, widget(**{"text/plain": "Q\n1.0 2.0"})),
    (a_widget_is_never_alone, widget(**PNG)),
    (a_widget_is_never_alone, widget(**PNG, **{"text/plain": "VBox(children=(1,))"})),
    (a_widget_is_never_alone, widget(**PNG, **{"text/plain": "a picture"})),
    (code_cells_are_short, code("x\n" * 21)),
    (sections_are_well_formed, code(tags=["D5.1"])),
    (sections_are_well_formed, code(tags=["d0.1"])),
    (sections_are_well_formed, code(tags=["D0"])),
    (links_lead_somewhere, prose("see [there](99_nowhere.ipynb#a)")),
    (links_lead_somewhere, prose("see [there](06_masks.ipynb#6-·-Nothing)")),
    (links_lead_somewhere, prose("## One\n\n[two](#Two)")),
    (links_lead_somewhere, prose("![x](../figures/none.svg)")),
    (links_lead_somewhere, prose("<img alt='' src='../figures/none.svg'>")),
    (pictures_need_no_network, prose("![x](https://example.org/x.png)")),
    (pictures_need_no_network, prose('<img src="//example.org/x.png">')),
]


@pytest.mark.parametrize(("check", "cell"), BROKEN)
def test_a_check_sees_its_fault(check, cell):
    assert list(check([cell]))


def test_the_checks_find_no_fault_in_a_good_notebook():
    cells = [
        prose(
            "[masks](06_masks.ipynb#6-·-How-to-hide-a-key), [code](https://example.org)\n\n"
            "## Why *d* is $\\sqrt{d_k}$\n\n[above](#Why-d-is-dk)"
        ),
        prose("`[not](a_link.md)` and a division/home/page, then </root>"),
        widget(**PNG, **{"text/plain": "weights\n0.40 0.20 0.40"}),
        code("x\n" * 20, count=2, tags=["D2.0.why", "D1.11.2", "hide"]),
    ]
    assert [fault for check in CHECKS for fault in check(cells)] == []

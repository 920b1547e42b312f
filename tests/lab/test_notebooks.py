"""What the course's notebooks hold, in real JupyterLab, as saved: opened, not run.

nbval runs them; here is shown what a reader sees before that, and that it comes alive.
"""

import re

import nbformat
import pytest
from lab.lab import ROOT, run_all_cells
from playwright.sync_api import expect

NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
START = NOTEBOOKS[0]
# Open a notebook in the page that is there, as JupyterLab's list of files does. All are
# given the kernel of the first: none is run.
OPEN = """async (name) => {
    const { commands, shell } = window.jupyterapp;
    const { context, sessionContext } = shell.currentWidget;
    await sessionContext.ready;
    const kernel = sessionContext.session.kernel.model;
    const path = context.path.replace(/[^/]*$/, name);
    const widget = await commands.execute("docmanager:open", { path, kernel });
    await widget.context.ready;
    await widget.sessionContext.ready;
}"""
PICTURES = ".jp-OutputArea-output img"
PARTS = "img[src*='figures/architecture/']"
SEEN = """async (css) => {
    const { node } = window.jupyterapp.shell.currentWidget;
    const images = [...node.querySelectorAll(css)].map((image) => (
        image.decode().then(() => image.checkVisibility() && image.width > 0)));
    return (await Promise.all(images).catch(() => [false])).every(Boolean);
}"""
# JupyterLab may fold what is saved as folded after it was told to unfold all.
UNFOLDED = f"""async (css) => {{
    for (const what of ["expand-all-headings", "show-all-cell-outputs"])
        await window.jupyterapp.commands.execute(`notebook:${{what}}`);
    return ({SEEN})(css);
}}"""
THERE = "window.jupyterapp.shell.currentWidget.node.querySelectorAll('.jp-Cell').length"
CELLS = "window.jupyterapp.shell.currentWidget.content.widgets.length"
WIDGET = "application/vnd.jupyter.widget-view+json"


def at_rest(name):
    """The cells of a notebook whose saved outputs hold an explorer."""
    notebook = nbformat.read(ROOT / "notebooks" / name, as_version=4)
    return [cell for cell in notebook.cells if WIDGET in str(cell.get("outputs"))]


@pytest.fixture
def pictures(lab):
    """One notebook that holds every explorer of the course, as it is saved."""
    cells = [cell for name in NOTEBOOKS for cell in at_rest(name)]
    for nth, cell in enumerate(cells):
        cell.id = f"explorer-{nth}"  # two notebooks may use an id
    path = lab.folder / "notebooks" / "pictures.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path.name, len(cells)


def test_every_explorer_shows_its_picture_at_rest(pictures, open_notebook):
    name, explorers = pictures
    page = open_notebook(START, run=False, keep=True)
    page.evaluate(OPEN, name)
    page.wait_for_function(UNFOLDED, arg=PICTURES, polling=250)
    assert page.locator(PICTURES + ":visible").count() >= explorers
    expect(page.locator(".tl")).to_have_count(0)


@pytest.mark.parametrize("name", [START, NOTEBOOKS[-1]])
def test_no_cell_of_a_notebook_is_blank_at_first_nor_a_folded_picture_when_unfolded(
    name, open_notebook
):
    page = open_notebook(START, run=False, keep=True)
    page.evaluate(OPEN, name)
    assert page.evaluate(THERE) == page.evaluate(CELLS)
    page.wait_for_function(UNFOLDED, arg=PICTURES, polling=250)
    assert page.locator(PICTURES + ":visible").count() >= len(at_rest(name))
    expect(page.locator(".tl")).to_have_count(0)


def test_the_parts_of_the_architecture_join_and_each_leads_to_its_notebook(
    open_notebook,
):
    page = open_notebook(START, run=False, keep=True)
    page.evaluate(OPEN, START)
    parts = page.locator(PARTS)
    page.wait_for_function(SEEN, arg=PARTS)
    boxes = [part.bounding_box() for part in parts.all()]
    area = sum(box["width"] * box["height"] for box in boxes)
    left, top = (min(box[side] for box in boxes) for side in "xy")
    right = max(box["x"] + box["width"] for box in boxes)
    foot = max(box["y"] + box["height"] for box in boxes)
    assert area == pytest.approx((right - left) * (foot - top), rel=0.001)
    page.locator("a:has(img[src*='architecture/masked'])").click()
    expect(page).to_have_url(re.compile("/06_masks.ipynb"))


@pytest.fixture
def beginning(lab):
    """The course's first notebook as far as its first explorer."""
    notebook = nbformat.read(ROOT / "notebooks" / START, as_version=4)
    first = next(n for n, c in enumerate(notebook.cells) if WIDGET in str(c))
    notebook.cells = notebook.cells[: first + 1]
    path = lab.folder / "notebooks" / "beginning.ipynb"
    nbformat.write(notebook, path)
    return path.name


def test_what_rests_comes_alive_when_it_is_run_and_says_when_its_kernel_is_gone(
    beginning, open_notebook, faults
):
    page = open_notebook(beginning)
    explorers = page.locator(".tl-explorer")
    expect(explorers).to_have_count(1)
    expect(explorers.first.locator(".tl-about").first).not_to_be_empty()
    message = explorers.first.locator(".tl-message").first
    expect(message).to_be_empty()
    restart = "window.jupyterapp.shell.currentWidget.sessionContext"
    page.evaluate(f"{restart}.restartKernel()")
    expect(message).to_contain_text("The kernel has stopped or restarted")
    faults.extend(run_all_cells(page))
    expect(message).to_be_empty()
    expect(explorers.first.locator(".tl-about").first).not_to_be_empty()

"""A notebook that is opened and closed is as it was, and nothing is asked."""

import nbformat
import pytest
from lab.lab import ROOT, wait_for_kernel
from notebooks.save import METADATA, tidy
from playwright.sync_api import expect

TOLD = """() => {
    const { context } = window.jupyterapp.shell.currentWidget;
    return [context.model.dirty, context.model.toJSON().metadata];
}"""


@pytest.fixture
def saved(lab):
    """A notebook of the course, as tests/notebooks/save.py leaves it."""
    notebook = nbformat.read(ROOT / "notebooks" / "06_masks.ipynb", as_version=4)
    path = lab.folder / "notebooks" / "closed.ipynb"
    path.write_text(tidy(notebook), encoding="utf-8")
    return path


def test_opening_a_notebook_and_closing_it_asks_nothing(saved, desk, open_notebook):
    before = saved.read_bytes()
    page = open_notebook(saved.name, run=False)
    wait_for_kernel(page)  # JupyterLab writes what the kernel tells of itself
    changed, metadata = page.evaluate(TOLD)
    assert metadata == METADATA
    assert not changed
    page.evaluate("void window.jupyterapp.commands.execute('application:close')")
    expect(page.locator(".jp-Notebook")).to_have_count(0)
    assert desk.dialogs() == []
    assert saved.read_bytes() == before

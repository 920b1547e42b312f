"""A notebook that its reader ran and saved, opened again: with our settings or none.

JupyterLab trusts it and so draws widgets, of which none is left.
"""

import json

import pytest
from lab.desk import Desk
from lab.lab import running_lab, settle, show_notebook, wait_for_kernel
from playwright.sync_api import expect

Q = [[1.0, 0], [0, -1], [1, 1]]
CELLS = [
    "from course import explorers",
    f"explorers.attention_bench({Q}, {Q}, {Q})",
    "print('a cell between', *range(400), sep='\\n')",  # it leaves the next off screen
    "explorers.quiz('start')",
]
SAVE = """async () => {
    const { context } = window.jupyterapp.shell.currentWidget;
    await context.save();
    return context.model.dirty;
}"""


@pytest.fixture(scope="module")
def plain_desk(tmp_path_factory, browser):
    """A JupyterLab as conda, Windows or another's server has it: with no settings."""
    with running_lab(tmp_path_factory.mktemp("plain"), ours=False) as lab:
        desk = Desk(lab, browser)
        yield desk
        desk.clear()


@pytest.fixture(params=["our settings", "no settings"])
def saved(request):
    """A desk on which a notebook was run and saved, and the notebook's file."""
    ours = request.param == "our settings"
    desk = request.getfixturevalue("desk" if ours else "plain_desk")
    name = desk.lab.add("saved_again.ipynb", CELLS)
    page = desk.open(name)
    page.locator(".tl td").first.wait_for()
    settle(page)
    assert not page.evaluate(SAVE)
    yield desk, desk.lab.folder / "notebooks" / name
    desk.clear()
    noted, desk.faults[:] = list(desk.faults), []
    assert noted == []


def outputs(path):
    """The bundles of explorers that a notebook's file holds."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    found = [out["data"] for cell in cells for out in cell["outputs"] if "data" in out]
    assert len(found) == 2
    return found


def test_what_was_run_and_saved_lives_with_its_kernel_and_then_is_a_picture(
    saved,
):
    desk, path = saved
    show_notebook(desk.page, desk.lab, path.name)  # the page is loaded anew
    slider = desk.page.locator(".tl-explorer .noUi-handle")
    slider.press("End")
    expect(desk.page.locator(".tl-explorer .widget-readout").first).to_have_text("5.0")
    page = desk.open(path.name, run=False)  # now with another kernel
    wait_for_kernel(page)
    for nth in (1, 3):
        cell = page.locator(".jp-CodeCell").nth(nth)
        cell.scroll_into_view_if_needed()
        expect(cell.locator("img")).to_be_visible()
        expect(cell).not_to_contain_text("widget")
    for bundle in outputs(path):
        assert {"image/png", "text/plain"} <= bundle.keys()

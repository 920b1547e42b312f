"""What real JupyterLab alone shows of an explorer that was tried to be broken."""

import json

import nbformat
import pytest
from ipywidgets.embed import dependency_state
from lab.lab import ROOT, settle
from nbconvert import HTMLExporter
from nbformat.sign import NotebookNotary
from playwright.sync_api import expect
from traitlets.config import Config

from course import explorers

Q = [[1.0, 0], [0, -1], [1, 1]]
BENCH = f"explorers.attention_bench({Q}, {Q}, {Q})"
CELLS = ["from course import explorers", BENCH, "print('the last cell')"]
AGAIN = "run this cell again"
CELL_COUNT = "() => window.jupyterapp.shell.currentWidget.content.model.cells.length"
SHUT_DOWN = """() =>
    window.jupyterapp.shell.currentWidget.sessionContext.shutdown()"""
CONTROLS = {
    "a slider": ".noUi-handle",
    "a tick box": ".widget-checkbox input",
    "a button of the mask": ".widget-toggle-buttons button >> nth=1",
    "Reset": "button:has-text('Reset')",
    "Copy numbers": ".tl-tools button:has-text('Copy numbers')",
    "A+": ".tl-tools button:has-text('A+')",
    "A−": ".tl-tools button:has-text('A−')",
}


@pytest.fixture
def page(lab, open_notebook):
    page = open_notebook(lab.add("defects.ipynb", CELLS), keep=True)
    page.locator(".tl td").last.wait_for()
    return page


@pytest.mark.parametrize("control", CONTROLS)
def test_no_key_after_a_control_acts_on_the_notebook(control, page):
    page.locator(f".tl-explorer {CONTROLS[control]}").click()
    settle(page)
    for key in ("x", "d", "d", "0", "0"):
        page.keyboard.press(key)
    settle(page)
    expect(page.locator(".jp-Dialog")).to_have_count(0)
    assert page.evaluate(CELL_COUNT) == len(CELLS)


def test_forced_colors_show_which_choice_is_pressed_and_where_a_slider_runs(page):
    seen = "node => getComputedStyle(node).backgroundColor"
    box = page.locator(".tl-explorer").first
    page.emulate_media(forced_colors="active")
    pressed = box.locator(".tl-choice .mod-active").first.evaluate(seen)
    others = box.locator(".tl-choice button:not(.mod-active)").first.evaluate(seen)
    track = box.locator(".noUi-connects").first.evaluate(seen)
    paper = box.evaluate(seen)
    page.emulate_media(forced_colors="none")
    assert pressed != others
    assert track not in (paper, "rgba(0, 0, 0, 0)")


def test_an_index_in_the_label_of_a_tick_box_is_set_as_such(page):
    expect(page.locator(".widget-checkbox .tl-index")).to_have_text(["k"])


def test_a_kernel_that_was_shut_down_is_named_and_its_controls_rest(page, faults):
    message, said = page.locator(".tl-message"), page.locator(".tl-said")
    page.evaluate(SHUT_DOWN)
    expect(message).to_contain_text(AGAIN)
    for name in ("Copy numbers", "Save picture"):
        page.get_by_role("button", name=name).click()
        expect(said).to_contain_text(AGAIN)
    bar = page.locator(".tl-controls").first
    expect(bar).to_have_js_property("inert", True)
    assert not faults


def saved(explorer):
    """A notebook that was saved with the widgets of this explorer."""
    bundle = explorer._repr_mimebundle_()
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    shown = nbformat.v4.new_output("display_data", data=data, metadata=metadata)
    cell = nbformat.v4.new_code_cell(BENCH, outputs=[shown], execution_count=1)
    state = {
        "state": dependency_state(explorer, drop_defaults=False),
        "version_major": 2,
    }
    widgets = {
        "application/vnd.jupyter.widget-state+json": state | {"version_minor": 0}
    }
    kernel = {"name": "python3", "display_name": "Python 3"}
    metadata = {"widgets": widgets, "kernelspec": kernel}
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata=metadata)
    return nbformat.from_dict(json.loads(json.dumps(notebook, default=str)))


def test_a_trusted_notebook_with_its_widgets_asks_to_be_run(lab, open_notebook):
    notebook = saved(explorers.attention_bench(Q, Q, Q))
    nbformat.write(notebook, lab.folder / "notebooks" / "saved.ipynb")
    signer = NotebookNotary(data_dir=str(lab.folder.parent / "data"))
    signer.sign(nbformat.read(lab.folder / "notebooks" / "saved.ipynb", 4))
    signer.store.close()
    page = open_notebook("saved.ipynb", run=False)
    page.locator(".tl td").last.wait_for()
    expect(page.locator(".tl-message")).to_contain_text(AGAIN)
    cell = page.locator("td[data-panel=Q]").first
    cell.click()
    page.keyboard.insert_text("7")
    page.keyboard.press("Enter")
    expect(cell.locator(".tl-fault")).to_contain_text(AGAIN)
    expect(cell.locator("input")).to_be_editable()


# ── pages made of a notebook ────────────────────────────────────────────────────
def test_a_page_made_of_a_notebook_with_its_widgets_shows_their_pictures():
    """It asked the network for JavaScript, and was blank without one."""
    config = Config(json.loads((ROOT / "lab_settings/html.json").read_text("utf-8")))
    notebook = saved(explorers.attention_bench(Q, Q, Q))
    for settings, shows in ((None, False), (config, True)):
        html, _ = HTMLExporter(config=settings).from_notebook_node(notebook)
        _, _, body = html.partition("<body")
        assert ('src="data:image/png' in body) is shows
        view = '<script type="application/vnd.jupyter.widget-view+json"'
        assert (view in body) is not shows

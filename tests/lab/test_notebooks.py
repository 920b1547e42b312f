"""Every notebook of the course in real JupyterLab: at rest, run, and pushed."""

import json

import numpy as np
import pytest
from lab.explorer_page import ExplorerPage
from lab.lab import ROOT, run_all_cells
from playwright.sync_api import expect

from transformer_lib.explorers.attention.attention_bench import attention_steps

BENCHES = "05_scaled_dot_product_attention.ipynb"
NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
NOTEBOOKS.sort(key=lambda name: name == BENCHES)  # last, and then it still lies open
WIDGET = "application/vnd.jupyter.widget-view+json"


def explorers_in(name: str) -> int:
    """Count the explorers whose pictures the saved notebook holds."""
    notebook = json.loads((ROOT / "notebooks" / name).read_text(encoding="utf-8"))
    outputs = [o for c in notebook["cells"] for o in c.get("outputs", [])]
    return sum(WIDGET in o.get("data", {}) for o in outputs)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_explorer_shows_its_picture_at_rest_and_is_live_once_run(
    name, open_notebook, faults
):
    page = open_notebook(name, run=False)
    assert_at_rest(page, name)
    faults.extend(run_all_cells(page))
    assert_live(page, name)


def assert_at_rest(page, name):
    pictures = page.locator(".jp-OutputArea-output img")
    if explorers_in(name):  # JupyterLab is lazy
        expect(pictures.nth(explorers_in(name) - 1)).to_be_attached()
    for picture in pictures.all():
        picture.scroll_into_view_if_needed()
        expect(picture).to_be_visible()
        assert picture.evaluate("image => image.decode().then(() => image.width > 0)")
    assert page.locator(".tl").count() == 0


def assert_live(page, name):
    shown = page.locator(".tl-explorer")
    expect(shown).to_have_count(explorers_in(name))
    for explorer in shown.all():
        explorer.scroll_into_view_if_needed()
        drawings = explorer.locator(".tl-panel")
        expect(drawings.first).to_be_visible()
        for view in explorer.locator(".tl:visible").all():
            expect(view.locator(".tl-about")).not_to_be_empty()
        expect(explorer.locator(".tl-message")).to_be_empty()


def test_the_first_bench_of_notebook_05_is_the_librarys(open_notebook, faults):
    page = open_notebook(BENCHES, run=False, keep=True)
    if not page.locator(".tl").count():
        faults.extend(run_all_cells(page))
    benches = page.locator(".tl", has=page.locator("td[data-panel=scaled]"))
    nth = page.locator(".tl").evaluate_all(
        "(all, first) => all.indexOf(first)", benches.first.element_handle()
    )
    bench = ExplorerPage(page, nth)
    q, k, v = (bench.read(name) for name in "QKV")
    bench.type_into(bench.cell("Q", 0, 1), "-1.5")
    q[0, 1] = -1.5
    bench.drag(bench.slider("temperature"), -30)
    steps = attention_steps(q, k, v, temperature=bench.setting("temperature"))
    assert bench.setting("temperature") != 1.0
    bench.shows({name: steps[name] for name in ("scores", "weights", "output")})
    assert np.isfinite(steps["output"]).all()

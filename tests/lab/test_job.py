"""Long work in a real kernel: it is heard, stopped, gone on with, saved as its end."""

import re

from lab.lab import run_all_cells
from playwright.sync_api import expect

CELLS = [
    """
import time
from course import explorers
from course.explorers.layers import depth_training as found_in
learn = found_in.learn_steps
def slower(*asked, **more):
    for found in learn(*asked, **more):
        time.sleep(0.1)
        yield found
found_in.learn_steps = slower
work = explorers.depth_training(1, steps=8)
work
""",
    "explorers.softmax_bench([[1.0, 2.0]], ['a'], ['b', 'c'])",
]
KEPT = """() => window.jupyterapp.shell.currentWidget.context.model.toJSON()
    .cells[0].outputs.map((out) => out.data["text/plain"])"""


def test_the_page_is_heard_while_the_work_goes_and_keeps_its_end(lab, open_notebook):
    page = open_notebook(lab.add("long_work.ipynb", CELLS), run=False)
    assert run_all_cells(page) == []
    first, second = (page.locator(".jp-CodeCell").nth(n) for n in (0, 1))
    bar = first.get_by_text(re.compile(r"\d+\sof\s40\ssteps"))
    expect(bar).not_to_contain_text(re.compile(r"40\sof\s40"))
    slider = second.locator(".noUi-handle").first
    slider.press("End")
    expect(second.locator(".widget-readout").first).to_have_text("4.0")
    expect(bar).not_to_contain_text(re.compile(r"40\sof\s40"))
    assert "after 0 of 8" in page.evaluate(KEPT)[0]
    first.get_by_role("button", name="Stop").press("Enter")
    expect(first.get_by_role("button", name="Go on")).to_be_focused()
    stands = bar.inner_text()
    page.wait_for_timeout(500)
    assert bar.inner_text() == stands
    page.keyboard.press("Enter")
    expect(first.get_by_role("button", name="Stop")).to_be_focused()
    expect(bar).to_contain_text(re.compile(r"40\sof\s40"))
    expect(first.get_by_role("button", name="Finished")).to_be_focused()
    page.wait_for_function(f"() => ({KEPT})()[0].includes('after 8 of 8')")

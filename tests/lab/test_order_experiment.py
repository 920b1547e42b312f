"""order_experiment in real JupyterLab: every choice, and what the page then shows."""

import pytest
from lab.test_accessibility import AXE, RUN
from playwright.sync_api import expect

from transformer_lib import plots
from transformer_lib.tasks.word_order import LENGTHS, WAYS

CELL = """
import numpy as np
from transformer_lib import explorers
from transformer_lib.tasks.word_order import LENGTHS, TASKS, WAYS, WordOrder
draw = np.random.default_rng(0)
results = [
    WordOrder(task, LENGTHS, {way: tuple(draw.random(3).tolist()) for way in WAYS},
        {way: draw.random(100).tolist() for way in WAYS}) for task in TASKS]
explorers.order_experiment(*results)
"""
SPANS = ("4 to 12", "13 to 24", "48")


@pytest.fixture
def page(lab, open_notebook):
    page = open_notebook(lab.add("experiment.ipynb", [CELL]), keep=True)
    page.get_by_role("button", name="Reset").click()
    return page


@pytest.fixture
def results():
    scope = {}
    exec(CELL.replace("explorers.order_experiment(*results)", ""), scope)
    return scope["results"]


def assert_bars(page, result, ways, spans):
    wanted = [plots.number(result.accuracy[w][n], 2) for n in spans for w in ways]
    expect(page.locator(".tl-bar b")).to_have_text(wanted)
    heads = page.locator(".tl-bar-label")
    expect(heads).to_have_text([SPANS[n] for n in spans])


def test_every_choice_shows_the_accuracies_that_were_measured(page, results):
    everything = range(len(LENGTHS))
    assert_bars(page, results[0], WAYS, everything)
    page.get_by_role("button", name="who comes first").click()
    assert_bars(page, results[1], WAYS, everything)
    for way in WAYS:
        page.get_by_role("button", name=way, exact=True).click()
        assert_bars(page, results[1], [way], everything)
    for n, span in enumerate(SPANS):
        page.get_by_role("button", name=span, exact=True).click()
        assert_bars(page, results[1], [WAYS[-1]], [n])


def test_axe_finds_nothing_to_object_to(page):
    page.locator(".tl-bar").last.wait_for()
    page.evaluate(AXE)
    assert page.evaluate(RUN) == []

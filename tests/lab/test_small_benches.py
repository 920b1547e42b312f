"""softmax_bench, mixing_bench and scale_lab in real JupyterLab, at every end."""

import numpy as np
import pytest
from lab.explorer_page import ExplorerPage
from playwright.sync_api import expect

from transformer_lib import explorers, plots
from transformer_lib.explorers.attention.mixing_bench import mixing_steps
from transformer_lib.explorers.attention.scale_lab import SIZES, scale_steps
from transformer_lib.explorers.attention.softmax_bench import softmax_steps

SCORES = np.array([[3.0, 1, 0], [2, 4, 1], [1, 3, 5]])
PARTS = np.array([[0.1, 0.3, 0.6], [0.2, 0.5, 0.3], [0.4, 0.4, 0.2]])
V = np.array([[1.0, 2], [3, 4], [5, 6]])
CELLS = [
    "from transformer_lib import explorers",
    f"explorers.softmax_bench({SCORES.tolist()})",
    f"explorers.mixing_bench({PARTS.tolist()}, {V.tolist()})",
    "explorers.scale_lab()",
]

TWINS = [
    explorers.softmax_bench(SCORES),
    explorers.mixing_bench(PARTS, V),
    explorers.scale_lab(),
]


@pytest.fixture
def explorer(lab, open_notebook):
    page = open_notebook(lab.add("benches.ipynb", CELLS), keep=True)

    def choose(nth):
        page.keyboard.press("Escape")
        found, twin = ExplorerPage(page, nth), TWINS[nth]
        found.press("Reset")
        expect(found.view.locator(".tl-message")).to_be_empty()
        found.shows(twin.inputs)
        return found

    return choose


def test_softmax_follows_both_sliders_to_their_ends(explorer):
    bench = explorer(0)
    for label, pixels in (("multiply", 600), ("add", -600), ("multiply", -900)):
        bench.drag(bench.slider(label), pixels)
        multiply, add = bench.setting("multiply"), bench.setting("add")
        steps = softmax_steps(SCORES, multiply=multiply, add=add)
        bench.shows({"moved": steps["moved"], "weights": steps["weights"]})
    assert (bench.setting("multiply"), bench.setting("add")) == (-1.0, -5.0)


def test_softmax_refuses_a_score_whose_power_overflows(explorer):
    bench = explorer(0)
    bench.type_into(bench.cell("scores", 0, 0), "1000")
    fault = bench.cell("scores", 0, 0).locator(".tl-fault")
    expect(fault).to_contain_text("at most 700, got 1000")
    bench.page.keyboard.press("Escape")
    bench.shows({"weights": softmax_steps(SCORES)["weights"]})


def test_a_control_that_is_refused_keeps_the_last_good_picture(explorer):
    bench = explorer(0)
    bench.type_into(bench.cell("scores", 0, 0), "600")
    bench.drag(bench.slider("multiply"), 600)
    message = bench.view.locator(".tl-message")
    expect(message).to_contain_text("exp of a score must stay finite")
    bench.press("Reset")
    expect(message).to_be_empty()
    bench.shows({"weights": softmax_steps(SCORES)["weights"]})


def test_mixing_follows_an_edit_and_refuses_a_negative_part(explorer):
    bench = explorer(1)
    bench.type_into(bench.cell("parts", 0, 2), "6")
    parts = PARTS.copy()
    parts[0, 2] = 6
    steps = mixing_steps(parts, V)
    bench.shows({"weights": steps["weights"], "output": steps["output"]})
    bench.type_into(bench.cell("parts", 1, 1), "-1")
    fault = bench.cell("parts", 1, 1).locator(".tl-fault")
    expect(fault).to_contain_text("must not be negative, got -1")


@pytest.mark.parametrize("scale", [True, False])
def test_the_scale_lab_follows_d_k_to_both_ends(explorer, scale):
    bench = explorer(2)
    if not scale:
        bench.output.get_by_text("divide by √d_k").click()
    for key, d_k in (("End", SIZES[-1]), ("Home", SIZES[0])):
        handle = bench.slider("d_k")
        handle.focus()
        bench.page.keyboard.press(key)
        steps = scale_steps(d_k=d_k, scale=scale)
        bench.shows({"slope": steps["slope"], "weights": steps["weights"]})
        bench.shows({"scores": steps["scores"]}, within=0.051)


def test_the_scale_lab_tells_how_a_slope_was_made(explorer):
    bench = explorer(2)
    bench.cell("slope", 0, 1).hover()
    expect(bench.sentence).to_have_text(
        "how fast the weight of k1 grows with the score of k2"
    )
    expect(bench.terms.first).to_contain_text("−")
    panels = bench.view.locator(".tl-operand").evaluate_all(
        "all => all.map(td => td.dataset.panel)"
    )
    assert panels == ["weights", "weights"]
    w = plots.number(scale_steps(d_k=4, scale=True)["weights"][0, 2], 3)
    bench.cell("slope", 2, 2).hover()
    expect(bench.terms.first).to_have_text(f"{w} × (1 − {w})")

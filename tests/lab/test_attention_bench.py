"""attention_bench in real JupyterLab: every control, and what the page then shows."""

import numpy as np
import pytest
from lab.explorer_page import ExplorerPage
from playwright.sync_api import expect

from transformer_lib import plots
from transformer_lib.explorers.attention.attention_bench import attention_steps
from transformer_lib.explorers.toolkit.views import MatrixView

Q = K = np.array([[1.0, 0], [0, 1], [1, 1]])
V = np.array([[1.0, 2], [3, 4], [5, 6]])
DERIVED = ("scores", "scaled", "weights", "output")
BENCH = """
from transformer_lib import explorers
explorers.attention_bench(
    [[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 1], [1, 1]], [[1, 2], [3, 4], [5, 6]], {}
)
"""
NASTY = ["<img src=x onerror=alert(1)>", "</script>", "{row} $x^$ ‮"]


@pytest.fixture
def notebook(lab, open_notebook):
    words = ["AI", "is", "powerful"]
    cells = [BENCH.format(tokens) for tokens in (words, words, NASTY)]
    return open_notebook(lab.add("bench.ipynb", cells), keep=True)


@pytest.fixture
def bench(notebook):
    notebook.keyboard.press("Escape")
    notebook.mouse.move(0, 0)
    bench = ExplorerPage(notebook)
    bench.press("Reset")
    return bench


def computed(q=Q, k=K, v=V, **settings):
    steps = attention_steps(q, k, v, **settings)
    if settings.get("mask") == "causal":
        hidden = steps["weights.open"] == 0
        for name in ("scaled", "weights"):
            steps[name] = np.where(hidden, np.nan, steps[name])
    return {name: steps[name] for name in DERIVED}


def test_at_first_the_page_shows_the_documents_example(bench):
    bench.shows(computed())
    np.testing.assert_allclose(bench.read("weights")[0], [0.4011, 0.1978, 0.4011])


def test_a_cell_edited_by_keyboard_moves_what_depends_on_it(bench):
    bench.type_into(bench.cell("Q", 0, 1), "2.5")
    changed = Q.copy()
    changed[0, 1] = 2.5
    bench.shows(computed(q=changed))
    expect(bench.cell("Q", 0, 1)).to_be_focused()


def test_a_digit_begins_an_edit_and_quick_arrows_nudge_it_without_loss(bench):
    bench.cell("V", 2, 0).focus()
    for key in ("7", *["ArrowUp"] * 5):
        bench.page.keyboard.press(key)
    changed = V.copy()
    changed[2, 0] = 7.5
    bench.shows(computed(v=changed))
    bench.page.keyboard.press("Escape")
    expect(bench.cell("V", 2, 0)).to_be_focused()


def test_a_cell_edited_by_mouse_counts_when_the_mouse_leaves(bench):
    bench.cell("K", 1, 1).click()
    bench.page.keyboard.insert_text("-3")
    bench.cell("K", 0, 0).click()
    changed = K.copy()
    changed[1, 1] = -3
    bench.shows(computed(k=changed))


@pytest.mark.parametrize("text", ["abc", "", "0,5", "1e9", "<b>1</b>"])
def test_an_edit_that_is_no_number_says_so_next_to_the_cell(bench, text):
    cell = bench.cell("Q", 0, 0)
    bench.type_into(cell, text)
    fault = cell.locator(".tl-fault")
    expect(fault).to_contain_text(f"“{text}”")
    expect(fault).to_contain_text("Still 1.")
    expect(cell.locator("input")).to_have_value(text)
    expect(cell.locator("input")).to_have_attribute("aria-invalid", "true")
    bench.shows(computed())
    bench.page.keyboard.press("Escape")
    expect(fault).to_have_count(0)
    expect(cell).to_have_text("1.00")


def test_dragging_the_temperature_shows_what_the_library_computes(bench):
    for pixels in (90, -400, 800):
        bench.drag(bench.slider("temperature"), pixels)
        bench.shows(computed(temperature=bench.setting("temperature")))
    assert bench.setting("temperature") == 5.0


def test_the_scale_and_the_mask_show_what_the_library_computes(bench):
    bench.output.get_by_text("divide by √d_k").click()
    bench.shows(computed(scale=False))
    bench.press("causal")
    bench.shows(computed(scale=False, mask="causal"))
    expect(bench.cell("weights", 0, 2)).to_have_class("tl-hidden")
    bench.press("Reset")
    bench.shows(computed())


def test_pointing_at_a_cell_tells_how_it_was_made(bench):
    bench.cell("scores", 2, 2).hover()
    expect(bench.sentence).to_contain_text("“powerful” for “powerful”")
    tops = bench.terms.locator("i").all_inner_texts()
    assert tops == ["1.00 × 1.00", "1.00 × 1.00", ""]
    assert bench.terms.locator("b").all_inner_texts() == ["1.00", "1.00", "2.00"]
    operands = bench.view.locator(".tl-operand")
    assert operands.evaluate_all("all => all.map(td => td.dataset.panel)") == list(
        "QQKK"
    )


def test_pointing_at_a_scaled_cell_tells_what_it_was_divided_by(bench):
    bench.cell("scaled", 2, 2).hover()
    expect(bench.terms.locator("i")).to_have_text(["score", "÷ √2", ""])
    root, result = plots.number(2**0.5, 3), plots.number(2**0.5, 4)
    expect(bench.terms.locator("b")).to_have_text(["2.00", root, result])
    bench.output.get_by_text("divide by √d_k").click()
    bench.cell("scaled", 2, 2).hover()
    expect(bench.terms.locator("b")).to_have_text(["2.00", "2.0000"])


def test_a_masked_cell_tells_that_it_was_hidden_before_the_softmax(bench):
    bench.press("causal")
    expect(bench.cell("weights", 0, 2)).to_have_text("hidden")
    bench.cell("weights", 0, 2).hover()
    expect(bench.terms.locator("i")).to_have_text(["hidden before the softmax", ""])
    expect(bench.terms.locator("b")).to_have_text(["no weight", "0.0000"])
    bench.cell("weights", 1, 0).hover()
    root = plots.number(0.5**0.5, 2)
    powers = [f"exp({text})" for text in ("0.00", "0.00", root)]
    tops = [powers[0], "row's sum", "", "row's sum", *powers[1:]]
    expect(bench.terms.locator("i")).to_have_text(tops)


def test_large_scores_tell_that_the_largest_was_taken_off_before_exp(bench):
    bench.type_into(bench.cell("Q", 0, 0), "50")
    bench.shows(computed(q=np.array([[50.0, 0], [0, 1], [1, 1]])))
    top = plots.number(50 / 2**0.5, 2)
    bench.cell("weights", 0, 1).hover()
    powers = [f"exp({score} − {top})" for score in (top, "0.00", top)]
    tops = [powers[1], "row's sum", "", "row's sum", *powers]
    expect(bench.terms.locator("i")).to_have_text(tops)
    tiny = f"{np.exp(-50 / 2**0.5):.2e}".replace("-", "−")
    parts = [tiny, "2.000", "0.0000", "2.000", "1.000", tiny, "1.000"]
    expect(bench.terms.locator("b")).to_have_text(parts)
    bench.cell("weights", 1, 0).hover()
    expect(bench.terms.first.locator("i")).to_have_text("exp(0.00)")


def test_the_keyboard_alone_reads_every_cell(bench):
    bench.cell("weights", 0, 0).focus()
    for key in ("ArrowRight", "ArrowDown", "End"):
        bench.page.keyboard.press(key)
    expect(bench.cell("weights", 1, 2)).to_be_focused()
    expect(bench.sentence).to_contain_text("“is” gives to “powerful”")
    parts = bench.terms.locator("b").all_inner_texts()
    total = plots.number(np.exp(0.5**0.5) * 2 + 1, 3)
    assert parts[:3] == [plots.number(np.exp(0.5**0.5), 3), total, "0.4011"]


def test_a_pinned_cell_stays_in_view_while_other_things_move(bench):
    bench.cell("output", 1, 1).click()
    bench.cell("scores", 0, 0).hover()
    expect(bench.sentence).to_contain_text("output of “is”, feature 2")
    bench.drag(bench.slider("temperature"), 60)
    temperature = bench.setting("temperature")
    result = plots.number(computed(temperature=temperature)["output"][1, 1], 4)
    expect(bench.terms.last).to_contain_text(result)
    bench.cell("output", 1, 1).click()
    bench.cell("scores", 0, 0).hover()
    expect(bench.sentence).to_contain_text("score of “AI” for “AI”")


def test_markup_in_tokens_is_text_and_does_nothing(notebook, faults):
    notebook.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}"))
    bench = ExplorerPage(notebook, 2)
    names = bench.view.locator("table").first.locator("tbody th").all_text_contents()
    assert names == NASTY
    assert notebook.locator("img[src=x]").count() == 0
    bench.cell("weights", 0, 2).hover()
    expect(bench.sentence).to_contain_text(f"“{NASTY[0]}” gives to “{NASTY[2]}”")


def test_two_benches_in_one_notebook_do_not_disturb_each_other(notebook, bench):
    second = ExplorerPage(notebook, 1)
    second.type_into(second.cell("Q", 0, 0), "9")
    changed = Q.copy()
    changed[0, 0] = 9
    second.shows(computed(q=changed))
    bench.shows(computed())


def test_the_page_writes_numbers_as_python_does(bench):
    numbers = [0.125, -0.125, -0.001, 2.675, 9999.995, 1e4, -123456.0, 0.0, 1e12]
    numbers += list(np.random.default_rng(0).normal(size=300) * 100)
    seen = bench.page.evaluate(
        """async ([source, numbers]) => {
            const code = new Blob([source], { type: "text/javascript" });
            const { number } = await import(URL.createObjectURL(code));
            return numbers.map((x) => [number(x, 2), number(x, 4)]);
        }""",
        [MatrixView._esm, [float(x) for x in numbers]],
    )
    assert seen == [[plots.number(x, 2), plots.number(x, 4)] for x in numbers]

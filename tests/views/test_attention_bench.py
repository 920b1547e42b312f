"""attention_bench in a page: edited by hand, masked, pinned; what its cells tell."""

import numpy as np
import pytest
from playwright.sync_api import expect
from views.page import account

from course import explorers
from explorable import plots
from explorable.views import STATIC, module

Q = K = [[1.0, 0], [0, 1], [1, 1]]
V = [[1.0, 2], [3, 4], [5, 6]]
WORDS = ["AI", "is", "powerful"]


@pytest.fixture
def bench(page):
    made = explorers.attention_bench(Q, K, V, WORDS)
    page.draw(made)
    return made


def test_a_cell_edited_by_keyboard_moves_what_depends_on_it(bench, page):
    page.type_into(page.cell("Q", 0, 1), "2.5")
    assert bench.inputs["Q"][0, 1] == 2.5
    assert page.shown() == account(bench)
    expect(page.cell("Q", 0, 1)).to_be_focused()


def test_a_digit_begins_an_edit_and_quick_arrows_nudge_it_without_loss(bench, page):
    page.cell("V", 2, 0).focus()
    for key in ("7", *["ArrowUp"] * 5):  # without a pause for Python's answer
        page.page.keyboard.press(key)
    page.settle()
    assert bench.inputs["V"][2, 0] == 7.5
    page.press("Shift+ArrowDown", "Escape")
    assert bench.inputs["V"][2, 0] == 6.5
    assert page.shown() == account(bench)
    expect(page.cell("V", 2, 0)).to_be_focused()


def test_a_cell_edited_by_mouse_counts_when_the_mouse_leaves(bench, page):
    page.cell("K", 1, 1).click()
    page.page.keyboard.insert_text("-3")
    page.cell("K", 0, 0).click()
    page.settle()
    assert bench.inputs["K"][1, 1] == -3


@pytest.mark.parametrize("text", ["abc", "", "0,5", "1e9", "<b>1</b>"])
def test_an_edit_that_is_no_number_says_so_next_to_the_cell(bench, page, text):
    said = "±1000000, got 1000000000.0" if text == "1e9" else f"“{text}”"
    cell, before = page.cell("Q", 0, 0), account(bench)
    page.type_into(cell, text)
    fault = cell.locator(".tl-fault")
    expect(fault).to_contain_text(said)
    expect(fault).to_contain_text("Still 1.")
    expect(cell.locator("input")).to_have_value(text)
    expect(cell.locator("input")).to_have_attribute("aria-invalid", "true")
    assert page.shown() == account(bench) == before
    page.press("Escape")
    expect(fault).to_have_count(0)
    expect(cell).to_have_text("1.00")


def test_an_edit_that_the_kernel_never_hears_says_so(bench, page):
    page.page.evaluate("void (window.kernel = () => { throw Error(0) })")
    page.type_into(page.cell("Q", 0, 0), "5")
    expect(page.find(".tl-fault")).to_contain_text("The kernel has stopped")
    page.reload()


def test_a_masked_cell_says_hidden_and_gets_its_number_back(bench, page):
    before = page.shown()
    bench.controls["mask"].value = "causal"
    expect(page.cell("weights", 0, 2)).to_contain_class("tl-hidden")
    assert page.shown()["numbers"]["weights"][0][1:] == ["hidden", "hidden"]
    bench.reset()
    assert page.shown() == before


def test_going_to_a_cell_tells_how_it_was_made(bench, page):
    sentence, chips, operands = page.explanation("scores", 2, 2)
    assert "“powerful” for “powerful”" in sentence
    product = ["1.00 × 1.00", "1.00"]
    assert chips == [["", *product], ["+", *product], ["=", "", "2.00"]]
    assert [panel for panel, _, _ in operands] == list("QQKK")


def test_a_scaled_cell_tells_what_it_was_divided_by(bench, page):
    root = plots.number(2**0.5, 2)
    _, chips, _ = page.explanation("scaled", 2, 2)
    assert chips == [["", "score", "2.00"], ["÷", "√2", root], ["=", "", root]]
    bench.controls["scale"].value = False
    _, chips, _ = page.explanation("scaled", 2, 2)
    assert [below for *_, below in chips] == ["2.00", "2.00"]


def test_a_masked_cell_tells_that_it_was_hidden_before_the_softmax(bench, page):
    bench.controls["mask"].value = "causal"
    _, chips, _ = page.explanation("weights", 0, 2)
    assert chips == [["", "hidden before the softmax", "no weight"], ["=", "", "0.00"]]
    root = plots.number(0.5**0.5, 2)
    powers = [f"exp({text})" for text in ("0.00", "0.00", root)]
    _, chips, _ = page.explanation("weights", 1, 0)
    tops = [powers[0], "row’s sum", "", "row’s sum", *powers[1:]]
    assert [above for _, above, _ in chips] == tops


def test_large_scores_tell_that_the_largest_was_taken_off_before_exp(bench, page):
    bench.edit("Q", 0, 0, 50)
    top = plots.number(50 / 2**0.5, 2)
    powers = [f"exp({score} − {top})" for score in (top, "0.00", top)]
    tops = [powers[1], "row’s sum", "", "row’s sum", *powers]
    parts = ["0.000", "2.000", "0.00", "2.000", "1.000", "0.000", "1.000"]
    _, chips, _ = page.explanation("weights", 0, 1)
    signs = ["", "÷", "=", "where", "=", "+", "+"]
    assert chips == [list(chip) for chip in zip(signs, tops, parts, strict=True)]
    assert page.explanation("weights", 1, 0)[1][0][1] == "exp(0.00)"


COPIED = """() => {
    getSelection().selectAllChildren(document.querySelector(".tl-sum"));
    return getSelection().toString();
}"""


@pytest.mark.parametrize("panel", ["scores", "scaled", "weights", "output"])
def test_who_copies_a_calculation_has_its_signs_too(panel, bench, page):
    """They are text, in the order in which it is read, and not a style sheet's."""
    _, chips, _ = page.explanation(panel, 1, 0)
    read = [part for chip in chips for part in chip if part]
    assert {"scores": "+", "weights": "÷"}.get(panel, "=") in read
    assert page.page.evaluate(COPIED).split() == " ".join(read).split()


def test_the_keyboard_alone_reads_every_cell(page, bench):
    page.cell("weights", 0, 0).focus()
    page.press("ArrowRight", "ArrowDown", "End")
    expect(page.cell("weights", 1, 2)).to_be_focused()
    expect(page.find(".tl-about")).to_contain_text("“is” gives to “powerful”")
    power, total = np.exp(0.5**0.5), 2 * np.exp(0.5**0.5) + 1
    parts = [plots.number(x, 3) for x in (power, total)]
    assert page.texts(".tl-chip b")[:3] == [*parts, "0.40"]


def test_a_pinned_cell_stays_in_view_while_other_things_move(bench, page):
    page.cell("output", 1, 1).click()
    page.cell("scores", 0, 0).hover()
    expect(page.find(".tl-about")).to_contain_text("output of “is”, feature 2")
    bench.controls["temperature"].value = 1.7
    result = plots.number(bench.values["output"][1, 1], 2)
    expect(page.find(".tl-chip").last).to_contain_text(result)
    page.cell("output", 1, 1).click()
    page.cell("scores", 0, 0).hover()
    expect(page.find(".tl-about")).to_contain_text("score of “AI” for “AI”")


def test_two_benches_do_not_disturb_each_other(bench, page):
    second = explorers.attention_bench(Q, K, V, WORDS)
    page.draw(bench, second)
    before = account(bench)
    page.type_into(page.cell("Q", 0, 0).nth(1), "9")
    assert second.inputs["Q"][0, 0] == 9
    assert account(bench) == before


def test_the_page_writes_numbers_as_python_does(page):
    numbers = [0.125, -0.125, -0.001, 2.675, 9999.995, 1e4, -123456.0, 0.0, 1e12]
    numbers += [999.994, 999.9999, 1281.0, -1234.5678, 9999.999]  # with commas
    numbers += [10_050.0, -10_250.0, 99_950.0, 1.0045e30]  # halves
    numbers += (np.random.default_rng(0).normal(size=300) * 100).tolist()
    seen = page.page.evaluate(
        """async ([source, numbers]) => {
            const code = new Blob([source], { type: "text/javascript" });
            const { number } = await import(URL.createObjectURL(code));
            return numbers.map((x) => [number(x, 2), number(x, 4)]);
        }""",
        [module(STATIC / "shared/numbers.js"), numbers],
    )
    assert seen == [[plots.number(x, 2), plots.number(x, 4)] for x in numbers]

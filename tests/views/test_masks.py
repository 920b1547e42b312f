"""mask_lab and hiding_bench in a page: cells turned over, and rows that see nothing."""

import re

import pytest
from playwright.sync_api import expect
from views.page import account

from course import explorers

TOKENS = ["AI", "is", "powerful"]
SOURCE = ["I", "love", "<b>AI</b>", "too"]
SCORES = [[0.7, 0.0, 0.7], [0.0, 0.7, 0.7], [0.7, 0.7, 1.4]]
V = [[1.0, 2], [3, 4], [5, 6]]
ACROSS = [[1.0, 0, 2, 1], [0, 1, 0, 3], [2, 2, 1, 0]]
SOURCE_V = [[1.0, 0], [0, 1], [2, 2], [9, 9]]
WAYS = explorers.mask_lab(SCORES, V, TOKENS).controls["hide"].options


@pytest.fixture
def lab(page):
    made = explorers.mask_lab(SCORES, V, TOKENS, cross=(ACROSS, SOURCE_V, SOURCE))
    page.draw(made)
    return made


@pytest.fixture
def bench(page):
    made = explorers.hiding_bench([1.2, 0.4, -0.3, 0.9], [1, 2, 3, 4], SOURCE, [3])
    page.draw(made)
    return made


def says(page, panel):
    return page.shown()["numbers"][panel]


@pytest.mark.parametrize("way", WAYS)
def test_a_row_that_may_look_nowhere_is_shown_in_every_way_of_hiding(lab, page, way):
    lab.controls["hide"].value = way
    page.cell("may_look", 0, 0).click()
    page.settle()
    assert says(page, "may_look")[0] == ["False"] * 3
    assert page.shown() == account(lab)
    first = says(page, "weights")[0]
    assert ("NaN" in first) == (way in ("−∞ by hand", "after ÷ Σ"))


@pytest.mark.parametrize("key", ["Enter", " ", "click"])
def test_a_cell_of_the_mask_is_turned_over_and_back(lab, page, key):
    cell = page.cell("may_look", 0, 2)
    for state in (True, False):
        if key == "click":
            cell.click()
        else:
            cell.focus()
            page.press(key)
        page.settle()
        assert cell.text_content() == str(state)
        assert page.shown() == account(lab)
        assert page.texts(".tl-chip b")[0] == str(state)
    if key != "click":
        expect(cell).to_be_focused()


def test_two_presses_in_a_row_turn_a_cell_over_and_back(lab, page):
    before = page.shown()
    page.cell("may_look", 0, 2).focus()
    for _ in range(2):  # without a pause for Python's answer
        page.page.keyboard.press("Enter")
    page.settle()
    assert page.shown() == account(lab) == before


def test_digits_leave_a_mask_alone(lab, page):
    before = page.shown()
    page.cell("may_look", 0, 2).focus()
    page.press("1", "-", "0", "ArrowLeft")
    expect(page.cell("may_look", 0, 1)).to_be_focused()
    expect(page.find(".tl-editor")).to_have_count(0)
    assert page.shown() == before


def test_the_three_conventions_turn_over_together(lab, page):
    lab.controls["convention"].value = "all three"
    page.cell("added", 0, 2).click()
    page.settle()
    assert says(page, "may_look")[:2] == [
        ["True", "False", "True"],
        ["True"] * 2 + ["False"],
    ]
    page.cell("hides", 0, 1).click()
    page.settle()
    assert says(page, "added") == [["0"] * 3, ["0", "0", "−∞"], ["0"] * 3]
    assert says(page, "hides")[:2] == [["False"] * 3, ["False", "False", "True"]]
    names = {"hidden": "hides", "0 / −∞": "added", "may look": "may_look"}
    for name, shown in names.items():
        lab.controls["convention"].value = name
        expect(page.find(f"td[data-panel={shown}].tl-turn")).to_have_count(9)
        expect(page.find("td.tl-turn")).to_have_count(9)


def test_cross_names_its_source_and_a_padded_end(lab, page):
    lab.controls["mask"].value = "cross"
    sentence, *_ = page.explanation("weights", 1, 2)
    assert "“is” gives to “<b>AI</b>”" in sentence
    expect(page.find("b b")).to_have_count(0)
    lab.controls["mask"].value = "padding"
    lab.controls["length"].value = 0
    assert page.shown()["labels"]["weights"][1] == ["⟨pad⟩"] * 3


CHANGED = """() => [...document.querySelectorAll("td.tl-changed")].map(
    (td) => [td.dataset.panel, +td.dataset.row, +td.dataset.column])"""
NOTED = "(note) => getComputedStyle(note, '::after').content"


def test_what_the_last_change_has_changed_is_outlined(lab, page):
    assert page.page.evaluate(CHANGED) == []
    told = page.find('.tl-panel:has(td[data-panel="weights"]) > .tl-note')
    assert told.evaluate(NOTED) == "none"  # nothing is dashed yet
    page.cell("may_look", 0, 2).click()
    page.settle()
    assert "dashed" in told.evaluate(NOTED)
    # The first row alone: two of its weights, and its output.
    expected = [["masked", 0, 2], ["weights", 0, 0], ["weights", 0, 2]]
    expected += [["output", 0, 0], ["output", 0, 1]]
    assert page.page.evaluate(CHANGED) == expected
    page.cell("weights", 1, 1).hover()  # which changes nothing
    assert page.page.evaluate(CHANGED) == expected
    page.type_into(page.cell("scores", 0, 1), "5")  # a hidden score
    assert page.page.evaluate(CHANGED) == []
    page.type_into(page.cell("scores", 0, 0), "0.7000001")  # not seen in two decimals
    assert page.page.evaluate(CHANGED) == []


def test_a_leak_is_red_with_a_sign_until_the_mask_closes_it(page):
    made = explorers.leak_detector(TOKENS, model="second unmasked")
    page.draw(made)
    assert page.shown() == account(made)
    flagged = page.find("td.tl-flagged")
    expect(flagged).to_have_count(3)
    assert all(text.endswith("!") for text in page.texts("td.tl-flagged"))
    expect(flagged.first).to_have_css("background-color", "rgb(179, 38, 30)")
    made.controls["model"].value = "both masked"
    expect(page.find('[data-panel="moved"].tl-flagged')).to_have_count(0)
    assert page.shown() == account(made)


def test_all_keys_hidden_by_hand_show_nan_zero_and_the_mean(bench, page):
    for key in range(3):
        page.cell("may_look", 0, key).click()
    page.settle()
    assert says(page, "output") == [["0"], ["NaN!"], ["2.50!"], ["0"], ["NaN!"]]
    expect(page.cell("output", 1, 0)).to_have_class(re.compile("tl-nan"))


def test_a_hidden_score_is_edited_and_counts_only_after_the_softmax(bench, page):
    before = says(page, "output")
    page.type_into(page.cell("scores", 0, 3), "5")
    after = says(page, "output")
    assert page.shown() == account(bench)
    assert [a == b for a, b in zip(before, after, strict=True)].count(False) == 1

"""mask_lab, hiding_bench and leak_detector in real JupyterLab, at every end."""

import re

import numpy as np
import pytest
from lab.explorer_page import ExplorerPage
from lab.lab import settle
from playwright.sync_api import expect

from transformer_lib.explorers.masks.hiding import KINDS, WAYS
from transformer_lib.explorers.masks.hiding_bench import hiding_steps
from transformer_lib.explorers.masks.leak_detector import leak_steps
from transformer_lib.explorers.masks.leaky import KINDS as MODELS
from transformer_lib.explorers.masks.mask_lab import PAD, mask_steps

TOKENS = ["AI", "is", "powerful"]
SOURCE = ["I", "love", "<b>AI</b>", "too"]
SCORES = np.array([[0.7, 0.0, 0.7], [0.0, 0.7, 0.7], [0.7, 0.7, 1.4]])
V = np.array([[1.0, 2], [3, 4], [5, 6]])
ACROSS = np.array([[1.0, 0, 2, 1], [0, 1, 0, 3], [2, 2, 1, 0]])
SOURCE_V = np.array([[1.0, 0], [0, 1], [2, 2], [9, 9]])
ROW, VALUES = [1.2, 0.4, -0.3, 0.9], [1.0, 2, 3, 4]
AS_PRESET = np.full((3, 3), np.nan)
CELLS = [
    "from transformer_lib import explorers",
    f"explorers.mask_lab({SCORES.tolist()}, {V.tolist()}, {TOKENS},"
    f" cross=({ACROSS.tolist()}, {SOURCE_V.tolist()}, {SOURCE}))",
    f"explorers.hiding_bench({ROW}, {VALUES}, {SOURCE}, hidden=[3])",
    f"explorers.leak_detector({TOKENS})",
]


@pytest.fixture
def explorer(lab, open_notebook):
    page = open_notebook(lab.add("masks.ipynb", CELLS), keep=True)

    def choose(nth):
        page.keyboard.press("Escape")
        page.mouse.move(0, 0)
        found = MaskPage(page, nth)
        found.press("Reset")
        for name, cells in at_first(nth).items():
            found.says(name, cells)
        return found

    return choose


def at_first(nth):
    """What every cell says before anything is pushed: the same call, without a page."""
    scope = {}
    exec(CELLS[0], scope)
    made = eval(CELLS[1 + nth], scope)
    return {p.name: p.cells(made.values[p.name]) for p in made._current_panels()}


def number(text):
    """Read a number, a truth value or an infinity as Python's float."""
    known = {"True": 1.0, "False": 0.0, "∞": np.inf, "−∞": -np.inf}
    return known[text] if text in known else float(text.replace("−", "-"))


class MaskPage(ExplorerPage):
    """An explorer whose cells may also say True, False, NaN or −∞."""

    def said(self, panel):
        """Read what every cell of a panel says, row by row."""
        cells = self.view.locator(f'td[data-panel="{panel}"]')
        found = cells.evaluate_all(
            "all => all.map(td => [+td.dataset.row, td.firstChild.textContent])"
        )
        rows = [[] for _ in range(1 + max((row for row, _ in found), default=-1))]
        for row, text in found:
            rows[row].append(text)
        return rows

    def says(self, panel, expected):
        for _ in range(400):
            if self.said(panel) == expected:
                return
            self.page.wait_for_timeout(50)
        assert self.said(panel) == expected

    def read(self, panel):
        return np.array([[number(t) for t in row] for row in self.said(panel)])

    def slide(self, label, key):
        """Bring a slider to an end with the keyboard."""
        self.slider(label).press(key)


def lab_shows(page, look=AS_PRESET, **settings):
    s = mask_steps(SCORES, V, look, **settings)
    names = ("may_look", "masked", "weights", "sum", "output")
    page.shows({name: s[name] for name in names})


@pytest.mark.parametrize("mask", KINDS)
def test_every_mask_at_both_ends_of_the_length(explorer, mask):
    page = explorer(0)
    page.press(mask)
    lab_shows(page, mask=mask, length=3)
    if "padding" not in mask:  # a length would move nothing: it rests
        page.slide("real tokens", "Home")
        settle(page.page)
        expect(page.slider("real tokens")).to_have_attribute("aria-valuenow", "3.0")
        return lab_shows(page, mask=mask, length=3)
    for key, length in (("Home", 0), ("End", 3)):
        page.slide("real tokens", key)
        lab_shows(page, mask=mask, length=length)
    page.slide("real tokens", "Home")
    heads = page.view.locator("td[data-panel=weights]").first
    labels = heads.locator("xpath=ancestor::table").locator("thead th")
    return expect(labels).to_have_text([PAD] * 3)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_hiding_with_a_row_that_may_look_nowhere(explorer, way):
    page = explorer(0)
    page.press(way)
    lab_shows(page, mask="causal", length=3, hide=way)
    page.cell("may_look", 0, 0).click()
    look = AS_PRESET.copy()
    look[0, 0] = 0
    lab_shows(page, look, mask="causal", length=3, hide=way)
    first = page.said("weights")[0]
    assert ("NaN" in first) == (way in ("−∞ by hand", "after ÷ Σ"))


@pytest.mark.parametrize("key", ["Enter", " ", "click"])
def test_a_cell_of_the_mask_is_turned_over_and_back(explorer, key):
    page = explorer(0)
    cell = page.cell("may_look", 0, 2)
    look = AS_PRESET.copy()
    for state in (1, 0):
        if key == "click":
            cell.click()
        else:
            cell.focus()
            page.page.keyboard.press(key)
        look[0, 2] = state
        lab_shows(page, look, mask="causal", length=3)
        expect(cell).to_have_text(str(bool(state)))
        expect(page.terms.locator("b").nth(0)).to_have_text(str(bool(state)))
    if key != "click":
        expect(cell).to_be_focused()


def test_two_presses_in_a_row_turn_a_cell_over_and_back(explorer):
    page = explorer(0)
    page.cell("may_look", 0, 2).focus()
    for _ in range(2):
        page.page.keyboard.press("Enter")
    settle(page.page)
    lab_shows(page, mask="causal", length=3)


def test_digits_leave_a_mask_and_the_notebook_alone(explorer):
    page = explorer(0)
    page.cell("may_look", 0, 2).focus()
    for key in "1-0":
        page.page.keyboard.press(key)
    page.page.keyboard.press("ArrowLeft")
    expect(page.cell("may_look", 0, 1)).to_be_focused()
    assert page.view.locator(".tl-editor").count() == 0
    lab_shows(page, mask="causal", length=3)


def test_the_three_conventions_turn_over_together(explorer):
    page = explorer(0)
    page.press("all three")
    page.cell("added", 0, 2).click()
    page.says(
        "may_look", [["True", "False", "True"], ["True", "True", "False"], ["True"] * 3]
    )
    page.cell("hides", 0, 1).click()
    page.says("added", [["0", "0", "0"], ["0", "0", "−∞"], ["0", "0", "0"]])
    page.says("hides", [["False"] * 3, ["False", "False", "True"], ["False"] * 3])
    for name, shown in (
        ("hidden", "hides"),
        ("0 / −∞", "added"),
        ("may look", "may_look"),
    ):
        page.press(name)
        expect(page.view.locator(f"td[data-panel={shown}].tl-turn")).to_have_count(9)
        expect(page.view.locator("td.tl-turn")).to_have_count(9)


def test_cross_shows_the_source_as_columns_and_its_padding(explorer):
    page = explorer(0)
    page.press("cross")
    expect(page.cell("weights", 2, 3)).to_be_visible()
    for key, length in (("Home", 0), ("End", 4)):
        page.slide("real source tokens", key)
        s = mask_steps(
            ACROSS, SOURCE_V, np.full((3, 4), np.nan), mask="cross", length=length
        )
        page.shows({name: s[name] for name in ("may_look", "weights", "output")})
    page.cell("weights", 1, 2).hover()
    expect(page.sentence).to_contain_text("“is” gives to “<b>AI</b>”")
    assert page.view.locator("b b").count() == 0


def test_a_hidden_score_moves_nothing_unless_it_is_hidden_after_the_softmax(explorer):
    page = explorer(1)
    page.type_into(page.cell("scores", 0, 3), "5")
    s = hiding_steps(
        np.array([[*ROW[:3], 5.0]]), np.array([VALUES]), np.array([[1.0, 1, 1, 0]])
    )
    page.shows({name: s[name] for name in ("weights", "sum", "output")})


def test_all_keys_hidden_by_hand_show_nan_zero_and_the_mean(explorer):
    page = explorer(1)
    for key in range(3):
        page.cell("may_look", 0, key).click()
    page.says("output", [["0"], ["NaN"], ["2.50"], ["0"], ["NaN"]])
    expect(page.cell("output", 1, 0)).to_have_class(re.compile("tl-nan"))


@pytest.mark.parametrize("model", MODELS)
def test_the_detector_follows_its_controls_to_their_ends(explorer, model):
    page = explorer(2)
    page.press(model)
    for key, n_blocks, position in (("End", 4, 3), ("Home", 1, 1)):
        page.slide("blocks", key)
        page.slide("change token", key)
        s = leak_steps(3, model=model, n_blocks=n_blocks, position=position)
        page.shows(
            {name: s[name] for name in ("moved", "before", "after", "difference")}
        )
    zeros = [row.count("0") for row in page.said("moved")]
    assert zeros == ([2, 1, 0] if model in ("GPT-style", "both masked") else [0, 0, 0])

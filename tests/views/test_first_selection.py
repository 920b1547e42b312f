"""What an explorer explains before the reader points at anything is worth reading."""

import numpy as np
import pytest
from gallery import GALLERY, explorer_of

from explorable.drawings.bars import Bars
from explorable.drawings.matrix import Matrix
from explorable.drawings.picture import PixelGrid

SELECTED = """() => [...document.querySelectorAll(".tl")].flatMap((view, n) => {
    const at = view.querySelector("[data-panel].tl-now");
    const account = document.querySelectorAll(".tl-account")[n];
    const result = account.querySelector(".tl-result");
    if (!at || !result) return [];
    const { panel, row, column } = at.dataset;
    const said = result.lastElementChild.textContent;
    return [[panel, +row, +column, said, at.matches("td.tl-edit")]];
})"""


def selected(page):
    """What is selected in each view: its place, its number, and whether it is typed."""
    return page.page.evaluate(SELECTED)


@pytest.mark.parametrize("name", GALLERY)
def test_every_explorer_opens_with_a_number_that_is_not_zero(name, page):
    page.draw(GALLERY[name].make(5))
    for panel, *_, said, typed in selected(page):
        assert said.strip("−.0") != "", panel
        assert not typed, panel


def table(name, x, **look):
    rows, columns = ([str(n) for n in range(count)] for count in x.shape)
    return Matrix(name=name, rows=rows, columns=columns, **look)


@pytest.mark.parametrize(
    "name", ["digit_training", "masked_words", "patch_attention", "picture_writing"]
)
def test_what_a_model_says_is_explained_before_what_it_is_given(name):
    explorer = GALLERY[name].example
    [leads] = [d for d in explorer.drawings if d.leads]
    assert explorer.view is explorer.views[leads.band, "bars"]


def test_the_largest_number_of_the_last_table_is_selected(page):
    x = np.array([[0.1, np.nan, -3.0], [2.0, np.inf, 9.0]])
    hidden = x == 9
    drawn = [table("x", x), table("y", -x, hidden=hidden)]
    page.draw(explorer_of(lambda: {"x": x, "y": -x}, lambda _: drawn))
    assert [at[:3] for at in selected(page)] == [["y", 0, 2]]


def test_what_must_not_be_is_selected_before_what_is_larger(page):
    x = np.array([[0.1, 0.5, -3.0], [2.0, 0.4, 9.0]])
    drawn = [table("x", x, flagged=(x > 0.3) & (x < 1))]
    page.draw(explorer_of(lambda: {"x": x}, lambda _: drawn))
    assert [at[:3] for at in selected(page)] == [["x", 0, 1]]


def test_bars_open_with_the_longest_or_with_the_one_that_is_the_point(page):
    """Of word vectors that are trained, a distance from before was explained."""
    x = np.array([[0.2, 0.9], [1.0, 0.4]])
    for opens, first in ((), [1, 0]), ((0, 1), [0, 1]):
        look = {"labels": ["a", "b"], "series": ("before", "after"), "opens": opens}
        drawn = Bars(name="x", **look)
        page.draw(explorer_of(lambda: {"x": x}, lambda _, drawn=drawn: [drawn]))
        assert [at[1:3] for at in selected(page)] == [first]


def test_of_numbers_that_are_about_equal_the_first_is_selected(page):
    x = np.array([[0.2, 0.99], [1.0, 0.0]])
    page.draw(explorer_of(lambda: {"x": x}, lambda _: [table("x", x)]))
    assert [at[:3] for at in selected(page)] == [["x", 0, 1]]


def test_the_row_that_is_followed_is_the_one_selected_from(page):
    x = np.array([[9.0, 1.0], [1.0, 2.0]])
    drawn = [table("x", x, leads=True, followed=1), table("y", x)]
    page.draw(explorer_of(lambda: {"x": x, "y": x}, lambda _: drawn))
    assert [at[:3] for at in selected(page)] == [["x", 1, 1]]


def test_where_some_cells_are_framed_the_largest_of_these_is_selected(page):
    """While a model learns, the target of a row says more than its largest number."""
    x = np.array([[9.0, 1.0], [0.2, 0.5]])
    framed = np.array([[False, True], [True, False]])
    page.draw(explorer_of(lambda: {"x": x}, lambda _: [table("x", x, outlined=framed)]))
    assert [at[:3] for at in selected(page)] == [["x", 0, 1]]
    drawn = table("x", x, outlined=framed, opens=1)
    page.draw(explorer_of(lambda: {"x": x}, lambda _: [drawn]))
    assert [at[:3] for at in selected(page)] == [["x", 1, 0]]


def test_the_longest_bar_that_shows_its_number_is_selected(page):
    x = np.array([[-5.0, 1.0], [3.0, 2.0], [4.0, 0.0]])
    look = {"labels": [*"abc"], "series": [*"xy"], "hues": ("query", "key")}
    drawn = Bars(name="x", scale=(-5, 5), hidden=x == 4, **look)
    page.draw(explorer_of(lambda: {"x": x}, lambda _: [drawn]))
    assert [at[:3] for at in selected(page)] == [["x", 1, 0]]


def test_the_bar_of_all_others_is_not_selected(page):
    x = np.array([[0.3], [0.1], [0.6]])
    drawn = Bars(name="x", labels=["a", "b", "9 others"], palette="query", rest=True)
    page.draw(explorer_of(lambda: {"x": x}, lambda _: [drawn]))
    assert [at[:3] for at in selected(page)] == [["x", 0, 0]]


def test_the_darkest_cell_of_the_patch_with_the_most_weight_is_selected(page):
    x = np.array([[1.0, 0.5, 0.1, 0.2], [0.3, 0.1, 0.4, 0.1]])
    weights = {"x": x, "x.weights": np.array([[0.1, 0.9]])}
    drawn = PixelGrid(name="x", size=(2, 4), patch=(2, 2))
    page.draw(explorer_of(lambda: weights, lambda _: [drawn]))
    assert [at[:3] for at in selected(page)] == [["x", 1, 2]]

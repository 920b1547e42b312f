"""LinksView, TilesView and panels that are chosen, in real JupyterLab."""

import re

import numpy as np
import pytest
from lab.explorer_page import ExplorerPage
from lab.lab import settle
from playwright.sync_api import expect

from transformer_lib import explorers
from transformer_lib.explorers.multi_head.heads import heads_sheet
from transformer_lib.explorers.multi_head.split_lab import CODES, split_sheet

CATS = "the cats sleep under the tree and"
FREE = {"sentence": CATS, "model": "free", "removed": "none", "example": ""}
MAKE_LINKS = """
import numpy as np
from transformer_lib.explorers.toolkit.explorer import Explorer
from transformer_lib.explorers.toolkit.links import Links
def linked(T, S):
    weights = np.full((T, S), 1 / S)
    rows, columns = [f"q{n}" for n in range(T)], [f"k{n}" for n in range(S)]
    links = Links(name="w", title="w", rows=rows, columns=columns)
    return Explorer(lambda: {"w": weights}, lambda arrays: [links], {}, {})
"""
CELLS = [
    "from transformer_lib import explorers" + MAKE_LINKS,
    f"explorers.heads({CATS!r}, model='free')",
    "explorers.split_lab()",
    "linked(1, 1)",
    "linked(64, 64)",
    "explorers.head_split()",
]
GRID, LARGE, LINKS, TILES, ONE, MANY, SPLIT = range(7)  # the .tl of each view


@pytest.fixture
def views(lab, open_notebook):
    page = open_notebook(lab.add("heads.ipynb", CELLS), keep=True)
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    outputs = page.locator(".jp-OutputArea-output:has(.tl)")
    expect(outputs).to_have_count(5)
    found = [HeadsPage(page, nth) for nth in range(7)]
    settle(page)
    resets = page.get_by_role("button", name="Reset")
    resets.evaluate_all("all => all.forEach(button => button.click())")
    settle(page)
    expect(found[GRID].view.locator(".tl-chosen")).to_contain_text("head 2")
    return found


@pytest.fixture
def links(views):
    return views[LINKS]


class HeadsPage(ExplorerPage):
    """A view of links or tiles as well: its words, its lines, its numbers."""

    def __init__(self, page, nth):
        self.page = page
        self.view = page.locator(".tl").nth(nth)
        around = "ancestor::*[contains(@class, 'jp-OutputArea-output')][1]"
        self.output = self.view.locator(f"xpath={around}")
        expect(self.view).to_be_visible()

    def word(self, side, n):
        return self.view.locator(f'button[data-side="{side}"][data-n="{n}"]')

    def numbers(self, side):
        place = ":first-child" if side == "row" else ":last-child"
        return self.view.locator(f".tl-side{place} .tl-weight").all_inner_texts()

    def lit(self):
        """Which lines stand out, by query and key."""
        width = self.view.locator(".tl-side").last.locator("button").count()
        on = self.view.locator("svg path").evaluate_all(
            "all => all.map((path, n) => [n, path.style.display !== 'none'"
            " && Number(getComputedStyle(path).opacity) > 0.06])"
        )
        return {divmod(n, width) for n, shown in on if shown}

    def choose(self, label, name):
        control = self.output.locator(".tl-choice", has_text=label)
        control.get_by_role("button", name=name, exact=True).click()


def weights(head=2, **more):
    return heads_sheet(head=head, **{**FREE, **more})["weights"]


def said(values):
    """Numbers as the page writes them; NaN stands for what is hidden."""
    return ["hidden" if np.isnan(x) else f"{x:.2f}" for x in values]


def test_a_query_in_view_shows_its_lines_alone_and_its_weights_as_numbers(links):
    links.word("row", 5).hover()
    row = weights()[5].copy()
    expect(links.sentence).to_have_text("what “the” looks at in head 2")
    row[6:] = np.nan
    assert links.numbers("column") == said(row)
    assert links.numbers("row") == [""] * 8
    assert {q for q, _ in links.lit()} == {5}


def test_a_key_in_view_shows_who_looks_at_it(links):
    links.word("column", 2).hover()
    column = weights()[:, 2].copy()
    expect(links.sentence).to_have_text("how much looks at “cats” in head 2")
    column[:2] = np.nan
    assert links.numbers("row") == said(column)
    assert {k for _, k in links.lit()} == {2}


def test_away_from_the_words_every_line_is_back_and_none_is_masked(links):
    links.word("row", 5).hover()
    links.page.mouse.move(2, 2)
    expect(links.sentence).to_have_text("Point at a word to see its weights.")
    lit = links.lit()
    assert len({q for q, _ in lit}) > 4
    assert all(k <= q for q, k in lit)
    assert links.numbers("column") == [""] * 8


def test_the_keyboard_walks_pins_and_lets_go(links):
    page = links.page
    links.word("row", 0).focus()
    page.keyboard.press("End")
    expect(links.word("row", 7)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    expect(links.word("column", 6)).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    expect(links.word("column", 1)).to_have_attribute("aria-pressed", "true")
    links.word("row", 6).hover()
    expect(links.sentence).to_have_text("how much looks at “the” in head 2")
    page.keyboard.press("Escape")
    expect(links.word("column", 1)).to_have_attribute("aria-pressed", "false")
    assert links.view.locator('button[tabindex="0"]').count() == 1


def test_a_place_is_shown_in_the_grid_the_matrix_and_the_links(views):
    views[LINKS].word("row", 4).hover()
    for nth, count in ((GRID, 4 * 8), (LARGE, 8)):
        rung = views[nth].view.locator('td.tl-also[data-row="4"]')
        expect(rung).to_have_count(count)
        expect(views[nth].view.locator("td.tl-also")).to_have_count(count)
    views[LARGE].cell("weights", 6, 2).hover()
    expect(views[LINKS].view.locator(".tl-end.tl-now button")).to_have_text(
        ["tree", "cats"]
    )
    expect(views[GRID].view.locator("td.tl-also")).to_have_count(4)


@pytest.mark.parametrize("way", ["heading", "cell", "key"])
def test_a_small_head_is_chosen_and_every_number_changes_in_place(views, way):
    links, grid = views[LINKS], views[GRID]
    links.word("row", 7).click()
    links.view.evaluate("el => el.querySelector('svg').dataset.mine = 'yes'")
    if way == "heading":
        grid.view.get_by_role("button", name="head 4").click()
    elif way == "cell":
        grid.cell("head 4", 3, 1).click()
    else:
        grid.cell("head 4", 0, 0).focus()
        grid.page.keyboard.press("Enter")
    views[LARGE].shows({"weights": np.where(np.tri(8), weights(4), np.nan)})
    expect(links.sentence).to_have_text("what “and” looks at in head 4")
    assert links.numbers("column") == said(weights(4)[7])
    expect(links.view.locator("svg")).to_have_attribute("data-mine", "yes")
    chosen = grid.view.locator("[aria-pressed=true]")
    expect(chosen).to_have_text("head 4")
    links.view.locator("button").first.focus()
    links.page.keyboard.press("Escape")


@pytest.mark.parametrize("removed", ["none", "1", "2", "3", "4"])
@pytest.mark.parametrize("model", ["taught", "free"])
def test_every_head_removed_shows_what_the_model_computes(views, model, removed):
    views[GRID].choose("model", model)
    views[GRID].choose("remove head", removed)
    asked = {**FREE, "model": model, "removed": removed, "head": 2}
    steps = heads_sheet(**asked)
    views[GRID].shows({"next": steps["next"]})
    shown = np.where(np.tri(8), steps["weights"], np.nan)
    views[LARGE].shows({"weights": shown})


def test_nothing_jumps_when_a_head_is_removed_or_the_model_changes(views):
    def corners():
        return (
            views[GRID]
            .output.locator("figure")
            .evaluate_all(
                "all => all.map(f => f.getBoundingClientRect())"
                ".map((r, _, [first]) => [r.x - first.x, r.y - first.y])"
            )
        )

    before = corners()
    told = views[GRID].view.locator(".tl-note")
    for label, name, first in (
        ("model", "taught", "→ the word before"),
        ("remove head", "2", "→ the word before"),
        ("model", "free", "told nothing"),
    ):
        views[GRID].choose(label, name)
        expect(told.nth(0)).to_have_text(first)
        assert corners() == before
    expect(told.nth(1)).to_have_text("removed")


@pytest.mark.parametrize("text", ["<img src=x onerror=alert(1)>", "the 😀", "ه the"])
def test_a_sentence_that_cannot_be_read_is_refused_in_one_line(views, text):
    line = views[GRID].output.get_by_label("sentence")
    line.fill(text)
    line.press("Enter")
    message = views[GRID].view.locator(".tl-message")
    expect(message).to_contain_text("does not know the word")
    assert views[GRID].view.locator("img").count() == 0
    views[LARGE].shows({"weights": np.where(np.tri(8), weights(), np.nan)})
    views[GRID].press("Reset")
    expect(message).to_be_empty()


def test_another_sentence_is_read_and_shown(views):
    line = views[GRID].output.get_by_label("sentence")
    line.fill("I love AI")
    line.press("Enter")
    expect(views[LINKS].view.locator(".tl-side:first-child button")).to_have_text(
        ["⟨SOS⟩", "I", "love", "AI"]
    )


def test_links_of_one_and_of_64_words_fit_and_can_be_read(views):
    for nth, size in ((ONE, 1), (MANY, 64)):
        view = views[nth]
        view.word("row", size - 1).hover()
        assert view.numbers("column") == said([1 / size] * size)
        assert view.view.locator("svg path").count() == size * size
        box = view.view.bounding_box()
        assert box["width"] < 1280


# ── TilesView ───────────────────────────────────────────────────────────────────
def places(tiles, panel):
    found = tiles.view.locator(f'.tl-tile[data-panel="{panel}"]').evaluate_all(
        "all => all.map(t => [t.style.left, t.style.top])"
    )
    return [[float(re.search(r"\* ([\d.]+)", x)[1]) for x in place] for place in found]


@pytest.mark.parametrize("step", CODES)
@pytest.mark.parametrize("end", ["Home", "End"])
def test_the_tiles_lie_where_the_library_puts_them(views, step, end):
    tiles = views[TILES]
    tiles.choose("step", step)
    handle = tiles.slider("heads")
    handle.focus()
    tiles.page.keyboard.press(end)
    expected = split_sheet(
        ["a", "b", "c"], 8, step=step, n_heads=1 if end == "Home" else 8
    )
    for panel in ("tensor", "memory"):
        for _ in range(400):
            if np.allclose(places(tiles, panel), expected[panel][:, :2]):
                break
            tiles.page.wait_for_timeout(50)
        np.testing.assert_allclose(places(tiles, panel), expected[panel][:, :2])


def test_a_number_in_view_is_ringed_on_both_boards_and_tells_its_address(views):
    tiles = views[TILES]
    tiles.choose("step", "transpose")
    tiles.view.locator('.tl-tile[data-panel="memory"][data-n="10"]').hover()
    expect(tiles.sentence).to_contain_text("lies at address 0·4 + 1·8 + 2·1 = 10")
    expect(tiles.view.locator(".tl-tile.tl-now")).to_have_count(2)


def test_the_keyboard_reads_the_tiles_in_their_order_and_pins(views):
    tiles = views[TILES]
    tiles.choose("step", "contiguous")
    expect(tiles.view.locator(".tl-note").nth(1)).to_contain_text("copied")
    first = tiles.view.locator('.tl-tile[data-panel="memory"][data-n="3"]')
    first.focus()
    tiles.page.keyboard.press("ArrowRight")
    after = tiles.view.locator('.tl-tile[data-panel="memory"][data-n="8"]')
    expect(after).to_be_focused()
    tiles.page.keyboard.press("Enter")
    expect(after).to_have_attribute("aria-pressed", "true")
    tiles.page.keyboard.press("Escape")
    expect(after).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize(("end", "n_heads"), [("Home", 1), ("End", 8)])
def test_one_layer_is_cut_into_one_head_and_into_eight(views, end, n_heads):
    split = views[SPLIT]
    split.slider("heads").focus()
    split.page.keyboard.press(end)
    twin = explorers.head_split(n_heads=n_heads)
    expect(split.view.locator("figure")).to_have_count(n_heads + 1)
    split.shows(twin.values)

"""Links, and panels that are chosen, in a page: the explorer of four heads."""

import re

import numpy as np
import pytest
from gallery import explorer_of
from playwright.sync_api import expect
from views.page import account

from course import explorers
from course.data.grammar_sentences import read
from course.experiments.heads import attend
from explorable import plots
from explorable.drawings.links import AttentionLinks

CATS = "the cats sleep under the tree and"
LIT = """() => [...document.querySelectorAll(".tl-links svg path")].map((path, n) =>
    [n, path.style.visibility !== "hidden"
        && Number(getComputedStyle(path).opacity) > 0.06]
).filter(([, on]) => on).map(([n]) => n)"""
GRID = ".tl:has(.tl-chosen)"


@pytest.fixture
def heads(page):
    made = explorers.heads(CATS, head=2, model="without supervision")
    page.draw(made)
    return made


@pytest.fixture
def linked(page):
    """The links of one head of the free model."""
    words, weights = read(CATS), attend(CATS, training="free")["weights"][1]
    links = AttentionLinks(
        name="links",
        title="links",
        rows=words,
        columns=words,
        sentence="what “{word}” looks at in head 2",
        back="how much looks at “{word}” in head 2",
        hidden=np.tri(8) == 0,
    )
    made = explorer_of(lambda: {"links": weights}, lambda arrays: [links])
    page.draw(made)
    return made


def word(page, side, n):
    return page.find(f'.tl-end[data-{side}="{n}"] button')


def numbers(page, side):
    place = ":first-child" if side == "row" else ":last-child"
    return page.texts(f".tl-side{place} .tl-weight")


def said(values):
    """Numbers as the page writes them; NaN stands for what is hidden."""
    return ["hidden" if np.isnan(x) else f"{x:.2f}" for x in values]


def lit(page):
    """Which lines stand out, by query and key."""
    width = page.find(".tl-side >> nth=1").locator("button").count()
    return {divmod(n, width) for n in page.page.evaluate(LIT)}


def about(page):
    return page.find(".tl-speaks .tl-about")


def seen(linked):
    return np.where(np.tri(8), linked.values["links"], np.nan)


def test_a_query_in_view_shows_its_lines_alone_and_its_weights_as_numbers(linked, page):
    word(page, "row", 5).hover()
    expect(about(page)).to_have_text("what “the” looks at in head 2")
    assert numbers(page, "column") == said(seen(linked)[5])
    assert numbers(page, "row") == [""] * 8
    assert {q for q, _ in lit(page)} == {5}


def test_a_key_in_view_shows_who_looks_at_it(linked, page):
    word(page, "column", 2).hover()
    expect(about(page)).to_have_text("how much looks at “cats” in head 2")
    assert numbers(page, "row") == said(seen(linked)[:, 2])
    assert {k for _, k in lit(page)} == {2}


def test_away_from_the_words_every_line_is_back_and_none_is_masked(linked, page):
    word(page, "row", 5).hover()
    page.page.mouse.move(2, 2)
    expect(about(page)).to_have_text("Point at a word to see its weights.")
    assert len({q for q, _ in lit(page)}) > 4
    assert all(k <= q for q, k in lit(page))
    assert numbers(page, "column") == [""] * 8


def test_the_keyboard_walks_pins_and_lets_go(linked, page):
    word(page, "row", 0).focus()
    page.press("End")
    expect(word(page, "row", 7)).to_be_focused()
    page.press("ArrowUp", "ArrowRight")
    expect(word(page, "column", 6)).to_be_focused()
    page.press("Home", "ArrowDown", "Space")
    expect(word(page, "column", 1)).to_have_attribute("aria-pressed", "true")
    word(page, "row", 6).hover()
    expect(about(page)).to_have_text("how much looks at “the” in head 2")
    page.press("Escape")
    expect(word(page, "column", 1)).to_have_attribute("aria-pressed", "false")
    expect(page.find('.tl-links button[tabindex="0"]')).to_have_count(1)


def test_a_place_is_shown_in_all_heads(heads, page):
    page.cell("head 1", 6, 2).hover()
    for head in (2, 3, 4):
        expect(page.cell(f"head {head}", 6, 2)).to_have_class(re.compile("tl-also"))
    expect(page.find(f"{GRID} td.tl-also")).to_have_count(4)


@pytest.mark.parametrize("way", ["heading", "cell", "key"])
def test_a_small_head_is_chosen_and_every_number_changes_in_place(heads, page, way):
    mine = page.cell("next", 1, 0)
    mine.evaluate("cell => { cell.dataset.mine = 'yes'; }")
    if way == "heading":
        page.page.get_by_role("button", name="head 4").click()
    elif way == "cell":
        page.cell("head 4", 3, 1).click()
    else:
        page.cell("head 4", 0, 0).focus()
        page.press("Enter")
    page.settle()
    assert heads.controls["head"].value in (4, "4")
    assert page.shown() == account(heads)
    expect(mine).to_have_attribute("data-mine", "yes")
    assert page.texts(f"{GRID} [aria-pressed=true]") == ["head 4"]


def test_nothing_jumps_when_a_head_is_removed_or_the_model_changes(heads, page):
    def corners():
        return page.find("figure").evaluate_all(
            "all => all.map((figure) => figure.getBoundingClientRect())"
            ".map((r, _, [first]) => [r.x - first.x, r.y - first.y])"
        )

    before = corners()
    parts = ("part", "keep only"), ("part", "keep all"), ("part", "remove")
    models = ("model", "with supervision"), ("model", "without supervision")
    for name, value in (models[0], *parts, models[1]):
        heads.controls[name].value = value
        assert page.shown() == account(heads)
        assert corners() == before
    expect(page.find(f"{GRID} .tl-note").nth(1)).to_have_text("removed")


def test_a_head_that_is_removed_is_faint(heads, page):
    """It once looked as alive as those that the next word is made of."""
    heads.controls["head"].value = 2
    for part, faint in (("remove", [2]), ("keep only", [1, 3, 4]), ("keep all", [])):
        heads.controls["part"].value = part
        titles = page.texts(".tl-panel.tl-faint figcaption b")
        assert titles == [f"head {n}" for n in faint]
        opacity = "nodes => nodes.map((node) => +getComputedStyle(node).opacity)"
        found = page.find(".tl-faint td[role]").evaluate_all(opacity)
        assert all(each < 0.5 for each in found)
        tones = page.find(".tl-faint :is(tr, th)").evaluate_all(opacity)
        assert set(tones) <= {1}  # names can be read all the same


@pytest.mark.parametrize("text", ["<img src=x onerror=alert(1)>", "the 😀", "ه the"])
def test_a_sentence_that_cannot_be_read_is_refused_in_one_line(heads, page, text):
    before = page.shown()["numbers"]
    heads.controls["sentence"].value = text
    expect(page.find(".tl-message")).to_contain_text(
        "words that the model knows, such as"
    )
    expect(page.find("img")).to_have_count(0)
    assert page.shown()["numbers"] == before
    heads.reset()
    expect(page.find(".tl-message")).to_be_empty()


def test_another_sentence_is_read_and_shown(heads, page):
    heads.controls["sentence"].value = "I love AI"
    assert heads.values["head 1"].shape == (4, 4)
    assert page.shown() == account(heads)


@pytest.mark.parametrize("size", [1, 64])
def test_links_of_one_and_of_64_words_fit_and_can_be_read(page, size):
    labels = {kind: [f"{kind}{n}" for n in range(size)] for kind in ("rows", "columns")}
    links = [AttentionLinks(name="w", title="w", **labels)]
    weights = {"w": np.full((size, size), 1 / size)}
    page.draw(explorer_of(lambda: weights, lambda arrays: links))
    word(page, "row", size - 1).hover()
    assert numbers(page, "column") == said([1 / size] * size)
    expect(page.find(".tl-links svg path")).to_have_count(size * size)
    page.lay_out()
    assert page.find(".tl").bounding_box()["width"] < 1280


def test_a_weight_of_a_trained_model_is_explained_by_its_scores(heads, page):
    """As that of a hand-made matrix is: its power, its row's sum, its share."""
    page.cell("head 1", 2, 1).hover()
    at = "decoder.blocks.0.self_attention"
    scores = heads.values[f"{at}.scores[0]"][2]
    chips = page.page.evaluate(
        """() => [...document.querySelectorAll(".tl-chip")].map(
            (chip) => [...chip.children].map((part) => part.textContent))"""
    )
    powers = [f"exp({plots.number(x, 2)})" for x in scores[:3]]
    share = plots.number(heads.values["head 1"][2, 1], 2)
    above = [above for _, above, _ in chips]
    assert [sign for sign, *_ in chips] == ["", "÷", "=", "where", "=", "+", "+"]
    assert above == [powers[1], "row’s sum", "", "row’s sum", *powers]
    assert chips[2] == ["=", "", share]
    page.cell("next", 0, 0).hover()
    expect(page.find(".tl-chip").nth(1)).to_contain_text("the sum over all 95 words")

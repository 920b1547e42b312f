"""BarsView in a page: what its bars show, and how they are read."""

from dataclasses import replace

import numpy as np
import pytest
from gallery import GALLERY, explorer_of
from playwright.sync_api import expect
from views.page import account

from explorable import plots
from explorable.controls import stops
from explorable.drawings.bars import Bars

VALUES = np.array([[0.5, -0.25], [0.1, 0.7], [0.0, -0.4]])
PLACES = """() => [...document.querySelectorAll(".tl-bar")].map((bar) => {
    const [fill, lane] = [bar.querySelector("i"), bar.lastChild]
        .map((node) => node.getBoundingClientRect());
    const along = (x) => 2 * (x - lane.left) / lane.width - 1;
    return [along(fill.left), along(fill.right)];
})"""


def steps(*, factor):
    return {"x": factor * VALUES}


def drawings(arrays, *, factor):
    return [
        Bars(
            name="x",
            title="shares",
            labels=["AI", "<b>is</b>", "so"],
            series=["before", "after"],
            hues=["query", "key"],
            scale=(-1, 1),
            guide=(0.5, "chance"),
            sentence="“{label}”, {series}",
            note=f"× {factor}",
        )
    ]


@pytest.fixture
def bench(page):
    made = explorer_of(steps, drawings, {"factor": stops("factor", [0, 1, 2, 3], 1)})
    page.draw(made)
    return made


def many(count, series):
    """Bars of this many labels and series, which rise from −1 to 1."""
    x = np.linspace(-1, 1, count * len(series)).reshape(count, -1)
    looks = {"series": series, "hues": ["key"] * len(series), "sentence": "{label}"}
    labels = [f"word {n}" for n in range(count)]
    bars = Bars(name="x", title="x", labels=labels, scale=(-1, 1), **looks)
    return explorer_of(lambda: {"x": x}, lambda arrays: [bars])


def bar(page, row, column):
    return page.find(f'.tl-bar[data-row="{row}"][data-column="{column}"]')


@pytest.mark.parametrize("factor", [0, 1, 3])
def test_bars_reach_from_zero_to_their_numbers_and_keep_their_nodes(
    bench, page, factor
):
    bar(page, 1, 1).evaluate("bar => { bar.mine = 1; }")
    bench.controls["factor"].value = factor
    assert page.shown() == account(bench)
    ends = np.clip(factor * VALUES.ravel(), -1, 1)
    wanted = np.stack([np.minimum(ends, 0), np.maximum(ends, 0)], axis=1)
    np.testing.assert_allclose(page.page.evaluate(PLACES), wanted, atol=0.01)
    assert bar(page, 1, 1).evaluate("bar => bar.mine") == 1
    expect(page.find(".tl-beyond")).to_have_count(3 * (factor == 3))


def test_a_number_stands_past_the_end_of_its_bar_on_either_side(bench, page):
    """That of a bar to the left once stood at the right of zero, as if it were more."""
    sides = page.page.evaluate("""() => [...document.querySelectorAll(".tl-bar")].map(
        (bar) => [bar.querySelector("i"), bar.querySelector("b")].map(
            (node) => node.getBoundingClientRect())).map(([fill, number]) => [
                number.right <= fill.left + 1, number.left >= fill.right - 1])""")
    assert sides == [[x < 0, x >= 0] for x in VALUES.ravel()]
    labels = page.find(".tl-bar-label").evaluate_all(
        "all => Math.max(...all.map((node) => node.getBoundingClientRect().right))"
    )
    least = bar(page, 2, 1).locator("b").bounding_box()
    assert least["x"] >= labels


@pytest.mark.parametrize("letters", [12, 14, 20])
def test_bars_begin_at_the_line_of_zero_in_letters_of_every_size(letters, bench, page):
    """At 14 px they began 4 px beside it: small letters are no smaller than 13 px."""
    page.page.add_style_tag(content=f".tl {{ font-size: {letters}px !important; }}")
    lanes, back = (
        page.find(css).evaluate_all("all => all.map((x) => x.getBoundingClientRect())")
        for css in (".tl-lane", ".tl-bar-back")
    )
    for lane in lanes:
        assert lane["left"] == pytest.approx(back[0]["left"], abs=0.6)
        assert lane["width"] == pytest.approx(back[0]["width"], abs=0.6)
    page.reload()


def test_pointing_at_a_bar_shows_its_labels_bars_side_by_side(bench, page):
    bar(page, 1, 1).hover()
    expect(page.find(".tl-about")).to_have_text("“<b>is</b>”, after")
    assert page.texts(".tl-chip i") == ["before", "after"]
    assert page.texts(".tl-chip b") == ["0.10", "0.70"]
    assert page.texts(".tl-result") == ["after0.70"]


def test_the_index_of_a_label_is_not_cut_off(page):
    """W_Q was once read as W_O: what tells them apart hangs below the line."""
    page.draw(GALLERY["modern_block"].make(4))
    cut = """all => all.filter((label) => label.scrollHeight > label.clientHeight
        && getComputedStyle(label).overflowY !== "visible").length"""
    assert page.find(".tl-bar-label").evaluate_all(cut) == 0


def test_a_label_has_room_for_its_mark_in_bold(page):
    """The "✓" of "yellow ✓" was cut off."""
    drawing = Bars(name="x", labels=["red", "yellow ✓"], sentence="{label}")
    page.draw(explorer_of(lambda: {"x": np.ones((2, 1))}, lambda _: [drawing]))
    room = """all => all.map((label) => {
        const words = document.createRange();
        words.selectNodeContents(label);
        const box = label.getBoundingClientRect();
        const scale = box.width / label.offsetWidth;
        const beside = scale * parseFloat(getComputedStyle(label).paddingRight);
        return box.width - beside - words.getBoundingClientRect().width;
    })"""
    assert min(page.find(".tl-bar-label").evaluate_all(room)) >= 0


def test_what_is_counted_is_said_without_decimals(page):
    steps = {"name": "x", "labels": ["RNN"], "series": [""], "hues": ["key"]}
    drawing = Bars(**steps, scale=(0, 50), digits=0, sentence="{label}")
    page.draw(explorer_of(lambda: {"x": np.array([[40.0]])}, lambda _: [drawing]))
    bar(page, 0, 0).hover()
    assert page.texts(".tl-chip b") == ["40"]


def test_the_keyboard_reads_every_bar_and_pins_one(bench, page):
    bar(page, 0, 0).focus()
    for key, place in (("ArrowDown", (0, 1)), ("ArrowRight", (1, 0)), ("End", (2, 1))):
        page.press(key)
        expect(bar(page, *place)).to_be_focused()
    page.press("Home", "Space")
    expect(bar(page, 0, 0)).to_have_class("tl-bar of-query tl-now tl-pinned")
    bench.controls["factor"].value = 2
    assert page.texts(".tl-chip b") == ["1.00", "−0.50"]
    bar(page, 2, 1).hover()
    expect(page.find(".tl-about")).to_have_text("“AI”, before")
    bar(page, 0, 0).focus()
    page.press("Escape")
    expect(page.find(".tl-pinned")).to_have_count(0)


def test_a_screen_reader_meets_a_grid_of_named_bars(bench, page):
    grid = page.page.get_by_role("grid", name="shares")
    expect(grid.get_by_role("row")).to_have_count(3)
    expect(grid.get_by_role("rowheader")).to_have_text(["AI", "<b>is</b>", "so"])
    expect(grid.get_by_role("gridcell", name="after 0.70")).to_have_count(1)
    expect(page.find(".tl-bar[tabindex='0']")).to_have_count(1)


def test_the_page_does_not_move_when_numbers_grow(bench, page):
    size = "el => [el.offsetWidth, el.offsetHeight]"
    before = page.find(".tl-picture").evaluate(size)
    bench.controls["factor"].value = 3
    assert page.find(".tl-picture").evaluate(size) == before


@pytest.mark.parametrize(("bars", "labels"), [(1, 1), (64, 32)])
def test_labels_thin_out_where_there_are_many(page, bars, labels):
    page.draw(many(bars, [""]))
    expect(page.find(".tl-bar")).to_have_count(bars)
    expect(page.find(".tl-bar-label:not(.tl-unseen)")).to_have_count(labels)
    last = page.page.get_by_role("rowheader").last
    expect(last).to_have_text(f"word {bars - 1}")


def pairs(x, series, **look):
    """Bars of two labels, with what an explorer says of how they look."""
    bars = Bars(name="x", labels=["a", "b"], series=series, sentence="{label}", **look)
    return explorer_of(lambda: {"x": np.array(x)}, lambda _: [bars])


def test_dots_of_a_label_lie_on_one_line_and_its_ends_alone_have_numbers(page):
    page.draw(pairs([[0.9, 0.5, 0.2], [0.4, 0.4, 0.4]], [*"abc"], dots=True))
    middles = page.find(".tl-bar .tl-fill").evaluate_all("""all => all.map((dot) => {
        const { left, top, width, height } = dot.getBoundingClientRect();
        const lane = dot.parentNode.getBoundingClientRect();
        return [(left + width / 2 - lane.left) / lane.width, top + height / 2];
    })""")
    along, down = np.array(middles).reshape(2, 3, 2).transpose(2, 0, 1)
    np.testing.assert_allclose(along, [[0.9, 0.5, 0.2], [0.4] * 3], atol=0.01)
    np.testing.assert_allclose(down, down[:, :1].repeat(3, axis=1), atol=0.6)
    seen = """all => all.filter((b) => getComputedStyle(b).opacity === "1")
        .map((b) => b.textContent)"""
    bar(page, 1, 2).focus()
    assert page.find(".tl-lane b").evaluate_all(seen) == ["0.90", "0.20", "0.40"]
    bar(page, 0, 1).focus()
    assert "0.50" in page.find(".tl-lane b").evaluate_all(seen)


@pytest.mark.parametrize(
    "look", [{"dots": True}, {"hues": ["reference", "key"]}], ids=["dots", "reference"]
)
def test_of_two_that_are_compared_the_difference_is_said(page, look):
    page.draw(pairs([[0.75, 0.25], [0.444, 0.888]], ["before", "after"], **look))
    for row, told in (
        (0, ["after0.25", "−before0.75", "=difference−0.50"]),
        (1, ["after0.888", "−before0.444", "=difference0.444"]),
    ):
        bar(page, row, 1).focus()
        assert page.texts(".tl-chip") == told


def test_slim_bars_say_their_number_on_pointing_and_whose_they_are_in_a_key(page):
    page.draw(many(64, ["a", "b", "c"]))
    assert page.texts(".tl-bar-key bdi") == ["a", "b", "c"]
    last = bar(page, 63, 2)
    expect(last.locator("b")).to_be_hidden()
    last.hover()
    expect(page.find(".tl-result")).to_have_text("c1.00")


def test_a_legend_says_which_color_is_what_where_there_are_several(bench, page):
    assert page.texts(".tl-bar-key bdi") == ["before", "after"]
    fill = "node => getComputedStyle(node).background"
    for n in range(2):
        key = page.find(".tl-bar-key i").nth(n).evaluate(fill)
        assert key == bar(page, 0, n).locator("i").evaluate(fill)
    page.draw(many(2, ["share"]))
    expect(page.find(".tl-bar-key")).to_have_count(0)


def test_a_bar_that_is_hidden_says_so_there_and_where_it_is_explained(page):
    hidden = np.array([[False, True], [False, False], [False, False]])

    def some(arrays, *, factor):
        [bars] = drawings(arrays, factor=factor)
        return [replace(bars, hidden=hidden == (factor == 1), masked_text="cut")]

    made = explorer_of(steps, some, {"factor": stops("factor", [0, 1, 2, 3], 1)})
    page.draw(made)
    assert page.shown() == account(made)
    assert page.texts(".tl-instead b") == ["cut"]
    page.point_at(".tl-bar", 0)
    assert page.texts(".tl-chip b") == ["0.50", "cut"]
    made.controls["factor"].value = 2
    assert page.shown() == account(made)
    assert page.texts(".tl-instead b") == ["cut"] * 5


def test_what_was_chosen_is_bold_and_what_is_pointed_at_is_not(page):
    x = np.array([[0.6], [0.3]])
    drawing = Bars(name="x", labels=["a", "b ✓"], palette="query", sentence="{label}")
    page.draw(explorer_of(lambda: {"x": x}, lambda _: [drawing]))
    page.point_at(".tl-bar")
    weight = "nodes => nodes.map((node) => getComputedStyle(node).fontWeight)"
    for css in (".tl-bar-label", ".tl-lane b"):
        other, chosen = map(int, page.find(css).evaluate_all(weight))
        assert other <= 500 < chosen, css


def test_a_bar_that_was_not_taken_is_pale(page):
    x = np.array([[0.6], [0.3]])
    look = {"labels": ["a ✓", "b"], "palette": "query", "faint": [False, True]}
    drawing = Bars(name="x", **look, sentence="{label}")
    page.draw(explorer_of(lambda: {"x": x}, lambda _: [drawing]))
    color = "fills => fills.map((fill) => getComputedStyle(fill).backgroundColor)"
    taken, other = page.find(".tl-fill").evaluate_all(color)
    assert taken != other


def test_of_what_was_not_taken_a_sliver_is_pale_too(page):
    x = np.array([[0.6], [0.005]])
    look = {"labels": ["a ✓", "b"], "palette": "query", "faint": [False, True]}
    drawing = Bars(name="x", **look, sentence="{label}")
    page.draw(explorer_of(lambda: {"x": x}, lambda _: [drawing]))
    sliver = page.find(".tl-fill").last
    assert 0 < sliver.bounding_box()["width"] < 8
    above = sliver.evaluate("fill => getComputedStyle(fill, '::after').backgroundColor")
    assert above == "rgba(0, 0, 0, 0)"


def test_a_sliver_has_no_outline_and_all_others_are_gray(page):
    """An outline made each number near zero a black bar."""
    x = np.array([[0.9], [0.002], [0.7]])
    labels = ["a", "b", "9 others"]
    drawing = Bars(name="x", labels=labels, palette="query", digits=3, rest=True)
    page.draw(explorer_of(lambda: {"x": x}, lambda _: [drawing]))
    looks = page.find(".tl-fill").evaluate_all("""fills => fills.map((fill) => [
        Math.ceil(parseFloat(getComputedStyle(fill, "::after").borderTopWidth)),
        getComputedStyle(fill).backgroundColor,
    ])""")
    outlines, colors = zip(*looks, strict=True)
    assert outlines == (1, 0, 1)
    assert colors[0] == colors[1] != colors[2]
    channels = {int(c) for c in colors[2].strip("rgb()").split(",")}
    assert len(channels) == 1, colors


@pytest.mark.parametrize(
    ("hues", "striped"),
    [(["query", "key"], [False, False]), (["key", "key"], [False, True])],
)
def test_hues_tell_series_apart_and_stripes_those_of_one_hue(hues, striped, page):
    x = np.array([[0.9, 0.8]])
    drawing = Bars(name="x", labels=["a"], series=["one", "other"], hues=hues)
    page.draw(explorer_of(lambda: {"x": x}, lambda _: [drawing]))
    image = "fills => fills.map((fill) => getComputedStyle(fill).backgroundImage)"
    for css in (".tl-bar .tl-fill", ".tl-bar-key .tl-fill"):
        found = page.find(css).evaluate_all(image)
        assert [one != "none" for one in found] == striped


def test_first_explained_is_no_pale_bar_and_none_that_others_are_compared_with(page):
    x = np.array([[0.8, 0.9], [0.3, 0.7], [0.2, 0.6]])
    look = {"labels": ["a", "b", "c"], "series": ["this", "healthy"]}
    look |= {"hues": ["output", "reference"], "faint": [True, False, False]}
    drawing = Bars(name="x", **look, sentence="{label}, {series}")
    page.draw(explorer_of(lambda: {"x": x}, lambda _: [drawing]))
    expect(page.find(".tl-about")).to_contain_text("b, this")


def test_a_zero_that_says_nothing_is_seen_when_it_is_pointed_at(page):
    x = np.array([[0.9], [0.0001], [0.05]])
    look = {"labels": ["a", "b", "c"], "blank_zeros": True, "sentence": "{label}"}
    page.draw(explorer_of(lambda: {"x": x}, lambda _: [Bars(name="x", **look)]))
    color = """all => all.map((text) => getComputedStyle(text).color)"""
    blank = "rgba(0, 0, 0, 0)"
    colors = page.find(".tl-bar b").evaluate_all(color)
    assert [one == blank for one in colors] == [False, True, False]
    bar(page, 1, 0).hover()
    assert page.find(".tl-bar b").evaluate_all(color)[1] != blank
    assert page.texts(".tl-bar b")[1] == "0.00"  # to be read aloud and copied


def test_a_bar_too_short_for_its_stripes_is_of_one_color(page):
    drawing = Bars(
        name="x", labels=["a", "b"], series=["one", "other"], palette="query"
    )
    x = np.array([[0.5, 0.5], [0.5, 0.006]])
    page.draw(explorer_of(lambda: {"x": x}, lambda _: [drawing]))
    above = """fills => fills.map((fill) =>
        getComputedStyle(fill, "::after").backgroundColor)"""
    stripes = page.find(".tl-bar .tl-fill-1")
    assert 0 < stripes.last.bounding_box()["width"] < 8
    plain, short = stripes.evaluate_all(above)
    assert plain == "rgba(0, 0, 0, 0)" != short


def test_a_bar_has_what_it_is_compared_with_around_it_and_says_both(page):
    """In the page and at rest; one that has not changed is as it is anywhere."""

    bars = Bars(name="x", labels=["a", "b"], ghosts=[5, 2], scale=(0, 6), digits=0)
    values = np.array([[3.0], [2.0]])
    explorer = explorer_of(lambda: {"x": values}, lambda _: [bars])
    page.draw(explorer)
    assert page.texts(".tl-lane b") == ["5 → 3", "2"]
    hollow = page.find(".tl-ghost")
    wide, fill = (
        one.bounding_box()["width"]
        for one in (hollow.first, page.find(".tl-fill").first)
    )
    assert wide == pytest.approx(fill * 5 / 3, rel=0.02)
    assert hollow.nth(1).is_hidden()
    assert "5 → 3" in [word.text for word in plots.said(explorer.picture())]
    assert "5 → 3" in explorer.text()

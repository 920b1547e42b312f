"""What every matrix owes its reader: shades, headings, pins, edits, in two views."""

import re
from itertools import pairwise

import numpy as np
import pytest
from gallery import GALLERY, explorer_of
from playwright.sync_api import expect
from views.page import account

from course import explorers
from explorable import Explorer, Sheet, plots
from explorable.controls import slider, switch, whole
from explorable.drawings.matrix import Matrix
from explorable.plots.matrices import FLAG
from explorable.trace import Axis

Q = [[1.0, 0], [0, -1], [1, 1]]
K = [[1.0, 0], [0, 1], [1, -1.5]]
V = [[1.0, 2], [3, -4], [5, 6]]
LOOKS = """() => {
    const marks = new Set(["tl-now", "tl-operand", "tl-edit", "tl-turn", "tl-also"]);
    return [...document.querySelectorAll("td[role=gridcell]")].map((td) => {
        const names = [...td.classList].filter((name) => !marks.has(name));
        const { backgroundColor, color } = getComputedStyle(td);
        return [td.dataset.panel, names.sort(), backgroundColor, color];
    });
}"""


@pytest.fixture
def bench(page):
    made = explorers.attention_bench(Q, K, V, ["AI", "is", "powerful"])
    page.draw(made)
    return made


def channels(color):
    """The red, green and blue of "#RRGGBB"."""
    return [int(color[i : i + 2], 16) for i in (1, 3, 5)]


def painted(color):
    """The same of "rgb(1, 2, 3)", or of "color(srgb 0.1 0.2 0.3)", a finer form."""
    scale = 255 if color.startswith("color") else 1
    return [scale * float(x) for x in re.findall(r"\d[\d.e-]*", color)]


def looks(explorer, theme):
    """The classes and the color that every cell should have, hidden ones apart."""
    for panel in (d for d in explorer.drawings if d.kind == "matrix"):
        hidden = getattr(panel, "hidden", None)
        for place, x in np.ndenumerate(explorer.values[panel.name]):
            if (hidden is not None and hidden[place]) or not np.isfinite(x):
                yield None
                continue
            below = x < 0
            hue = "negative" if below else panel.palette
            step = plots.step_of(x, panel.vmax)
            zero = abs(x) < 0.5 * 10**-panel.digits  # is written as 0
            signs = ["of-negative"] if below else []
            signs += ["tl-zero"] if zero else []
            signs += ["tl-blank"] if zero and panel.blank_zeros else []
            names = sorted([f"tl-{step}", *signs])
            paper, ink = plots.shade(hue, step, theme)
            if panel.flagged is not None and panel.flagged[place]:
                names, paper, ink = ["tl-flagged"], FLAG, "#FFFFFF"
            yield [
                panel.name,
                names,
                channels(paper),
                None if zero else channels(ink),
            ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", GALLERY)
def test_every_cell_has_the_shade_of_its_number(name, theme, page):
    explorer = GALLERY[name].make(3)
    page.theme(theme == "dark")
    page.draw(explorer)
    for matrix in [None, *explorer.inputs]:
        if matrix:
            explorer.edit(matrix, 0, 0, 1.0)
        wanted = list(looks(explorer, theme))
        seen = page.page.evaluate(LOOKS)
        for cell, shade in zip(seen, wanted, strict=True):
            if shade:
                panel, names, paper, ink = shade
                classes = [n for n in cell[1] if n not in ("tl-changed", "tl-outlined")]
                assert [cell[0], classes] == [panel, names]
                # The page mixes in fractions: half a step of 255 is the same color.
                assert painted(cell[2]) == pytest.approx(paper, abs=0.51)
                if ink:
                    assert painted(cell[3]) == pytest.approx(ink, abs=0.51)


def test_a_weight_of_nearly_zero_is_written_only_where_it_is_asked_for(page):
    """The others are the point. It stays in the text, for whoever listens or copies."""
    x = np.array([[0.004, 0.996], [0.01, 0.99]])
    look = {"rows": [*"ab"], "columns": [*"cd"], "blank_zeros": True}
    drawn = [
        Matrix(name="x", **look),
        Matrix(name="y", **look | {"blank_zeros": False}),
    ]
    explorer = explorer_of(lambda: {"x": x, "y": x}, lambda _: drawn)
    page.draw(explorer)
    inks = """nodes => nodes.map((td) => getComputedStyle(td.firstChild).color)"""
    clear = "rgba(0, 0, 0, 0)"
    seen = page.find("td[role=gridcell]").evaluate_all(inks)
    assert [ink == clear for ink in seen] == [True, *7 * [False]]
    page.cell("x", 0, 0).hover()
    assert clear not in page.find("td[role=gridcell]").evaluate_all(inks)
    assert page.shown() == account(explorer)
    assert "0.00" in explorer.numbers()


def test_a_masked_cell_has_no_shade_and_gets_it_back(page, bench):
    def looks():
        return {*page.cell("weights", 0, 1).get_attribute("class").split()}

    first = looks()
    bench.controls["mask"].value = "causal"
    assert "tl-hidden" in looks()
    bench.controls["mask"].value = "none"
    assert looks() == first


@pytest.mark.parametrize("name", GALLERY)
def test_headings_axes_steps_and_notes_stand_as_python_wrote_them(name, page):
    explorer = GALLERY[name].make(3)
    page.draw(explorer)
    for nth, d in enumerate(d for d in explorer.drawings if d.kind == "matrix"):
        figure = page.find("figure:has(td)").nth(nth)
        edit = "✎ click to flip" if d.toggles else "✎ edit"
        step, edit = str(d.step or ""), edit if d.editable else ""
        heading = step + d.title + d.formula + edit
        assert figure.locator("figcaption").text_content() == heading
        assert figure.locator(".tl-step").all_text_contents() == [step] * bool(step)
        assert figure.locator(".tl-note").text_content() == d.note
        named = zip(d.axes, "↓→", strict=True) if d.axes[0] else ()
        axes = [f"{name} {way}" for name, way in named if name]
        assert figure.locator(".tl-axes").text_content() == " ".join(axes)
    for view in explorer.views.values():
        for names in view.groups:
            assert page.page.evaluate(
                """names => [...document.querySelectorAll(".tl-group")].some((group) =>
                    group.querySelectorAll("figure").length === names.length)""",
                names,
            )


def test_a_refused_control_says_why_in_one_line_and_changes_no_number(page):
    narrow = explorers.attention_bench(Q[:2], K, V)
    page.draw(narrow)
    before = page.shown()["numbers"]
    narrow.controls["mask"].value = "causal"
    expect(page.find(".tl-message")).to_have_text(
        "a causal mask needs as many queries as keys, got 2 and 3"
    )
    assert page.shown()["numbers"] == before
    narrow.controls["mask"].value = "none"
    expect(page.find(".tl-message")).to_be_empty()


def test_a_panel_that_comes_back_shows_the_numbers_of_now(page):
    def steps(x, both):
        return {"A": np.full((2, 2), x), "B": np.full((2, 2), -x)}

    def panels(arrays, x, both):
        two = [Matrix(name=n, rows=["a", "b"], columns=["c", "d"]) for n in arrays]
        return two if both else two[:1]

    controls = {"x": whole("x", 1, 0, 9), "both": switch("both", True)}
    explorer = explorer_of(steps, panels, controls)
    page.draw(explorer)
    controls["both"].value = False
    assert page.shown() == account(explorer)
    controls["x"].value = 7
    controls["both"].value = True
    assert page.shown() == account(explorer)


def test_a_number_is_made_smaller_only_where_its_cell_has_no_room(page):
    """Under a long name 1,281 stood in small type, with room beside it."""

    def panels(arrays, short):
        names = ["a", "b"] if short else ["no cache", "cache"]
        return [Matrix(name="A", rows=["c", "d"], columns=names, digits=0)]

    controls = {"short": switch("short", False)}
    numbers = np.array([[1281.0, 1], [12, 123]])
    explorer = explorer_of(lambda short: {"A": numbers}, panels, controls)
    page.draw(explorer)
    for short, size in ((False, ""), (True, "0.6em"), (False, "")):
        controls["short"].value = short
        span = page.cell("A", 0, 0).locator("span")
        assert span.evaluate("span => span.style.fontSize") == size
        assert page.shown() == account(explorer)


@pytest.mark.parametrize(("names", "turned"), [([*"1234"], 0), (["the", *"abc"], 4)])
def test_names_of_a_letter_or_two_stand_upright_over_small_cells(names, turned, page):
    """The numbers of patches once lay on their side."""
    x = np.eye(4)
    drawn = [Matrix(name="x", rows=[*"1234"], columns=names, size="tiny")]
    page.draw(explorer_of(lambda: {"x": x}, lambda _: drawn))
    modes = page.find("th[scope=col]").evaluate_all(
        "all => all.map((node) => getComputedStyle(node).writingMode)"
    )
    assert modes.count("vertical-rl") == turned
    cells = (
        page.find("tbody tr")
        .first.locator("td")
        .evaluate_all("all => all.map((td) => td.getBoundingClientRect())")
    )
    for one, other in pairwise(cells):  # the frame around them has no gaps
        assert one["right"] == pytest.approx(other["left"], abs=0.01)


def test_what_an_outline_stood_for_goes_with_it(page):
    mask = np.eye(2, dtype=bool)

    def panels(arrays, outlined):
        look = {"outlined": mask} if outlined else {}
        return [Matrix(name="A", rows=["a", "b"], columns=["c", "d"], **look)]

    controls = {"outlined": switch("outlined", True)}
    explorer = explorer_of(lambda outlined: {"A": np.eye(2)}, panels, controls)
    page.draw(explorer)
    expect(page.find(".tl-outlined")).to_have_count(2)
    controls["outlined"].value = False
    expect(page.find(".tl-outlined")).to_have_count(0)


def test_a_table_that_comes_back_outlines_no_change_that_was_long_ago(page):
    explorer = GALLERY["tokens"].make(4)
    page.draw(explorer)
    show = explorer.controls["show"]
    show.value = "positions"
    show.value = "look-up"
    explorer.edit("E", int(np.argmax(explorer.values["one_hot"][0])), 0, 5.0)
    expect(page.find(".tl-changed").first).to_be_attached()
    show.value = "positions"
    expect(page.find(".tl-changed")).to_have_count(0)


def test_space_pins_the_cell_in_focus_and_escape_lets_go(page, bench):
    cell, pinned = page.cell("weights", 1, 1), page.find(".tl-pinned")
    hint = page.find(".tl-hint")
    cell.focus()
    expect(hint).to_contain_text("Click or Space: pin")
    expect(pinned).to_have_count(0)
    for end in ("Escape", "Space"):
        page.press("Space")
        expect(pinned).to_have_count(1)
        expect(cell).to_contain_class("tl-pinned tl-now")
        expect(hint).to_contain_text("Pinned")
        page.press(end)
        expect(pinned).to_have_count(0)
    page.cell("Q", 0, 0).focus()
    expect(hint).to_contain_text("Enter or click: type a number")


def test_a_click_pins_a_cell_in_every_view_of_its_bench(page, bench):
    other = explorers.attention_bench(Q, K, V)
    page.draw(bench, other, other)
    page.cell("output", 1, 1).nth(1).click()
    for nth, pinned in enumerate((False, True, True)):
        cell = page.cell("output", 1, 1).nth(nth)
        assert ("tl-pinned" in cell.get_attribute("class")) == pinned


def test_an_edit_in_one_view_is_refused_there_alone_and_accepted_in_both(page):
    bench = explorers.attention_bench(Q[:2], K, V)
    page.draw(bench, bench)
    first, second = (page.cell("Q", 0, 0).nth(nth) for nth in (0, 1))

    def both_show(number):
        assert bench.inputs["Q"][0, 0] == number
        one = [text for row in account(bench)["numbers"]["weights"] for text in row]
        assert page.texts("td[data-panel=weights] > span") == one + one

    page.type_into(second, "2")  # so that each has asked once
    both_show(2.0)
    first.click()
    page.page.keyboard.insert_text("abc")
    second.click()
    page.settle()
    expect(first.locator(".tl-fault")).to_contain_text("“abc”")
    expect(second.locator(".tl-fault")).to_be_empty()
    page.page.keyboard.insert_text("4")
    page.press("Enter")
    both_show(4.0)
    refused = first.locator("input")
    expect(refused).to_have_value("abc")
    refused.press("Escape")
    expect(refused).to_have_count(0)


def test_a_table_with_a_point_in_its_name_follows_its_numbers(page):
    """It stood still: what belongs to a table is named behind a point as well."""

    def sheet(*, x):
        s = Sheet()
        axes = Axis.numbered("row", 1), Axis.numbered("column", 2)
        s.show(s.leaf("encoder.blocks.0", *axes, [[x, 1.0]]))
        return s

    explorer = Explorer("drawn", sheet, {"x": slider("x", 1.0, 0.0, 5.0, 0.5)})
    page.draw(explorer)
    explorer.controls["x"].value = 2.5
    assert page.shown() == account(explorer)
    expect(page.cell("encoder.blocks.0", 0, 0)).to_contain_text("2.50")


def test_reset_closes_an_editor_that_holds_what_was_refused(bench, page):
    page.type_into(page.cell("Q", 0, 0), "no number")
    expect(page.find(".tl-fault")).to_contain_text("“no number”")
    bench.reset()
    expect(page.find(".tl-editor")).to_have_count(0)


def test_the_subtitles_of_all_tables_are_of_one_color_and_size(page):
    page.draw(explorers.layer_norm_lab(Q, ["AI", "is", "powerful"]))
    looks = page.page.evaluate("""() => [
        ...document.querySelectorAll("figcaption > .tl-quiet")].map((node) => {
            const { color, fontSize } = getComputedStyle(node);
            return [color, fontSize].join(" ");
        })""")
    assert len(looks) > 2
    assert len(set(looks)) == 1


def test_the_frame_of_cells_without_numbers_is_around_them_and_not_their_labels(page):
    """The numbers of the rows stood inside of it, as if they were cells."""
    page.draw(GALLERY["low_rank"].make(4))
    table = page.find(".tl-wordless table").first
    edges = table.evaluate("""table => {
        const sides = ["top", "right", "bottom", "left"];
        const drawn = (node) => sides.filter((side) => {
            const style = getComputedStyle(node);
            return parseFloat(style[`border-${side}-width`]) > 0;
        });
        const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map(drawn));
        return [rows[0][0], rows[0][1], rows.at(-1).at(-1), rows[1][2]];
    }""")
    assert edges == [[], ["top", "left"], ["right", "bottom"], []]
    outline = "body => getComputedStyle(body).outlineStyle"
    assert table.locator("tbody").evaluate(outline) == "none"


def test_pictures_stand_beside_labels_and_change_with_their_light(page):
    """In the page as an image behind each label, and at rest as its cells."""

    def sheet(light, first=1):
        s = Sheet()
        s.keep("seen", np.full((2, 6), light))
        rows = Axis("picture", [f"{first:.0f}", "9"])
        x = s.leaf("x", rows, Axis("caption", ["a"]), [[1], [0]])
        s.show(x, row_pictures=["seen"] if light else [])
        return s

    controls = {"light": slider("light", 1.0, 0.0, 1.0, 0.5)}
    controls["first"] = slider("first", 1, 1, 3, 1)
    explorer = Explorer("x", sheet, controls)
    page.draw(explorer)
    image = "th => getComputedStyle(th).backgroundImage"
    heads = page.find('th[scope="row"]')
    first = heads.first.evaluate(image)
    assert first.startswith('url("data:image/png')
    assert heads.nth(1).evaluate(image) == "none"
    wide = explorer.picture().get_figwidth()
    explorer.controls["light"].value = 0.5
    page.page.wait_for_function(
        "first => getComputedStyle(document.querySelector('th[scope=row]'))"
        ".backgroundImage !== first",
        arg=first,
    )
    explorer.controls["first"].value = 2
    expect(page.find('th[scope="row"]').first).to_have_text("2")
    assert heads.first.evaluate(image).startswith("url")  # under another name, too
    bare = Explorer("x", lambda: sheet(0.0)).picture().get_figwidth()
    assert wide > bare

"""What every view owes its reader: on one bench, and on another that is shown twice."""

import numpy as np
import pytest
from lab.explorer_page import ExplorerPage
from playwright.sync_api import expect

from transformer_lib import explorers, plots

Q = [[1.0, 0], [0, -1], [1, 1]]
K = [[1.0, 0], [0, 1], [1, -1.5]]
V = [[1.0, 2], [3, -4], [5, 6]]
TOKENS = ["AI", "is", "powerful"]
CELLS = [
    "from transformer_lib import explorers",
    f"explorers.attention_bench({Q}, {K}, {V}, {TOKENS})",
    f"twice = explorers.attention_bench({Q[:2]}, {K}, {V}); twice",
    "twice",
]
LOOKS = """all => all.map(td => {
    const { backgroundColor } = getComputedStyle(td);
    const marks = new Set(["tl-now", "tl-operand", "tl-edit"]);
    const names = [...td.classList].filter((name) => !marks.has(name));
    return [+td.dataset.row, +td.dataset.column, names, backgroundColor];
})"""


@pytest.fixture
def views(lab, open_notebook):
    """A bench on three tokens, and two views of one with two queries, three keys."""
    page = open_notebook(lab.add("views.ipynb", CELLS), keep=True)
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    found = [ExplorerPage(page, nth) for nth in range(3)]
    found[0].press("Reset")
    found[1].press("Reset")
    return found


@pytest.fixture
def view(views):
    return views[0]


@pytest.fixture
def twin():
    """The same bench here: what Python tells the page."""
    return explorers.attention_bench(Q, K, V, TOKENS)


def rgb(colour):
    return "rgb({}, {}, {})".format(*(int(colour[i : i + 2], 16) for i in (1, 3, 5)))


def looks(twin, panel):
    """The classes and the colour that each cell of a panel should have."""
    limit = twin.view.live[panel["name"]]["limit"]
    for (row, column), value in np.ndenumerate(twin.values[panel["name"]]):
        negative = panel["palette"] == "scores" and value < 0
        hue = "negative" if negative else panel["palette"]
        step = plots.step_of(value, limit)
        names = [f"{hue}-{step}", *(["tl-zero"] if value == 0 else [])]
        yield [row, column, sorted(names), rgb(plots.shade(hue, step)[0])]


def assert_coloured(view, twin):
    view.shows({p["name"]: twin.values[p["name"]] for p in twin.view.panels})
    for panel in twin.view.panels:
        cells = view.view.locator(f'td[data-panel="{panel["name"]}"]')
        seen = [[r, c, sorted(n), x] for r, c, n, x in cells.evaluate_all(LOOKS)]
        assert seen == list(looks(twin, panel)), panel["name"]


def test_every_cell_has_the_shade_of_its_number_at_first_and_after_an_edit(view, twin):
    assert_coloured(view, twin)
    view.type_into(view.cell("Q", 0, 0), "-2.5")
    twin.edit("Q", 0, 0, -2.5)
    assert_coloured(view, twin)


def test_a_masked_cell_has_no_shade_and_gets_it_back(view, twin):
    first = view.cell("weights", 0, 1).get_attribute("class")
    view.press("causal")
    expect(view.cell("weights", 0, 1)).to_have_class("tl-hidden")
    view.press("none")
    expect(view.cell("weights", 0, 1)).to_have_class(first)


def test_headings_corners_steps_and_notes_stand_as_python_wrote_them(view, twin):
    panels, live = twin.view.panels, twin.view.live
    figures = view.view.locator("figure")
    assert figures.count() == len(panels)
    for nth, panel in enumerate(panels):
        moving, figure = live[panel["name"]], figures.nth(nth)
        step = str(panel["step"] or "")
        edit = "✎ edit" if panel["editable"] else ""
        heading = step + panel["title"] + moving["formula"] + edit
        expect(figure.locator("figcaption")).to_have_text(heading)
        expect(figure.locator(".tl-step")).to_have_text([step] if step else [])
        expect(figure.locator(".tl-note")).to_have_text(moving["note"])
        rows, columns = panel["axes"]
        corner = figure.locator(".tl-corner span")
        expect(corner).to_have_text([f"{rows} ↓", f"{columns} →"])
    groups = view.view.locator(".tl-group")
    counts = [groups.nth(n).locator("figure").count() for n in range(groups.count())]
    assert counts == [len(names) for names in twin.view.groups]
    expect(view.view.locator(".tl-step")).to_have_text(["1", "2", "3", "4"])


def test_a_refused_control_says_why_in_one_line_and_changes_no_number(views):
    narrow = views[1]
    before = narrow.read("weights")
    message = narrow.view.locator(".tl-message")
    expect(message).to_be_empty()
    narrow.press("causal")
    expect(message).to_have_text(
        "a causal mask needs as many queries as keys, got 2 and 3"
    )
    np.testing.assert_array_equal(narrow.read("weights"), before)
    narrow.press("none")
    expect(message).to_be_empty()


def test_the_explanation_floats_while_its_place_is_below_the_screen(view):
    why, page = view.view.locator(".tl-why"), view.page
    floating = view.view.locator(".tl-why:popover-open")
    tall = page.viewport_size
    page.set_viewport_size({**tall, "height": 480})
    try:
        cell = view.cell("Q", 0, 0)
        cell.evaluate("td => td.closest('.tl').scrollIntoView({ block: 'start' })")
        expect(why).not_to_be_in_viewport()
        cell.hover()
        expect(floating).to_be_in_viewport(ratio=1)
        expect(view.sentence).to_contain_text("query of")
        page.mouse.move(0, 0)
        expect(floating).to_have_count(0)
        cell.focus()
        expect(floating).to_be_in_viewport(ratio=1)
        cell.blur()
        expect(floating).to_have_count(0)
    finally:
        page.set_viewport_size(tall)
    cell.hover()
    expect(why).to_be_in_viewport(ratio=1)
    expect(floating).to_have_count(0)


def test_space_pins_the_cell_in_focus_and_escape_lets_go(view):
    cell, pinned = view.cell("weights", 1, 1), view.view.locator(".tl-pinned")
    hint = view.view.locator(".tl-hint")
    cell.focus()
    expect(hint).to_contain_text("Click or Space: pin this cell")
    expect(pinned).to_have_count(0)
    for end in ("Escape", "Space"):
        view.page.keyboard.press("Space")
        expect(pinned).to_have_count(1)
        expect(cell).to_contain_class("tl-pinned tl-now")
        expect(hint).to_contain_text("Pinned")
        view.page.keyboard.press(end)
        expect(pinned).to_have_count(0)
    view.cell("Q", 0, 0).focus()
    expect(hint).to_contain_text("Enter or click: type a number")


def test_a_click_pins_a_cell_in_every_view_of_its_bench(views):
    views[1].cell("output", 1, 1).click()
    for same in views[1:]:
        expect(same.cell("output", 1, 1)).to_contain_class("tl-pinned")
    expect(views[0].view.locator(".tl-pinned")).to_have_count(0)


def test_an_edit_in_one_view_is_refused_there_alone_and_accepted_in_both(views):
    first, second = views[1:]
    twin = explorers.attention_bench(Q[:2], K, V)

    def both_show(number):
        twin.edit("Q", 0, 0, number)
        for same in (first, second):
            same.shows({name: twin.values[name] for name in ("Q", "weights", "output")})

    second.type_into(second.cell("Q", 0, 0), "2")  # so that each has asked once
    both_show(2.0)
    first.cell("Q", 0, 0).click()
    first.page.keyboard.insert_text("abc")
    second.cell("Q", 0, 0).click()
    expect(first.cell("Q", 0, 0).locator(".tl-fault")).to_contain_text("“abc”")
    expect(second.cell("Q", 0, 0).locator(".tl-fault")).to_be_empty()
    second.page.keyboard.insert_text("4")
    second.page.keyboard.press("Enter")
    both_show(4.0)
    refused = first.cell("Q", 0, 0).locator("input")
    expect(refused).to_have_value("abc")
    refused.press("Escape")
    expect(refused).to_have_count(0)

"""CurvesView in real JupyterLab: read by mouse and by keyboard, shared, pinned."""

import re

import numpy as np
import pytest
from lab.explorer_page import ExplorerPage
from playwright.sync_api import expect

from transformer_lib import plots
from transformer_lib.explorers.positions.positional_encoding import encoding_steps

NAMES = ["none", "<b>b</b>", "a long name, cut short", "four", "5", "6", "7", "$8^$"]
SETUP = f"""
import numpy as np
from transformer_lib import explorers
from transformer_lib.explorers.toolkit.controls import whole
from transformer_lib.explorers.toolkit.curves import Curves
from transformer_lib.explorers.toolkit.explorer import Explorer

def waves(*, n, count):
    x = np.arange(n)[:, None]
    y = np.sin(0.3 * x + np.arange(count))
    y[n // 2 :, 0] = np.nan
    return {{"y": y, "z": y[:, :1] + 1}}

def drawn(arrays, *, n, count):
    wide = (-0.5, n - 0.5)
    some = {{"x": range(n), "shares": "x", "digits": 3}}
    y = Curves(name="y", title="y", series={NAMES}[:count], looks=["both"] * count,
        limits=(wide, (-1, 1)), axes=("step", "loss"), **some)
    z = Curves(name="z", title="z", series=["z"], limits=(wide, (0, 2)), **some)
    return [y, z]

def shown(n, count):
    controls = {{"n": whole("points", n, 1, 64), "count": whole("curves", count, 1, 8)}}
    return Explorer(waves, drawn, controls, {{}})
"""
CELLS = [SETUP, "explorers.positional_encoding()", "shown(20, 3)"]


def waves(n, count):
    y = np.sin(0.3 * np.arange(n)[:, None] + np.arange(count))
    y[n // 2 :, 0] = np.nan
    return y


class CurvesPage(ExplorerPage):
    """The nth explorer of a page, whose views may be several."""

    def __init__(self, page, nth):
        self.page = page
        self.output = self.view = page.locator(".tl-explorer").nth(nth)
        expect(self.output.locator(".tl-chart").first).to_be_visible()

    def chart(self, name):
        return self.output.locator(f'.tl-chart[data-panel="{name}"]')

    def reads(self, name):
        return self.chart(name).get_attribute("aria-valuetext")

    def hair(self, name):
        return self.chart(name).locator(".tl-hair")

    def point_at(self, name, share):
        """Put the mouse on a chart, this far along its axis."""
        rules = self.chart(name).locator(".tl-rules")
        rules.scroll_into_view_if_needed()
        box = rules.bounding_box()
        self.page.mouse.move(
            box["x"] + share * box["width"], box["y"] + box["height"] / 2
        )

    def set(self, label, key):
        handle = self.slider(label)
        handle.focus()
        self.page.keyboard.press(key)


@pytest.fixture
def explorer(lab, open_notebook):
    page = open_notebook(lab.add("curves.ipynb", CELLS), keep=True)

    def choose(nth):
        page.keyboard.press("Escape")
        page.mouse.move(0, 0)
        found = CurvesPage(page, nth)
        found.press("Reset")
        name, last = [("wave", 31), ("y", 19)][nth]
        expect(found.chart(name)).to_have_attribute("aria-valuemax", str(last))
        expect(found.chart(name).locator(".tl-curve")).to_have_count([2, 3][nth])
        return found

    return choose


def said(steps, row):
    sine, cosine = (plots.number(x, 4) for x in steps["wave"][row])
    return f"position {row}: sin, dim 4 {sine}, cos, dim 5 {cosine}"


# ── reading ─────────────────────────────────────────────────────────────────────
def test_arrow_keys_move_the_hair_line_and_read_every_curve(explorer):
    bench = explorer(0)
    steps = bench_steps()
    chart = bench.chart("wave")
    chart.focus()
    bench.page.keyboard.press("Home")
    for key, row in (
        ("ArrowRight", 1),
        ("ArrowUp", 2),
        ("ArrowLeft", 1),
        ("End", 31),
        ("ArrowRight", 31),
        ("PageDown", 28),
        ("PageUp", 31),
        ("Home", 0),
    ):
        bench.page.keyboard.press(key)
        assert bench.reads("wave") == said(steps, row)
        assert chart.get_attribute("aria-valuenow") == str(row)
    assert chart.get_attribute("aria-valuemax") == "31"


def bench_steps(**changed):
    default = {"d_model": 32, "length": 32, "base": 1e4, "p": 5, "k": 7, "pair": 2}
    return encoding_steps(**default | changed)


def test_the_mouse_reads_the_row_that_it_points_at(explorer):
    bench = explorer(0)
    steps = bench_steps()
    for share in (0.0, 0.5, 1.0):
        bench.point_at("wave", share)
        row = int(bench.chart("wave").get_attribute("aria-valuenow"))
        assert abs(row - (32 * share - 0.5)) <= 1
        assert bench.reads("wave") == said(steps, row)
        box = bench.hair("wave").bounding_box()
        rules = bench.chart("wave").locator(".tl-rules").bounding_box()
        expected = rules["x"] + rules["width"] * (row + 0.5) / 32
        assert box["x"] + box["width"] / 2 == pytest.approx(expected, abs=2)


def test_the_lines_below_say_what_the_hair_line_reads(explorer):
    bench = explorer(1)
    bench.chart("y").focus()
    bench.page.keyboard.press("Home")
    view = bench.output.locator(".tl").first
    expect(view.locator(".tl-about")).to_have_text("step 0")
    values = [plots.number(y, 3) for y in waves(20, 3)[0]]
    pairs = zip(NAMES, values, strict=False)
    expect(view.locator(".tl-chip")).to_have_text([a + b for a, b in pairs])
    bench.page.keyboard.press("End")  # where the first curve has ended
    values = [plots.number(y, 3) for y in waves(20, 3)[19]]
    chips = [NAMES[n] + values[n] for n in (1, 2)]
    expect(view.locator(".tl-chip")).to_have_text(chips)


def test_a_place_in_the_heat_map_moves_the_curves_and_the_hand_and_back(explorer):
    bench = explorer(0)
    bench.cell("PE", 19, 3).hover()
    for name in ("wave", "plane"):
        expect(bench.chart(name)).to_have_attribute("aria-valuenow", "19")
    assert bench.chart("dots").get_attribute("aria-valuenow") != "19"
    bench.chart("wave").focus()
    bench.page.keyboard.press("End")
    marked = bench.output.locator(".tl-also").evaluate_all(
        "all => all.map(td => td.dataset.row)"
    )
    assert marked == ["31"] * 32
    expect(bench.chart("plane")).to_have_attribute("aria-valuenow", "31")


def test_the_cell_of_the_heat_map_tells_how_it_was_made(explorer):
    bench = explorer(0)
    bench.cell("PE", 9, 5).hover()
    steps = bench_steps()
    divisor, angle = steps["PE.divisors"][0, 2], steps["PE.angles"][9, 2]
    chips = bench.output.locator(".tl").first.locator(".tl-chip")
    expect(chips).to_have_text(
        [
            f"pos ÷ 10000^(4/32)9 ÷ {plots.number(divisor, 4)}",
            f"angle{plots.number(angle, 4)}",
            f"cos({plots.number(angle, 4)}){plots.number(steps['PE'][9, 5], 4)}",
        ]
    )


# ── pinning ─────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("way", ["click", "Enter", " "])
def test_a_pinned_line_stays_until_it_is_let_go(explorer, way):
    bench = explorer(1)
    chart = bench.chart("y")
    chart.focus()
    for key in ("Home", "ArrowRight", "ArrowRight"):
        bench.page.keyboard.press(key)
    if way == "click":
        bench.point_at("y", 2.5 / 20)
        bench.page.mouse.down()
        bench.page.mouse.up()
    else:
        bench.page.keyboard.press(way)
    expect(chart).to_have_class(re.compile("tl-pinned"))
    pinned = bench.reads("y")
    assert pinned.startswith("step 2: ")
    bench.point_at("y", 0.9)
    bench.point_at("z", 0.4)
    assert bench.reads("y") == pinned
    assert bench.chart("z").get_attribute("aria-valuenow") == "2"  # it shares x
    bench.set("curves", "ArrowRight")
    expect(chart).to_have_attribute("aria-valuetext", re.compile(", four "))
    assert bench.reads("y").startswith(pinned)
    expect(bench.output.locator(".tl-about").first).to_have_text("step 2")
    chart.focus()
    bench.page.keyboard.press("Escape")
    expect(chart).not_to_have_class(re.compile("tl-pinned"))


# ── moving with the numbers ─────────────────────────────────────────────────────
def test_the_same_nodes_stay_while_numbers_change(explorer):
    bench = explorer(0)
    chart = bench.chart("wave")
    chart.evaluate("node => { node.kept = node.querySelector('path'); }")
    before = chart.bounding_box()
    for label in ("offset k", "pair i", "base", "length", "position p"):
        bench.set(label, "ArrowRight")
    expect(bench.chart("plane")).to_have_attribute(
        "aria-label", "a clock hand: sin, dim 6 and cos, dim 7"
    )
    assert chart.evaluate("node => node.kept === node.querySelector('path')")
    after = chart.bounding_box()
    assert (before["width"], before["height"]) == (after["width"], after["height"])


def test_the_place_survives_a_change(explorer):
    bench = explorer(0)
    bench.chart("wave").focus()
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight"):
        bench.page.keyboard.press(key)
    bench.set("pair i", "Home")
    expect(bench.chart("wave")).to_have_attribute(
        "aria-valuetext", re.compile("^position 3: sin, dim 0 0.1411, ")
    )


def test_every_number_of_points_and_curves_can_be_read(explorer):
    bench = explorer(1)
    for points, curves in (("Home", "Home"), ("Home", "End"), ("End", "End")):
        bench.set("points", points)
        bench.set("curves", curves)
        n, count = (
            1 if key == "Home" else most for key, most in ((points, 64), (curves, 8))
        )
        chart = bench.chart("y")
        expect(chart).to_have_attribute("aria-valuemax", str(n - 1))
        expect(chart.locator(".tl-curve")).to_have_count(count)
        chart.focus()
        bench.page.keyboard.press("End")
        values = waves(n, count)[-1]
        words = [
            f"{name} {plots.number(y, 3)}"
            for name, y in zip(NAMES, values, strict=False)
            if not np.isnan(y)
        ]
        assert bench.reads("y") == f"step {n - 1}: {', '.join(words)}"
        names = chart.locator(".tl-names").first.locator("text").all_text_contents()
        assert len(names) == count - (n == 1)
        drawn = chart.locator("svg").inner_html()
        assert "NaN" not in drawn
        assert "Infinity" not in drawn


def test_the_turn_is_shown_in_numbers_at_every_end(explorer):
    bench = explorer(0)
    for p, k, pair in (("End", "End", "Home"), ("Home", "Home", "End")):
        for label, key in (("position p", p), ("offset k", k), ("pair i", pair)):
            bench.set(label, key)
        s = {
            "p": 63 * (p == "End"),
            "k": 63 * (k == "End"),
            "pair": 15 * (pair == "End"),
        }
        steps = bench_steps(**s)
        shown = {name: steps[name] for name in ("R", "at_p", "turned", "at_pk")}
        bench.shows(shown, within=0.00006)
        note = bench.output.locator(".tl-panel", has_text="by the formula")
        expect(note).to_contain_text("equal to R_k · PE(p) to 9 decimals")


def test_an_odd_d_model_hides_the_turn_and_says_why(explorer):
    bench = explorer(0)
    bench.set("d_model", "ArrowRight")
    first = bench.output.locator(".tl-panel").first
    expect(first).to_contain_text("dimension 32 is a sine without its cosine")
    bench.set("pair i", "End")  # noUiSlider's End key knows the first range only
    expect(bench.chart("plane")).to_have_attribute("aria-label", re.compile("dim 30"))
    bench.set("pair i", "ArrowRight")
    expect(bench.chart("plane")).to_be_hidden()
    bench.set("d_model", "ArrowLeft")
    expect(bench.chart("plane")).to_be_visible()


@pytest.mark.parametrize("d_model", ["Home", "End"])
def test_the_heat_map_shows_the_table_at_both_ends_of_its_size(explorer, d_model):
    bench = explorer(0)
    bench.set("d_model", d_model)
    for length, n in (("Home", 1), ("End", 64)):
        bench.set("length", length)
        columns = 64 if d_model == "End" else 1
        cells = bench.output.locator('td[data-panel="PE"]')
        expect(cells).to_have_count(n * columns)
        steps = bench_steps(d_model=columns, length=n, pair=0)
        bench.shows({"PE": steps["PE"]})


# ── themes ──────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("dark", [False, True])
def test_names_and_lines_stand_out_in_both_themes(lab, open_notebook, dark):
    page = open_notebook(lab.add("curves.ipynb", CELLS), dark=dark, keep=True)
    bench = CurvesPage(page, 0)
    colours = bench.chart("wave").evaluate(
        "node => [getComputedStyle(node.querySelector('.tl-names text')).fill,"
        " getComputedStyle(node.querySelector('.tl-curve path')).stroke]"
    )
    paper = plots.PAPER["dark" if dark else "light"]
    for colour, least in zip(colours, (7, 2.2), strict=True):
        rgb = [int(float(c)) for c in re.findall(r"[\d.]+", colour)[:3]]
        text = "#{:02X}{:02X}{:02X}".format(*rgb)
        assert plots.contrast(text, paper) >= least

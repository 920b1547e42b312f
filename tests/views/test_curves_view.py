"""CurvesView in a page: read by mouse and by keyboard, shared, pinned."""

import re

import numpy as np
import pytest
from gallery import GALLERY, explorer_of
from playwright.sync_api import expect
from views.page import account

from course import explorers
from explorable import plots
from explorable.controls import whole
from explorable.drawings.curves import Curves

NAMES = ["none", "<b>b</b>", "a long name, cut short", "four", "5", "6", "7", "$8^$"]


def waves(*, n, count):
    """Curves of which the first ends half-way."""
    y = np.sin(0.3 * np.arange(n)[:, None] + np.arange(count))
    y[n // 2 :, 0] = np.nan
    return {"y": y, "z": y[:, :1] + 1}


def drawn(arrays, *, n, count):
    wide = (-0.5, n - 0.5)
    some = {"x": range(n), "shares": "x", "digits": 3}
    two = {"series": NAMES[:count], "looks": ["both"] * count, "axes": ("step", "loss")}
    return [
        Curves(name="y", title="y", limits=(wide, (-1, 1)), **two, **some),
        Curves(name="z", title="z", limits=(wide, (0, 2)), series=["z"], **some),
    ]


@pytest.fixture
def bench(page):
    points, count = whole("points", 20, 1, 64), whole("curves", 3, 1, 8)
    made = explorer_of(waves, drawn, {"n": points, "count": count})
    page.draw(made)
    return made


@pytest.fixture
def encoding(page):
    made = explorers.positional_encoding(32, 32)
    page.draw(made)
    return made


# Lines of the grid that are drawn as the line of zero, though they are upright.
UPRIGHT = """() => [...document.querySelectorAll(".tl-zero-line")]
    .filter((line) => line.getAttribute("x1") === line.getAttribute("x2")).length"""


def chart(page, name):
    return page.find(f'.tl-chart[data-panel="{name}"]')


def reads(page, name):
    return chart(page, name).get_attribute("aria-valuetext")


def at(page, name):
    return int(chart(page, name).get_attribute("aria-valuenow"))


def point_at(page, name, share):
    """Put the mouse on a chart, this far along its axis."""
    page.lay_out()
    rules = chart(page, name).locator(".tl-rules")
    rules.scroll_into_view_if_needed()
    box = rules.bounding_box()
    page.page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)


def said(encoding, row):
    sines = zip((4, 8, 12, 16), encoding.values["wave"][row], strict=True)
    read = [f"dim {n} {plots.number(x, 4)}" for n, x in sines]
    return f"position {row}: {', '.join(read)}"


# ── reading ─────────────────────────────────────────────────────────────────────
def test_arrow_keys_move_the_hair_line_and_read_every_curve(encoding, page):
    chart(page, "wave").focus()
    page.press("Home")
    steps = {"ArrowRight": 1, "ArrowUp": 2, "ArrowLeft": 1, "End": 31, "PageDown": 28}
    for key, row in [*steps.items(), ("PageUp", 31), ("ArrowRight", 31), ("Home", 0)]:
        page.press(key)
        assert (at(page, "wave"), reads(page, "wave")) == (row, said(encoding, row))
    assert chart(page, "wave").get_attribute("aria-valuemax") == "31"


def test_the_mouse_reads_the_row_that_it_points_at(encoding, page):
    for share in (0.0, 0.5, 1.0):
        point_at(page, "wave", share)
        row = at(page, "wave")
        assert abs(row - (32 * share - 0.5)) <= 1
        assert reads(page, "wave") == said(encoding, row)
        box = chart(page, "wave").locator(".tl-hair").bounding_box()
        rules = chart(page, "wave").locator(".tl-rules").bounding_box()
        expected = rules["x"] + rules["width"] * (row + 0.5) / 32
        assert box["x"] + box["width"] / 2 == pytest.approx(expected, abs=2)


def test_charts_that_share_an_axis_begin_in_the_same_row(bench, page):
    assert at(page, "y") == at(page, "z") == 19
    for name in ("y", "z"):
        expect(chart(page, name).locator(".tl-hair line")).to_have_count(1)


def test_the_lines_below_say_what_the_hair_line_reads(bench, page):
    chart(page, "y").focus()
    page.press("Home")
    expect(page.find(".tl-about")).to_have_text("step 0")
    first, last = (bench.values["y"][n] for n in (0, 19))
    chips = [NAMES[n] + plots.number(first[n], 3) for n in range(3)]
    assert page.texts(".tl-chip") == chips
    page.press("End")  # where the first curve has ended
    chips = [NAMES[n] + plots.number(last[n], 3) for n in (1, 2)]
    assert page.texts(".tl-chip") == chips


def test_a_place_in_the_heat_map_moves_the_curves_and_the_hand_and_back(encoding, page):
    page.cell("PE", 19, 3).hover()
    assert (at(page, "wave"), at(page, "clock0")) == (19, 19)
    assert at(page, "clock2") == 19
    chart(page, "wave").focus()
    page.press("End")
    rows = page.find(".tl-also").evaluate_all("all => all.map(td => td.dataset.row)")
    assert rows == ["31"] * 32
    assert at(page, "clock0") == 31


def test_the_cell_of_the_heat_map_tells_how_it_was_made(encoding, page):
    _, chips, _ = page.explanation("PE", 9, 5)
    angle = 9 / 10000 ** (4 / 32)
    written, divisor = plots.number(angle, 4), plots.number(10000 ** (4 / 32), 4)
    assert chips == [
        ["", "pos ÷ 10000^(4/32)", f"9 ÷ {divisor}"],
        ["=", "angle", written],
        ["→", f"cos({written})", plots.number(np.cos(angle), 4)],
    ]


# ── pinning ─────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("way", ["click", "Enter", " "])
def test_a_pinned_line_stays_until_it_is_let_go(bench, page, way):
    line = chart(page, "y")
    line.focus()
    page.press("Home", "ArrowRight", "ArrowRight")
    if way == "click":
        point_at(page, "y", 2.5 / 20)
        page.page.mouse.down()
        page.page.mouse.up()
    else:
        page.press(way)
    expect(line).to_contain_class("tl-pinned")
    pinned = reads(page, "y")
    assert pinned.startswith("step 2: ")
    point_at(page, "y", 0.9)
    point_at(page, "z", 0.4)
    assert reads(page, "y") == pinned
    assert at(page, "z") == 2  # it shares x
    bench.controls["count"].value = 4
    assert reads(page, "y").startswith(f"{pinned}, four ")
    expect(page.find(".tl-about").first).to_have_text("step 2")
    line.focus()
    page.press("Escape")
    expect(line).not_to_contain_class("tl-pinned")


# ── moving with the numbers ─────────────────────────────────────────────────────
def test_the_same_nodes_stay_while_numbers_change(encoding, page):
    page.page.set_viewport_size({"width": 1900, "height": 2000})  # room for more rows
    page.lay_out()
    wave = chart(page, "wave")
    wave.evaluate("node => { node.kept = node.querySelector('path'); }")
    # The table beside it has another width for each length, and the chart the rest.
    for name in ("length", "k", "pair", "base", "p"):
        if name == "k":
            page.lay_out()
            before = wave.bounding_box()
        control = encoding.controls[name]
        moved = getattr(control, "options", None)
        if moved:
            control.index += 1
        else:
            control.value += control.step
    expect(chart(page, "clock0")).to_have_attribute(
        "aria-label", "clock: sin, dim 6 and cos, dim 7"
    )
    assert wave.evaluate("node => node.kept === node.querySelector('path')")
    after = wave.bounding_box()
    assert (before["width"], before["height"]) == (after["width"], after["height"])
    page.page.set_viewport_size({"width": 1280, "height": 2000})


def test_the_place_survives_a_change(encoding, page):
    chart(page, "wave").focus()
    page.press("Home", *["ArrowRight"] * 3)
    encoding.controls["pair"].value = 0
    assert reads(page, "wave").startswith("position 3: dim 0 0.1411, ")


@pytest.mark.parametrize(("n", "count"), [(1, 1), (1, 8), (64, 8)])
def test_every_number_of_points_and_curves_can_be_read(bench, page, n, count):
    bench.controls["n"].value = n
    bench.controls["count"].value = count
    line = chart(page, "y")
    expect(line).to_have_attribute("aria-valuemax", str(n - 1))
    expect(line.locator(".tl-curve")).to_have_count(count)
    line.focus()
    page.press("End")
    values = zip(NAMES, bench.values["y"][-1], strict=False)
    words = [f"{name} {plots.number(y, 3)}" for name, y in values if not np.isnan(y)]
    assert reads(page, "y") == f"step {n - 1}: {', '.join(words)}"
    names = line.locator(".tl-names").first.locator("text").all_text_contents()
    assert len(names) == count - (n == 1)
    assert not re.search("NaN|Infinity", line.locator("> svg").inner_html())


def test_an_odd_d_model_hides_the_turn_and_says_why(encoding, page):
    expect(chart(page, "clock0")).to_be_visible()
    encoding.controls["d_model"].value = 33
    first = page.find(".tl-panel").first
    expect(first).to_contain_text("dimension 32 is a sine without its cosine")
    encoding.controls["pair"].value = encoding.controls["pair"].max
    expect(chart(page, "clock0")).to_be_hidden()
    assert page.shown() == account(encoding)
    encoding.controls["d_model"].value = 32
    expect(chart(page, "clock0")).to_be_visible()


@pytest.mark.parametrize("k", [0, 1, 14])
@pytest.mark.parametrize("p", [0, 3, 8, 11])
def test_the_names_of_a_clocks_hands_never_meet(encoding, page, p, k):
    for name, value in {"p": p, "k": k}.items():
        encoding.controls[name].value = value
    for clock in ("clock0", "clock1", "clock2"):
        names = chart(page, clock).locator(".tl-arrow text")
        a, b = (names.nth(n).bounding_box() for n in range(2))
        beside = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
        assert beside or abs(a["y"] - b["y"]) > 0.7 * a["height"], clock


def test_all_of_the_encoding_fits_a_screen(page):
    page.page.set_viewport_size({"width": 1150, "height": 660})
    encoding = explorers.positional_encoding()
    page.draw(encoding)
    assert page.find(".tl-explorer").bounding_box()["height"] <= 660
    encoding.controls["numbers"].value = True
    expect(page.find(".tl-chart").nth(4)).to_be_visible()
    assert page.find(".tl-explorer").bounding_box()["height"] <= 1000
    page.page.set_viewport_size({"width": 1280, "height": 2000})


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_names_and_lines_stand_out_in_both_themes(encoding, page, dark):
    page.theme(dark)
    colors = chart(page, "wave").evaluate(
        "node => [getComputedStyle(node.querySelector('.tl-names text')).fill,"
        " getComputedStyle(node.querySelector('.tl-curve path')).stroke]"
    )
    paper = plots.PAPER["dark" if dark else "light"]
    for color, least in zip(colors, (7, 2.2), strict=True):
        rgb = [int(float(c)) for c in re.findall(r"[\d.]+", color)[:3]]
        text = "#{:02X}{:02X}{:02X}".format(*rgb)
        assert plots.contrast(text, paper) >= least


def test_the_line_of_zero_stays_level_when_the_grid_grows(page):
    explorer = GALLERY["deep_stack"].make(4)
    page.draw(explorer)
    blocks = explorer.controls["blocks"]
    for count in blocks.options:
        blocks.value = count
        assert page.page.evaluate(UPRIGHT) == 0


def test_the_hair_line_goes_along_with_a_curve_that_grows_until_it_is_moved(page):
    """It stood at the end of the axis, where there was nothing to read."""

    def compute(*, taken):
        values = np.full((10, 1), np.nan)
        values[:taken, 0] = range(taken)
        return {"x": values}

    def draw(arrays, **_):
        look = {"series": ("loss",), "limits": ((1, 10), (0.0, 10.0))}
        return [Curves(name="x", title="x", x=range(1, 11), axes=("step", "y"), **look)]

    explorer = explorer_of(compute, draw, {"taken": whole("taken", 0, 0, 10)})
    page.draw(explorer)
    line = page.find(".tl-chart")
    for taken, row in ((0, 0), (3, 2), (7, 6)):
        explorer.controls["taken"].value = taken
        page.shown()
        expect(line).to_have_attribute("aria-valuenow", str(row))
    line.focus()
    page.press("ArrowLeft")
    explorer.controls["taken"].value = 9
    page.shown()
    expect(line).to_have_attribute("aria-valuenow", "5")


def test_what_the_sentence_says_is_not_said_again_at_the_number(page):
    look = {"series": ("loss",), "limits": ((0, 9), (0.0, 2.0))}
    look |= {"sentence": "loss at step {x}"}
    curve = Curves(name="x", title="x", axes=("step", "y"), x=range(10), **look)
    page.draw(explorer_of(lambda: {"x": np.ones((10, 1))}, lambda _: [curve]))
    expect(page.find(".tl-about")).to_have_text("loss at step 9")
    assert page.texts(".tl-chip") == ["1.00"]


def test_a_line_ends_at_the_frame_and_a_mark_is_named_beside_the_scale(page):
    """A line went on above the highest number, and "now" was written over it."""
    look = {"series": ("loss",), "limits": ((0, 9), (0.0, 2.0)), "marks": [(0, "now")]}
    curve = Curves(name="x", title="x", axes=("step", "y"), x=range(10), **look)
    x = np.linspace(9, 0, 10)[:, None]
    page.draw(explorer_of(lambda: {"x": x}, lambda _: [curve]))
    plane = page.find(".tl-plot .tl-rules").evaluate("node => node.getBBox().y")
    clip = page.find(".tl-plot svg svg").get_attribute("y")
    assert plane - float(clip) <= 1.5
    now = page.find(".tl-plot .tl-names text").filter(has_text="now").bounding_box()
    scale = page.find(".tl-plot .tl-ys").bounding_box()
    assert scale["x"] + scale["width"] <= now["x"]


def test_names_at_the_foot_stand_above_the_numbers_of_the_scale(page):
    """A name and its line stood where the last number was."""
    look = {"limits": ((0, 9), (0.0, 1.0)), "axes": ("step", "y")}
    curves = [
        Curves(name=name, title=name, series=names, x=range(10), **look)
        for name, names in (("x", ["low", "lower"]), ("y", ["alone"]))
    ]
    arrays = {"x": np.zeros((10, 2)), "y": np.zeros((10, 1))}
    page.draw(explorer_of(lambda: arrays, lambda _: curves))
    foot = page.find(".tl-rules").first.bounding_box()
    ends = page.find(".tl-names text").evaluate_all(
        "all => all.map((t) => t.getBoundingClientRect().bottom)"
    )
    assert len(ends) == 2  # a single curve is what the title names
    assert max(ends) <= foot["y"] + foot["height"] + 3


def test_a_logarithmic_scale_shows_equal_ratios_as_equal_distances(page):
    page.draw(explorers.cache_costs())
    heights = page.find(".tl-ys text").evaluate_all(
        "all => all.map((t) => +t.getAttribute('y'))"
    )
    assert len(heights) > 3
    np.testing.assert_allclose(np.diff(heights), heights[1] - heights[0], atol=1e-6)
    line = page.find(".tl-curve path").first.get_attribute("d")
    ys = [float(point.split()[1]) for point in re.split("[ML]", line)[1:]]
    np.testing.assert_allclose(np.diff(ys), ys[1] - ys[0], atol=0.02)  # it doubles

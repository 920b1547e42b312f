"""Curves and the plane without a browser: what is drawn, written and refused."""

import json
import math

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from transformer_lib.plots.cells import short

from transformer_lib import plots
from transformer_lib.explorers.toolkit.curves import Curves, Plane
from transformer_lib.explorers.toolkit.views import VIEWS, CurvesView

NAN = float("nan")
LIMITS = ((0.0, 10.0), (-1.0, 1.0))
NASTY = ["$x^$", "<b>b</b>", "a\u202eb", "😀", "", "注意", "é" * 60, "_"]


def new_axes():
    return FigureCanvasAgg(Figure()).figure.add_subplot()


def named(ax):
    """The names at the curves' ends, from the highest to the lowest."""
    found = [t for t in ax.texts if type(t) is Annotation and t.arrow_patch]
    return [t.get_text() for t in sorted(found, key=lambda t: -t.xyann[1])]


def a_drawing(rows=3, count=2, **more):
    series = [f"c{n}" for n in range(count)]
    return Curves(
        **{"name": "y", "title": "y", "x": range(rows), "series": series}
        | {"limits": LIMITS, **more}
    )


# ── the twin ────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("rows", [1, 2, 64])
@pytest.mark.parametrize("count", [1, 8])
def test_every_curve_goes_through_its_points(rows, count):
    y = np.random.default_rng(0).normal(size=(rows, count))
    ax = plots.curves(y, looks=["both"] * count, ax=new_axes())
    drawn = [line for line in ax.lines if len(line.get_xdata()) == rows]
    drawn = [line for line in drawn if line.get_transform() == ax.transData]
    assert len(drawn) == 2 * count
    for n in range(count):
        for line in drawn[2 * n : 2 * n + 2]:
            np.testing.assert_array_equal(line.get_ydata(), y[:, n])
    ax.figure.canvas.draw()


def test_curves_differ_in_more_than_their_hue():
    ax = plots.curves(
        np.zeros((2, 8)) + np.arange(8), looks=["both"] * 8, ax=new_axes()
    )
    lines = [line for line in ax.lines if line.get_transform() == ax.transData]
    dashes = {str(line._unscaled_dash_pattern) for line in lines[::2]}
    markers = {line.get_marker() for line in lines[1::2]}
    assert len(dashes) == len(markers) == 8


def test_a_curve_is_named_at_its_end_in_the_order_of_the_ends():
    y = [[0.0, 0, 0], [0.5, -0.5, 0.51]]
    ax = plots.curves(y, ["middle", "$low^$", "high"], ax=new_axes())
    assert named(ax) == ["high", "middle", "$low^$"]
    ax.figure.canvas.draw()


def test_a_curve_that_ends_early_is_named_where_it_ends_and_an_empty_one_not():
    y = [[1.0, NAN], [2.0, NAN], [NAN, NAN]]
    ax = plots.curves(y, ["short", "none"], ax=new_axes())
    [name] = [t for t in ax.texts if type(t) is Annotation and t.arrow_patch]
    assert name.get_text() == "short"
    assert name.xy == (1.0, 2.0)


@pytest.mark.filterwarnings("ignore:Glyph .* missing")
def test_nasty_names_are_drawn_as_text():
    y = np.arange(16.0).reshape(2, 8)
    ax = plots.curves(y, NASTY, marks=[(0, "$p_")], axes=("$x", "_^"), ax=new_axes())
    assert named(ax) == [short(name) for name in NASTY[::-1] if name]
    ax.figure.canvas.draw()


def test_a_long_name_or_word_is_cut_short():
    long = "w" * 200
    ax = plots.curves([[0.0], [1.0]], [long], marks=[(0, long)], ax=new_axes())
    plots.plane([[0, 1]], [[0, 1]], [long], hues=["key"], ax=ax)
    assert {len(t.get_text()) for t in ax.texts if t.get_text()} == {14}


def test_what_lies_beyond_the_limits_is_not_drawn_nor_named_out_there():
    y = [[0.5, -math.inf], [90.0, 0.5]]
    ax = plots.curves(y, ["up", "in"], limits=((0, 1), (0, 1)), ax=new_axes())
    ax.figure.canvas.draw()
    frame = ax.get_window_extent()
    for line in ax.lines:
        assert line.get_tightbbox().y1 < frame.y1 + 0.1 * frame.height
    [up] = [t for t in ax.texts if t.get_text() == "up"]
    assert up.xy == (1.0, 1.0)


@pytest.mark.parametrize("heights", [[0.0], [0.0, 0.0, 0.0], [3.0, 0.1, 0.0, 3.05]])
def test_names_are_moved_apart_and_stay_in_order(heights):
    placed = plots.apart(heights, 1.0)
    assert np.diff(sorted(placed)).min(initial=9) > 0.98
    assert np.argsort(placed).tolist() == np.argsort(heights, kind="stable").tolist()
    assert np.mean(placed) == pytest.approx(np.mean(heights))


def test_names_that_are_apart_stay_where_they_are():
    assert plots.apart([0.0, 5.0, 2.0], 1.0) == [0.0, 5.0, 2.0]


@pytest.mark.parametrize("scale", [(0, 1), (-1.1, 1.1), (0, 2047), (3, 3.001), (-5, 0)])
def test_the_numbers_of_a_scale_are_round_rise_and_lie_on_it(scale):
    found = plots.ticks(scale)
    assert 2 <= len(found) <= 7
    assert scale[0] <= found[0] < found[-1] <= scale[1] + 1e-9
    step = found[1] - found[0]
    np.testing.assert_allclose(np.diff(found), step)
    digits = step / 10 ** math.floor(math.log10(step) + 1e-9)
    assert min(abs(digits - d) for d in (1, 2, 2.5, 5, 10)) < 1e-6


@pytest.mark.parametrize(
    ("values", "more", "naming"),
    [
        ([1.0, 2.0], {}, r"matrix \(N, C\), got shape \(2,\)"),
        (np.zeros((0, 2)), {}, r"got shape \(0, 2\)"),
        (np.zeros((2, 9)), {}, "8 at most, got 9"),
        ([[1.0], [2]], {"x": [1, 1]}, r"2 rising numbers, got \[1.0, 1.0\]"),
        ([[1.0], [2]], {"x": [0, NAN]}, "2 rising numbers, got"),
        ([[1.0], [2]], {"x": [0, math.inf]}, "2 rising numbers, got"),
        ([[1.0]], {"x": [NAN]}, "1 rising numbers, got"),
        ([[1.0]], {"x": [1, 2]}, "1 rising numbers"),
        ([[1.0]], {"series": ["a", "b"]}, r"1 names, got \['a', 'b'\]"),
        ([[1.0]], {"hues": ["red"]}, r"1 of .*, got \['red'\]"),
        ([[1.0]], {"looks": ["bold"]}, r"1 of .*, got \['bold'\]"),
    ],
)
def test_curves_that_cannot_be_drawn_are_refused(values, more, naming):
    with pytest.raises(ValueError, match=naming):
        plots.curves(values, **more)


def test_the_plane_is_as_wide_as_high_and_names_its_hands():
    ends = np.array([[1.0, 0], [0, -1]])
    ax = plots.plane(
        ends, ends, ["$p^$", "q"], hues=["position", "key"], arc=ends, ax=new_axes()
    )
    assert ax.get_aspect() == 1.0
    assert {"$p^$", "q"} <= {t.get_text() for t in ax.texts}
    ax.figure.canvas.draw()


@pytest.mark.parametrize(
    ("arguments", "naming"),
    [
        (([1.0, 2.0],), r"points must have shape \(N, 2\), got \(2,\)"),
        (([[1.0, 2]], [[1.0]]), r"arrows must have shape \(N, 2\), got \(1, 1\)"),
        (([[1.0, 2]], [[1.0, 2]], ["a"]), "1 arrows need .* got 1 and 0"),
    ],
)
def test_a_plane_that_cannot_be_drawn_is_refused(arguments, naming):
    with pytest.raises(ValueError, match=naming):
        plots.plane(*arguments)


# ── the drawing ─────────────────────────────────────────────────────────────────
def test_what_the_page_is_told_is_plain_data():
    curves = a_drawing(marks=[(1, "p")], x=[0, 0.5, 2])
    plane = Plane(
        name="z", title="z", count=2, arrows=["p"], hues=["key"], axes=("x", "y")
    )
    for drawing in (curves, plane):
        for told in (drawing.frame(), drawing.live()):
            assert json.loads(json.dumps(told)) == told
        assert VIEWS[drawing.kind] is CurvesView
    assert curves.live()["marks"] == [[1, "p"]]
    assert curves.frame()["styles"][1]["dashes"] == plots.DASHES[1]


def test_numbers_and_names_may_change_without_a_new_frame():
    one = a_drawing(rows=3, axes=("a", "b"))
    two = a_drawing(rows=9, series=["x", "y"], limits=((0, 9), (0, 1)), axes=("c", "d"))
    assert one.frame() == two.frame()


def test_the_text_names_rows_marks_curves_and_gaps():
    drawing = a_drawing(marks=[(2, "p")], axes=("step", "loss"), x=[0, 50, 100])
    text = drawing.text({"y": np.array([[1.0, NAN], [0.5, 2], [-0.25, 3]])})
    assert [line.split() for line in text.splitlines()] == [
        ["y", "·", "x:", "step", "·", "y:", "loss"],
        ["step", "c0", "c1"],
        ["0", "1.00", "–"],
        ["50", "0.50", "2.00"],
        ["100", "p", "−0.25", "3.00"],
    ]


@pytest.mark.parametrize(
    ("more", "naming"),
    [
        ({"marks": [(3, "p")]}, "rows below 3"),
        ({"marks": [(-1, "p")]}, "rows below 3"),
        ({"limits": ((0, 0), (0, 1))}, "limits must be finite and rise"),
        ({"limits": ((0, 1), (0, math.inf))}, "limits must be finite and rise"),
        ({"rows": 2049}, "2048 numbers, got 2049"),
        ({"count": 9}, "8 at most, got 9"),
        ({"hues": ["position"]}, "hues must be 2"),
    ],
)
def test_a_drawing_that_does_not_fit_itself_is_refused(more, naming):
    with pytest.raises(ValueError, match=naming):
        a_drawing(**more)

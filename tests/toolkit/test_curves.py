"""Curves and the plane without a browser: what is drawn, written and refused."""

import io
import json
import math

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from PIL import Image

from explorable import plots
from explorable.drawings.curves import Curves, UnitCircle
from explorable.drawings.curves.unit_circle import draw_circle
from explorable.plots import as_png
from explorable.views import view_in

NAN = float("nan")
LIMITS = ((0.0, 10.0), (-1.0, 1.0))
NASTY = ["$x^$", "<b>b</b>", "a\u202eb", "😀", "", "注意", "é" * 60, "_"]


def drawn(values, *names, **more):
    """Curves in a figure of their own."""
    limits = more.pop("limits", ((0.0, len(values) - 0.5), (-9.0, 9.0)))
    area = plots.Area(Figure(dpi=50), *limits, (1, 1, 4, 3))
    return plots.curves(values, *names, **more, area=area).on


def lines(figure):
    """The curves: their lines and their markers."""
    return figure.findobj(Line2D)


def named(figure):
    """The names at the curves' ends, from the highest to the lowest."""
    found = [w for w in plots.said(figure) if w.dx == 4 and w.text]
    return [w.text for w in sorted(found, key=lambda w: -w.y)]


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
    figure = drawn(y, looks=["both"] * count)
    found = lines(figure)
    assert len(found) == 2 * count
    for n in range(count):
        for line in found[2 * n : 2 * n + 2]:
            np.testing.assert_array_equal(line.get_ydata(), y[:, n])
    assert as_png(figure)


def test_curves_differ_in_more_than_their_hue():
    found = lines(drawn(np.zeros((2, 8)) + np.arange(8), looks=["both"] * 8))
    dashes = {str(line._unscaled_dash_pattern) for line in found[::2]}
    markers = {line.get_marker() for line in found[1::2]}
    assert len(dashes) == len(markers) == 8


def test_a_curve_is_named_at_its_end_in_the_order_of_the_ends():
    y = [[0.0, 0, 0], [0.5, -0.5, 0.51]]
    figure = drawn(y, ["middle", "$low^$", "high"])
    assert named(figure) == ["high", "middle", "$low^$"]
    assert as_png(figure)


def test_a_curve_that_ends_early_is_named_where_it_ends_and_an_empty_one_not():
    y = [[1.0, NAN], [2.0, NAN], [NAN, NAN]]
    figure = drawn(y, ["short", "none"])
    assert named(figure) == ["short"]
    [word] = [w for w in plots.said(figure) if w.text == "short"]
    assert 1.0 < word.x < 1.2  # beside its end, not at the edge
    starts = [line.get_segments()[0][0] for line in figure.findobj(LineCollection)]
    assert [1.0, 2.0] in [start.tolist() for start in starts]


def test_nasty_names_are_drawn_as_text():
    y = np.arange(16.0).reshape(2, 8)
    figure = drawn(y, NASTY, marks=[(0, "$p_")], axes=("$x", "_^"))
    assert named(figure) == [plots.short(name) for name in NASTY[::-1] if name]
    assert as_png(figure)


def test_a_long_name_or_word_is_cut_short():
    long = "w" * 200
    figure = drawn([[0.0], [1.0]], [long], marks=[(0, long)])
    area = plots.Area(figure, (-1, 1), (-1, 1), (0, 0, 1, 1))
    draw_circle(area, [[0, 1]], arrows=[[0, 1]], names=[long], hues=["key"])
    lengths = [len(w.text) for w in plots.said(figure) if "w" in w.text]
    assert lengths == [14] * 3


def test_what_lies_beyond_the_limits_is_not_drawn_nor_named_out_there():
    y = [[0.5, -math.inf], [90.0, 0.5]]
    figure = drawn(y, ["up", "in"], limits=((0, 1), (0, 1)))
    for line in lines(figure):
        assert line.get_clip_on()
        assert line.get_clip_box().y1 < (4 + 0.3) * figure.dpi
    [up] = [w for w in plots.said(figure) if w.text == "up"]
    assert 0.9 < up.y <= 1.1
    seen = np.asarray(Image.open(io.BytesIO(as_png(figure))))
    assert (seen[: round(0.4 * 50)] == 255).all()  # nothing above the area


def test_curves_can_be_drawn_alone():
    area = plots.curves([[0.0], [1.0]], ["one"], axes=("step", "loss"))
    words = [word.text for word in plots.said(area.on)]
    assert {"one", "step", "loss"} <= set(words)
    area.on.figure.canvas.draw()


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


@pytest.mark.parametrize("last", [2, 7, 47, 750])
def test_steps_and_positions_have_whole_numbers_on_their_scale(last):
    x = range(1, last + 1)
    found = [t for t, _ in a_drawing(x=x, limits=((1.0, last), (0.0, 1.0))).ticks[0]]
    assert len(found) >= 2
    assert plots.are_whole(found)


def test_a_logarithmic_scale_is_marked_at_powers_of_ten():
    look = {"limits": ((0.0, 1.0), (0.01, 1000.0)), "logarithmic": True}
    drawing = a_drawing(**look)
    texts = [text for _, text in drawing.ticks[1]]
    assert texts == ["0.01", "0.1", "1", "10", "100", "1,000"]
    assert drawing.up == (-2, 3)


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


def plane(points, arrows=(), names=(), **more):
    area = plots.Area(Figure(dpi=50), (-1, 1), (-1, 1), (1, 1, 4, 4))
    draw_circle(area, points, arrows=arrows, names=names, **more)
    return area.on


def test_the_plane_names_its_hands_and_its_axes():
    ends = np.array([[1.0, 0], [0, -1]])
    look = {"hues": ["position", "key"], "arc": ends, "axes": ("sin", "cos")}
    figure = plane(ends, ends, ["$p^$", "q"], **look)
    assert {"$p^$", "q", "sin →", "cos ↑"} <= {w.text for w in plots.said(figure)}
    assert as_png(figure)


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
        plane(*arguments)


# ── the drawing ─────────────────────────────────────────────────────────────────
def test_what_the_page_is_told_is_plain_data():
    curves = a_drawing(marks=[(1, "p")], x=[0, 0.5, 2])
    plane = UnitCircle(
        name="z", title="z", x=range(2), arrows=["p"], hues=["key"], axes=("x", "y")
    )
    for drawing in (curves, plane):
        for told in (drawing.frame(), drawing.live()):
            assert json.loads(json.dumps(told)) == told
        assert view_in(drawing.folder()).__name__ == "CurvesView"
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
        ({"limits": ((0, 1), (0, 1)), "logarithmic": True}, "limits must be positive"),
        ({"rows": 2049}, "2048 numbers, got 2049"),
        ({"count": 9}, "8 at most, got 9"),
        ({"hues": ["position"]}, "hues must be 2"),
    ],
)
def test_a_drawing_that_does_not_fit_itself_is_refused(more, naming):
    with pytest.raises(ValueError, match=naming):
        a_drawing(**more)

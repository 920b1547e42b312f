"""Pictures: what is accepted, what each cell says and looks like, edits, the text."""

import io
import re

import numpy as np
import pytest
from gallery import GALLERY
from matplotlib.figure import Figure
from PIL import Image

from explorable import Explorer, Sheet, plots
from explorable.drawing import EM
from explorable.drawings.picture import PixelGrid
from explorable.drawings.picture.at_rest import draw_pixels
from explorable.picture import draw_picture

COLORS = [("nothing", "#FFFFFF"), ("red", "#FF0000"), ("deep blue", "#000080")]
DIGIT = np.arange(12).reshape(3, 4) / 11


def drawn(values, most=np.inf, weights=None, **look):
    """An explorer of one picture, which refuses a sum beyond `most`."""
    x = np.asarray(values, dtype=np.float64)
    look = {"size": (x.shape[0], x.shape[1] // (3 if look.get("rgb") else 1))} | look

    def sheet(x):
        if x.sum() > most:
            raise ValueError(f"that is too much: {x.sum():g}")
        s = Sheet()
        s.draw(PixelGrid(name="x", title="a picture", **look), x)
        if weights is not None:
            s.keep("x.weights", weights)
        return s

    return Explorer("drawn", sheet, {}, {"x": x})


def paint(explorer, *cells, turn="me 1"):
    """Tell Python what the page tells it, and return what the page hears."""
    heard = []
    explorer.view.send = heard.append
    explorer.view.moved = {"type": "paint", "strokes": {"x": cells}, "turn": turn}
    return heard


# ── what is accepted ──────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("values", "look", "why"),
    [
        (DIGIT, {"size": (0, 4)}, "size must be 1 to 64 rows and columns, got (0, 4)"),
        (np.zeros((65, 1)), {}, "size must be 1 to 64 rows and columns, got (65, 1)"),
        (DIGIT, {"size": (4, 3)}, "x must have shape (4, 3), got (3, 4)"),
        (DIGIT, {"size": (3, 4), "rgb": True}, "x must have shape (3, 12)"),
        (DIGIT, {"vmax": 0}, "vmax must be above 0 and finite, got 0"),
        (DIGIT, {"full": np.inf}, "full must be above 0 and finite, got inf"),
        (DIGIT, {"vmax": 0.5}, "a cell of x must be from 0 to 0.5, got 0.545455"),
        (-DIGIT, {}, "a cell of x must be from 0 to 1, got -0.0909091"),
        (DIGIT * np.nan, {}, "a cell of x must be from 0 to 1, got nan"),
        (DIGIT, {"colors": COLORS}, "be a whole number from 0 to 2, got 0.0909091"),
        ([[3.0]], {"colors": COLORS}, "be a whole number from 0 to 2, got 3"),
        (
            [[0.0]],
            {"colors": [("a", "red")]},
            "a color must be a name and its #RRGGBB, got ('a', 'red')",
        ),
        ([[0.0]], {"colors": COLORS * 6}, "colors must be at most 16, got 18"),
        (DIGIT, {"patch": (2, 2)}, "patch must divide the size (3, 4), got (2, 2)"),
        (DIGIT, {"patch": (0, 2)}, "patch must divide the size (3, 4), got (0, 2)"),
        (DIGIT, {"outlined": np.eye(3) > 0}, "outlined must have the size (3, 4)"),
        (DIGIT, {"weights": [[1.0]]}, "x.weights must have one number for each patch"),
        (
            DIGIT,
            {"weights": np.ones((3, 4)), "patch": (3, 2)},
            "x.weights must have one number for each patch, shape (1, 2), got (3, 4)",
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_its_name(values, look, why):
    with pytest.raises(ValueError, match=re.escape(why)):
        drawn(values, **look)


@pytest.mark.parametrize("size", [(1, 1), (1, 64), (64, 1), (28, 28)])
def test_a_picture_of_any_size_is_drawn_at_rest_and_as_text(size):
    explorer = drawn(np.zeros(size))
    explorer.picture().savefig(io.BytesIO(), format="png", dpi=20)
    assert len(explorer.text().splitlines()) == 2 + size[0]
    assert explorer.numbers().count("0.00") == np.prod(size)


# ── what a cell says and looks like ───────────────────────────────────────────────────
def test_a_grey_cell_is_as_dark_as_its_number_and_says_it():
    picture = PixelGrid(name="x", size=(1, 3), vmax=16.0, digits=0)
    values = np.array([[0.0, 4.0, 16.0]])
    assert picture.painted(values).tolist() == [["#FFFFFF", "#BFBFBF", "#000000"]]
    assert picture.cells(values) == [["0", "4", "16"]]


def test_a_cell_of_a_palette_says_the_name_of_its_color():
    picture = PixelGrid(name="x", size=(1, 2), colors=COLORS)
    values = np.array([[2.0, 0.0]])
    assert picture.painted(values).tolist() == [["#000080", "#FFFFFF"]]
    assert picture.cells(values) == [["deep blue", "nothing"]]


def test_a_cell_of_red_green_and_blue_says_all_three():
    picture = PixelGrid(name="x", size=(1, 2), rgb=True, vmax=2.0, digits=1)
    values = np.array([[2.0, 1, 0, 0, 0.5, 2]])
    assert picture.painted(values).tolist() == [["#FF8000", "#0040FF"]]
    assert picture.cells(values) == [["2.0 1.0 0.0", "0.0 0.5 2.0"]]


@pytest.mark.parametrize("rgb", [False, True])
def test_each_ink_makes_a_cell_of_its_own_color_and_name(rgb):
    pictures = [PixelGrid(name="x", size=(1, 1), colors=COLORS, rgb=rgb, vmax=255.0)]
    pictures += [] if rgb else [PixelGrid(name="x", size=(1, 1), vmax=16.0, digits=0)]
    for picture in pictures:
        assert len(picture.inks) in (3, 5)
        for ink in picture.inks:
            values = np.array([ink["numbers"]])
            assert picture.painted(values).tolist() == [[ink["color"]]]
            if not rgb:
                assert picture.cells(values) == [[ink["name"]]]


def test_at_rest_each_cell_has_its_color_where_it_lies():
    rng = np.random.default_rng(0)
    levels = rng.integers(0, 256, (3, 4, 3))
    picture = PixelGrid(name="x", size=(3, 4), rgb=True, vmax=255.0)
    figure = Figure(figsize=(4, 3), dpi=10)
    area = plots.Area(figure, (0, 4), (3, 0), (0, 0, 4, 3))
    draw_pixels(area, picture.painted(levels.reshape(3, 12) * 1.0))
    found = np.asarray(Image.open(io.BytesIO(plots.as_png(figure))))
    np.testing.assert_array_equal(found[5::10, 5::10], levels)


def test_at_rest_the_cell_that_is_outlined_is_framed():
    shots = []
    for outlined in (None, np.arange(12).reshape(3, 4) == 6):
        look = {"size": (3, 4), "side": 5.0, "outlined": outlined}
        figure = draw_picture([PixelGrid(name="x", **look)], {"x": np.zeros((3, 4))})
        shots.append(np.asarray(Image.open(io.BytesIO(plots.as_png(figure)))) * 1.0)
    changed = np.argwhere(abs(shots[0] - shots[1]).sum(-1))
    cell = 100 * EM * 5.0
    assert np.ptp(changed, axis=0) == pytest.approx([cell, cell], abs=12)


def test_at_rest_colors_have_their_names_and_patches_their_large_weights():
    palette = drawn([[0.0, 1, 2]], colors=COLORS)
    said = {word.text for word in plots.said(palette.picture())}
    assert {"a picture", "nothing", "red", "deep blue"} <= said
    seen = drawn(
        np.zeros((8, 8)), patch=(4, 4), weights=np.array([[0.1, 0.2], [0.3, 0.4]])
    )
    said = {word.text for word in plots.said(seen.picture())}
    assert {"0.20", "0.30", "0.40"} <= said
    assert "0.10" not in said  # of the largest weight too little to be written
    assert "weights  " in seen.text()
    last = seen.numbers().strip().splitlines()[-1].split("\t")
    assert last[:3] == ["2", "0.30", "0.40"]


def test_at_rest_a_color_is_named_beside_its_square_and_a_weight_framed_in_its_patch(
    body,
):
    grid = PixelGrid(name="x", size=(1, 3), colors=COLORS)
    words, boxes = body(grid, {"x": np.array([[0.0, 1, 2]])})
    squares = {style["fc"]: box for box, style in boxes}
    for name, color in COLORS:
        x, y, wide, high = squares[color]
        [word] = [w for w in words if w.text == name]
        assert word.x > x + wide
        assert word.y == y + high / 2
    grid = PixelGrid(name="x", size=(4, 6), patch=(2, 3))
    arrays = {"x": np.zeros((4, 6)), "x.weights": np.array([[0.1, 0.2], [0.3, 0.4]])}
    _, boxes = body(grid, arrays)
    frames = [box for box, style in boxes if "alpha" not in style]
    little, *frames = frames  # 0.1 is little next to 0.4
    assert little == (0, 0, 3, 2)
    for (x, y, wide, high), inner in zip(frames[::2], frames[1::2], strict=True):
        a, b, c, d = inner
        assert x < a < a + c < x + wide
        assert y < b < b + d < y + high
        assert (a + c / 2, b + d / 2) == pytest.approx((x + wide / 2, y + high / 2))


# ── painting ──────────────────────────────────────────────────────────────────────────
def test_a_stroke_changes_its_cells_at_once_and_is_answered():
    explorer = drawn(np.zeros((3, 4)))
    runs = []
    explorer._function = _counted(explorer._function, runs)
    assert paint(explorer, [0, 0, 1.0], [2, 3, 0.25]) == [
        {"type": "painted", "turn": "me 1"}
    ]
    expected = np.zeros((3, 4))
    expected[0, 0], expected[2, 3] = 1, 0.25
    np.testing.assert_array_equal(explorer.inputs["x"], expected)
    assert len(runs) == 1
    explorer.reset()
    assert not explorer.inputs["x"].any()


def _counted(function, runs):
    def counted(**given):
        runs.append(given)
        return function(**given)

    return counted


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ([[0, 0, 1.0], [0, 1, 1.0], [0, 2, 1.0]], "that is too much: 3"),
        ([[0, 0, 0.5], [0, 0, 1.5]], "a cell of x must be from 0 to 1, got 1.5"),
        ([[0, 0, 0.5], [9, 0, 0.5]], "a cell of x must be in rows 0 to 2"),
        ([[0, 0, 0.5], [0, -1, 0.5]], "a cell of x must be in rows 0 to 2"),
        ([[0, 0, 0.5], [0, 1, "1"]], "x must hold numbers, got '1'"),
        ([[0, 0]], "not enough values"),
        ([0], "cannot unpack"),
        (None, "not iterable"),
    ],
)
def test_a_stroke_that_is_refused_changes_nothing_says_why_and_is_answered(cells, why):
    explorer = drawn(np.zeros((3, 4)), most=2)
    heard = []
    explorer.view.send = heard.append
    told = {"type": "paint", "strokes": {"x": cells}, "turn": "me 1"}
    explorer.view._answer(None, told, None)
    assert why in explorer.view.message
    assert heard == [{"type": "painted", "turn": "me 1"}]
    assert not explorer.inputs["x"].any()
    paint(explorer, [0, 0, 1.0], turn="me 2")
    assert explorer.view.message == ""


def test_what_is_refused_in_a_later_view_is_said_in_the_first():
    explorer = GALLERY["pictures"].make(3)
    first = explorer.view
    strokes = {"digit": [[0, 0, 17.0]]}
    edited = {"type": "paint", "strokes": strokes, "turn": "a 1"}
    later = type(first)(explorer.edit, explorer.choose, explorer._refuse)
    later.send = lambda _: None
    later._answer(None, edited, None)
    assert "a cell of digit must be from 0 to 16, got 17" in first.message
    assert later.message == ""


def test_only_an_input_can_be_painted_on_and_with_an_ink():
    explorer = GALLERY["pictures"].make(3)
    editable = {d.name for d in explorer.drawings if d.editable}
    assert editable == {"digit", "shape"}
    assert not drawn(np.zeros((1, 3)), rgb=True).drawings[0].editable
    named = drawn(np.zeros((1, 3)), rgb=True, colors=COLORS)
    assert named.drawings[0].editable


@pytest.mark.parametrize(
    ("look", "error", "says"),
    [
        ({"size": (2, 2, 2)}, ValueError, "size must"),
        ({"size": 2}, ValueError, "size must"),
        ({"size": (2.0, 2)}, ValueError, "size must"),
        ({"patch": (1,)}, ValueError, "patch must be two whole numbers"),
        ({"colors": ["red"]}, ValueError, "a color must be a name and its"),
        ({"colors": [("red", 3)]}, ValueError, "a color must be a name and its"),
        ({"vmax": "1"}, TypeError, "vmax must be a number, got '1'"),
        ({"side": -3.0}, ValueError, "side must be at least 0"),
    ],
)
def test_a_look_that_makes_no_sense_is_refused(look, error, says):
    with pytest.raises(error, match=says):
        PixelGrid(**({"name": "x", "size": (2, 2)} | look))


@pytest.mark.parametrize("weight", [np.nan, np.inf, -5.0])
def test_a_weight_that_is_none_is_refused(weight):
    def sheet():
        s = Sheet()
        s.draw(PixelGrid(name="x", size=(2, 2), patch=(1, 1)), np.zeros((2, 2)))
        s.keep("x.weights", np.full((2, 2), weight))
        return s

    with pytest.raises(ValueError, match="a weight of x must be at least 0"):
        Explorer("drawn", sheet)

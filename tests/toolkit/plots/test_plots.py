"""The visual language: legible in both themes, one way to write a number."""

import io

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from explorable import plots

matplotlib.use("Agg")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("palette", sorted(plots.HUES))
def test_every_shade_carries_legible_ink(palette, theme):
    for step in range(plots.STEPS + 1):
        paper, ink = plots.shade(palette, step, theme)
        assert plots.contrast(paper, ink) >= 4.5, (step, paper, ink)


@pytest.mark.parametrize("palette", sorted(plots.HUES))
def test_a_larger_number_is_darker_on_paper_so_that_grey_print_survives(palette):
    light = [
        plots.luminance(plots.shade(palette, s)[0]) for s in range(plots.STEPS + 1)
    ]
    assert light == sorted(light, reverse=True)
    assert light[0] - light[-1] > 0.4


#: Linear sRGB as the usual eye sees it, and, by Machado et al. (2009), two others.
VISION = {
    "usual": np.eye(3),
    "deuteranopia": [
        [0.367, 0.861, -0.228],
        [0.280, 0.673, 0.047],
        [-0.012, 0.043, 0.969],
    ],
    "protanopia": [
        [0.152, 1.053, -0.205],
        [0.115, 0.786, 0.099],
        [-0.004, -0.048, 1.052],
    ],
}
#: From linear sRGB to XYZ, with white at 1.
XYZ = [
    [0.4339, 0.3762, 0.1899],
    [0.2126, 0.7152, 0.0722],
    [0.0177, 0.1095, 0.8728],
]


def lab(color, vision):
    """A color in CIELAB, where a distance of 2 is just seen."""
    c = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    x = np.array(XYZ) @ np.clip(np.array(VISION[vision]) @ linear, 0, 1)
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("palette", sorted(plots.HUES.keys() - {"negative"}))
def test_the_sign_is_seen_in_every_palette(palette, theme, vision):
    half = plots.STEPS // 2
    above, below = (
        lab(plots.shade(hue, half, theme)[0], vision) for hue in (palette, "negative")
    )
    assert np.linalg.norm(above - below) > 10


def test_the_contrast_of_black_on_white_is_21():
    assert plots.contrast("#000000", "#FFFFFF") == pytest.approx(21)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.125, 2, "0.13"),
        (-0.125, 2, "−0.13"),
        (-0.001, 2, "0.00"),
        (1 / 3, 4, "0.3333"),
        (9999.994, 2, "9,999.99"),
        (10_000, 2, "1.00e4"),
        (-123456, 2, "−1.23e5"),
        (10_050, 2, "1.01e4"),
        (-10_250, 2, "−1.03e4"),
        (99_950, 2, "1.00e5"),
        (5, 0, "5"),
        (np.nan, 2, "NaN"),
        (np.inf, 4, "∞"),
        (-np.inf, 0, "−∞"),
    ],
)
def test_a_number_is_rounded_half_up_with_a_true_minus(value, digits, text):
    assert plots.number(value, digits) == text


def test_the_limit_is_colored_in_full_and_nothing_beyond():
    steps = [plots.step_of(x, 2.0) for x in (0, 1, 2, 3, -2)]
    assert steps == [0, plots.STEPS // 2, plots.STEPS, plots.STEPS, plots.STEPS]


def test_a_matrix_prints_every_number_and_hides_what_is_masked():
    values = np.array([[0.25, 0.75], [0.5, 0.5]])
    ax = plots.matrix(values, ["AI", "$x^$"], hidden=[[False, True], [False, False]])
    assert [w.text for w in plots.said(ax) if w.text] == ["0.25", "0.50", "0.50"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["AI", "$x^$"]
    assert sum(p.get_hatch() is not None for p in ax.patches) == 1
    ax.figure.canvas.draw()


@pytest.mark.parametrize(("palette", "full"), [("weights", 1.0), ("scores", 0.5)])
def test_a_weight_is_colored_in_full_at_1_and_a_score_where_it_is_the_largest(
    palette, full
):
    ax = plots.matrix([[0.5, 0.0]], palette=palette)
    fills = np.concatenate([cells.get_facecolor() for cells in ax.collections])
    expected, _ = plots.shade(palette, plots.step_of(0.5, full))
    assert matplotlib.colors.to_rgba(expected) in [tuple(fill) for fill in fills]


def test_a_matrix_is_printed_as_coarsely_as_is_asked():
    ax = plots.matrix([[0.159, 0.841]], digits=1)
    assert [word.text for word in plots.said(ax)] == ["0.2", "0.8"]


def test_masked_cells_may_say_what_they_hold_and_nan_has_no_color():
    values, hidden = np.array([[-np.inf, np.nan]]), np.array([[True, False]])
    figure = Figure()
    area = plots.Area(figure, (0, 2), (1, 0), (0, 0, 2, 1))
    look = {"hidden": hidden, "palette": "scores", "vmax": 1.0}
    plots.draw_cells(area, values, **look, texts=[["$-∞$", "NaN"]])
    assert [word.text for word in plots.said(figure)] == ["$-∞$", "NaN"]
    assert plots.step_of(np.nan, 1.0) == 0
    figure.savefig(io.BytesIO(), format="png")


@pytest.mark.parametrize(
    ("arguments", "naming"),
    [
        ({"values": [1.0, 2.0]}, r"values.*\(2,\)"),
        ({"values": np.zeros((0, 3))}, r"values.*\(0, 3\)"),
        ({"values": [[np.nan]]}, "values.*finite.*nan"),
        ({"values": [[1.0]], "palette": "rainbow"}, "palette.*'rainbow'"),
        ({"values": [[1.0]], "rows": ["a", "b"]}, "rows.*1.*2"),
        ({"values": [[1.0]], "hidden": [[True, False]]}, r"hidden.*\(1, 1\).*\(1, 2\)"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments, naming):
    with pytest.raises(ValueError, match=naming):
        plots.matrix(**arguments)


@pytest.mark.parametrize("draw", [plots.matrix, plots.links, plots.bars, plots.curves])
def test_a_plot_alone_warns_of_letters_that_no_font_has(draw, only_our_font):
    with pytest.warns(UserWarning, match="no font of this machine has 意 注"):
        draw([[0.5]], ["注意"])


def test_bars_leave_no_room_below_their_scale():
    area = plots.bars(np.eye(4), [*"abcd"], [*"wxyz"], hues=["weights"] * 4)
    area.on.figure.canvas.draw()
    seen = np.asarray(area.on.figure.canvas.buffer_rgba())[..., 0] < 200
    assert len(seen) - np.flatnonzero(seen.any(axis=1))[-1] < 20  # pixels


def test_matrices_stand_side_by_side_and_what_is_0_is_hatched():
    half = [[1.0, 0.0], [0.5, 0.5]]
    drawn = {"one": (half, "ab", "ab"), "two": ([[1.0]], "c", "c")}
    axes = plots.matrices(drawn)
    assert [ax.get_title() for ax in axes] == ["one", "two"]
    hatched = [sum(bool(x.get_hatch()) for x in ax.findobj(Patch)) for ax in axes]
    assert hatched[0] > hatched[1] == 0
    with pytest.raises(ValueError, match="drawn must hold a matrix"):
        plots.matrices({})
    with pytest.raises(ValueError, match="values must be a matrix"):
        plots.matrices({"a number": (3.0, "a", "a")})

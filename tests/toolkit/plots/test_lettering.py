"""Words as outlines: measured, shortened, drawn with the fonts that a machine has."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from nasty import nasty_strings

from explorable import plots
from explorable.plots import lettering

ELSEWHERE = "⤀"  # DejaVu Serif and STIX have it, DejaVu Sans has not


def drawn(*texts, **style):
    """The page as numbers from 0, black, to 255, with some texts in its middle."""
    figure = Figure(figsize=(4, 1), dpi=100)
    area = plots.Area(figure, (0, 4), (0, 1), (0, 0, 4, 1))
    for text in texts:
        area.word(text, 2, 0.5, 20, align=0.5, **style)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].mean(axis=2)


@pytest.mark.parametrize("text", ["−0.50", "12.34", "0", "9999.99"])
def test_a_number_made_of_its_digits_is_as_matplotlib_lays_it_out(text):
    font = FontProperties(family=lettering.FAMILY)
    vertices, codes = text_to_path.get_text_path(font, text)
    ours, kinds = lettering.outline(text)
    np.testing.assert_allclose(ours, np.asarray(vertices) / 100, atol=0.01)
    np.testing.assert_array_equal(kinds, codes)


@pytest.mark.parametrize(
    "text",
    ["AI", "powerful", "queries Q", "−0.50", "הלו", "√d_k", "10^(2i/d_model) + 1"],
)
@pytest.mark.parametrize("bold", [False, True])
def test_a_text_is_as_wide_as_it_is_measured(text, bold):
    vertices, codes = lettering.outline(text, bold)
    end = vertices[codes != 79, 0].max()
    assert plots.width(text, bold=bold) == pytest.approx(end, abs=0.12)


@pytest.mark.parametrize("angle", [0, 90, 180])
def test_a_text_is_centred_where_it_is_put(angle):
    dark = 255 - drawn("0", angle=angle)
    y, x = np.indices(dark.shape)
    assert (x * dark).sum() / dark.sum() == pytest.approx(200, abs=1)
    assert (y * dark).sum() / dark.sum() == pytest.approx(50, abs=1)


@pytest.mark.parametrize("room", [5.0, 20.0, 60.0, 1e9])
def test_a_text_is_shortened_to_its_room_and_says_so(room):
    long = "Donaudampfschifffahrt"
    text = plots.shortened(long, room, 10)
    assert text == long or text.endswith("…")
    assert long.startswith(text.rstrip("…"))
    assert plots.width(text, 10) <= max(room, plots.width("…", 10))


def test_a_text_that_fits_keeps_its_end():
    assert plots.shortened("fits", plots.width("fits", 10), 10) == "fits"
    assert plots.shortened("", 5, 10) == ""


def test_a_word_with_too_little_room_is_drawn_smaller():
    inked = (drawn("−9999.99", room=0.5) < 200).any(axis=0).nonzero()[0]
    assert 40 < np.ptp(inked) <= 50  # 0.5 of the area's units are 50 pixels


def test_a_letter_that_another_font_of_the_machine_has_is_drawn_with_it():
    assert plots.drawable(f"a{ELSEWHERE}") == f"a{ELSEWHERE}"
    assert lettering.families(f"a{ELSEWHERE}")[0] == lettering.FAMILY
    assert len(lettering.families(f"a{ELSEWHERE}")) == 2
    box, letter = drawn(plots.LACKING), drawn(ELSEWHERE)
    assert letter.min() < 100
    assert not np.array_equal(box, letter)


def test_a_letter_that_no_font_has_is_drawn_as_a_box(only_our_font):
    assert plots.drawable(f"a{ELSEWHERE}注") == "a□□"
    assert np.array_equal(drawn(ELSEWHERE), drawn(plots.LACKING))


def test_what_has_no_shape_is_drawn_as_such():
    assert plots.drawable("a\u202eb\n\ud800") == "a�b��"
    assert plots.drawable("(B,\u00a0T)") == "(B,\u00a0T)"  # no letter, but a blank


def test_any_text_can_be_measured_shortened_and_drawn():
    for text in nasty_strings(100):
        assert plots.width(plots.shortened(text, 50.0, 10), 10) <= 50.0
        drawn(plots.shortened(text, 50.0, 10))


def test_markup_is_text_and_never_tex():
    for text in ("$x^$", "\\frac{1}{0}", "<b>"):
        assert drawn(text).min() < 100


def test_words_of_two_colors_are_drawn_in_them():
    figure = Figure(figsize=(2, 1), dpi=100)
    area = plots.Area(figure, (0, 2), (0, 1), (0, 0, 2, 1))
    area.word("■", 0.5, 0.5, 30, align=0.5, color="#0072B2")
    area.word("■", 1.5, 0.5, 30, align=0.5, color="#D55E00", paper="#E6E6E6")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    page = np.asarray(canvas.buffer_rgba())
    assert page[50, 50].tolist() == [0x00, 0x72, 0xB2, 255]
    assert page[50, 150].tolist() == [0xD5, 0x5E, 0x00, 255]
    assert (page[:, 100:, :3] == 0xE6).all(axis=2).any()


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("room", [60, 100, 400])
def test_a_text_is_broken_between_words_and_loses_none(room, bold):
    text = "a query that looks for the nearest key before it finds one, at last"
    lines = plots.wrapped(text, room, 9, 99, bold=bold)
    assert " ".join(lines) == text
    assert all(plots.width(line, 9, bold) <= room for line in lines)
    for line, after in pairwise(lines):  # and no line is shorter than it has to be
        assert plots.width(f"{line} {after.split(' ')[0]}", 9, bold) > room

"""Small pictures side by side."""

import matplotlib
import numpy as np
import pytest

from explorable import plots

matplotlib.use("Agg")
X = np.random.default_rng(0).random((5, 4, 6, 3))


def test_every_picture_stands_in_its_own_place_with_its_title_above():
    ax = plots.gallery(X, [*"abcd", "$x^$"], across=2)
    shown = ax.get_images()
    for n, image in enumerate(shown):
        np.testing.assert_allclose(image.get_array(), X[n])
        left, right, foot, top = image.get_extent()
        assert 0 <= left < right <= ax.get_xlim()[1]
        assert ax.get_ylim()[1] < top < foot <= ax.get_ylim()[0]
        x, y = ax.texts[n].get_position()
        assert left < x < right
        assert y < top
    places = [image.get_extent() for image in shown]
    assert len({place[0] for place in places}) == 2
    assert len({place[2] for place in places}) == 3
    assert not ax.axison  # neither a frame nor numbers
    ax.figure.canvas.draw()  # a title is no formula


def test_ink_is_dark_and_paper_light():
    ax = plots.gallery([[[0.0, 1.0]]])
    [image] = ax.get_images()
    white, black = image.to_rgba(image.get_array())[0, :, 0]
    assert white > black


@pytest.mark.parametrize(
    ("pictures", "more", "message"),
    [
        (np.zeros((4, 4)), {}, r"wide\) or \(B, high, wide, 3\), got \(4, 4\)"),
        (np.zeros((0, 4, 4)), {}, "pictures must be"),
        (np.full((1, 2, 2), 1.5), {}, "from 0 to 1"),
        (np.full((1, 2, 2), np.nan), {}, "from 0 to 1"),
        (X, {"titles": ["a"]}, "titles must be 5 or none, got 1"),
        (X, {"across": 0}, "across must be at least 1, got 0"),
    ],
)
def test_what_is_no_picture_is_refused(pictures, more, message):
    with pytest.raises(ValueError, match=message):
        plots.gallery(pictures, **more)


def test_a_rounding_error_beyond_1_or_0_is_ink_or_paper():
    around = np.array([[[-1e-7, 1 + 1e-7]]])
    assert plots.gallery(around).images[0].get_array().tolist() == [[0, 1]]

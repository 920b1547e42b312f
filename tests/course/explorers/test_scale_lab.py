"""scale_lab: what d_k does to scores, weights and the slope, against the theory."""

import numpy as np
import pytest
import torch
from traitlets import TraitError

from course.explorers.attention.scale_lab import SIZES, scale_lab, scale_sheet
from explorable import plots

DIVIDED, UNDIVIDED = 0, 1


@pytest.mark.parametrize("d_k", SIZES)
def test_the_spread_of_scores_grows_as_the_root_of_d_k_unless_divided(d_k):
    sigma = scale_sheet(d_k=d_k)["average"][:, 0]
    assert sigma[UNDIVIDED] == pytest.approx(np.sqrt(d_k), rel=0.2)
    assert sigma[DIVIDED] == pytest.approx(1.0, rel=0.2)


def test_undivided_the_top_weight_grows_to_1_and_the_slope_dies():
    averages = np.array([scale_sheet(d_k=n)["average"] for n in SIZES])
    top, slope = averages[:, UNDIVIDED, 1], averages[:, UNDIVIDED, 2]
    assert (np.diff(top) > 0).all()
    assert top[-1] > 0.95
    assert (np.diff(slope) < 0).all()
    assert slope[-1] < 0.1 * slope[0]
    assert np.ptp(averages[:, DIVIDED, 1]) < 0.08


@pytest.mark.parametrize("d_k", [1, 16, 1024])
def test_the_bars_are_softmax_of_the_scores_and_the_curves_their_means(d_k):
    s = scale_sheet(d_k=d_k)
    weights = torch.softmax(torch.from_numpy(s["scores"]), dim=0)
    np.testing.assert_allclose(s["weights"], weights, atol=1e-12)
    ratio = s["scores"][:, UNDIVIDED] / s["scores"][:, DIVIDED]
    np.testing.assert_allclose(ratio, np.sqrt(d_k), rtol=1e-6)
    at = SIZES.index(d_k)
    np.testing.assert_allclose(s["top"][at], s["average"][:, 1])
    assert np.isnan(s["top"]).all(axis=1).tolist() == [
        n > at for n in range(len(SIZES))
    ]


def test_the_slope_is_the_diagonal_of_the_gradient_that_autograd_finds():
    from course.explorers.attention.scale_lab import _measured

    scores, _, means = _measured()
    some = scores[UNDIVIDED, 3]
    diagonal = [
        torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), row).trace()
        for row in some
    ]
    assert means[UNDIVIDED, 3, 2].item() == pytest.approx(float(np.mean(diagonal)))


def test_one_weight_becomes_nearly_1_where_the_scores_are_not_divided():
    lab = scale_lab()
    top = lab.values["weights"].max(axis=0)  # at rest the two differ, as all can see
    assert top[UNDIVIDED] > 2 * top[DIVIDED]
    assert np.isnan(lab.values["top"][5:]).all()  # but how that goes on is not said
    lab.controls["d_k"].value = 1024
    top = lab.values["weights"].max(axis=0)
    assert top[UNDIVIDED] > 0.99
    assert top[DIVIDED] < 0.5


def test_d_k_is_read_as_it_is_in_the_picture_and_in_the_text():
    lab = scale_lab()
    curves = lab.drawings[-1]
    assert [text for _, text in curves.ticks[0]] == [
        "1",
        "4",
        "16",
        "64",
        "256",
        "1,024",
    ]
    assert {"16", "64", "1,024"} <= {word.text for word in plots.said(lab.picture())}
    assert "\n1,024 " in lab.text()


@pytest.mark.parametrize("d_k", [0, 1025, -4])
def test_a_d_k_out_of_range_is_refused(d_k):
    lab = scale_lab()
    with pytest.raises(TraitError, match="Invalid selection"):
        lab.controls["d_k"].value = d_k
    assert lab.settings["d_k"] == 16

"""scale_lab: what d_k does to scores, weights and the slope, against the theory."""

import numpy as np
import pytest
import torch
from traitlets import TraitError

from transformer_lib.explorers.attention.scale_lab import (
    SIZES,
    scale_lab,
    scale_sheet,
)


@pytest.mark.parametrize("d_k", SIZES)
def test_the_spread_of_scores_grows_as_the_root_of_d_k_unless_divided(d_k):
    raw = scale_sheet(d_k=d_k, scale=False)["average"][0]
    divided = scale_sheet(d_k=d_k, scale=True)["average"][0]
    assert raw[0] == pytest.approx(np.sqrt(d_k), rel=0.2)
    assert divided[0] == pytest.approx(1.0, rel=0.2)


def test_without_the_scale_the_slope_dies_as_d_k_grows():
    slopes = [scale_sheet(d_k=n, scale=False)["average"][0, 2] for n in SIZES]
    assert slopes == sorted(slopes, reverse=True)
    assert slopes[-1] < 0.1 * slopes[0]


@pytest.mark.parametrize("scale", [True, False])
def test_the_slope_is_the_gradient_that_autograd_finds(scale):
    steps = scale_sheet(d_k=16, scale=scale)
    scores = torch.from_numpy(steps["scores"][0])
    slope = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), scores)
    np.testing.assert_allclose(steps["slope"], slope.numpy(), atol=1e-12)


@pytest.mark.parametrize("d_k", [0, 1025, -4])
def test_a_d_k_out_of_range_is_refused(d_k):
    lab = scale_lab()
    with pytest.raises(TraitError, match="Invalid selection"):
        lab.controls["d_k"].value = d_k
    assert lab.settings["d_k"] == 4

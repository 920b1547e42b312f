"""Learning rates by step: where they rise, where they fall, and how far."""

import math

import pytest
import torch

from transformer_lib.training import paper_rate, rise_and_fall


@pytest.mark.parametrize(("d_model", "warm_up"), [(512, 4000), (64, 1), (1, 10)])
def test_the_papers_rate_rises_in_a_line_and_falls_with_the_square_root(
    d_model, warm_up
):
    rate = paper_rate(d_model, warm_up)
    top = rate(warm_up - 1)
    assert top == pytest.approx((d_model * warm_up) ** -0.5)
    for n in range(warm_up):
        assert rate(n) == pytest.approx(top * (n + 1) / warm_up)
    for step in (warm_up, 2 * warm_up, 9 * warm_up):
        assert rate(4 * step - 1) == pytest.approx(rate(step - 1) / 2)


def test_a_model_four_times_as_wide_takes_half_the_rate():
    assert paper_rate(64)(7) == pytest.approx(2 * paper_rate(256)(7))


@pytest.mark.parametrize(("warm_up", "steps"), [(0, 1), (0, 5), (1, 2), (3, 20)])
def test_it_rises_to_the_peak_and_falls_towards_0(warm_up, steps):
    rate = rise_and_fall(0.5, warm_up, steps)
    rates = [rate(n) for n in range(steps)]
    assert max(rates) == rates[max(warm_up - 1, 0)] == 0.5
    rising, falling = rates[:warm_up], rates[warm_up:]
    assert rising == pytest.approx([0.5 * (n + 1) / warm_up for n in range(warm_up)])
    left = steps - warm_up
    assert falling == pytest.approx([0.5 * (left - n) / left for n in range(left)])
    assert rates[-1] > 0


def test_it_is_what_torchs_schedulers_make_of_two_lines():
    """torch begins its rise above 0, and ends its fall at 0 behind the last step."""
    warm_up, steps = 4, 12
    adam = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.5)
    lines = [
        torch.optim.lr_scheduler.LinearLR(adam, 1 / warm_up, 1.0, warm_up - 1),
        torch.optim.lr_scheduler.LinearLR(adam, 1.0, 0.0, steps - warm_up),
    ]
    both = torch.optim.lr_scheduler.SequentialLR(adam, lines, [warm_up])
    rate = rise_and_fall(0.5, warm_up, steps)
    for n in range(steps):
        assert rate(n) == pytest.approx(adam.param_groups[0]["lr"])
        adam.step()
        both.step()


@pytest.mark.parametrize(
    ("make", "given", "named"),
    [
        (paper_rate, (0,), "d_model"),
        (paper_rate, (8, 0), "warm_up"),
        (rise_and_fall, (0.0, 1, 2), "peak"),
        (rise_and_fall, (math.inf, 1, 2), "peak"),
        (rise_and_fall, (0.1, -1, 2), "warm_up"),
        (rise_and_fall, (0.1, 2, 2), "warm_up"),
        (rise_and_fall, (0.1, 0, 0), "steps"),
    ],
)
def test_what_makes_no_rate_is_named(make, given, named):
    with pytest.raises(ValueError, match=f"^{named} must be "):
        make(*given)

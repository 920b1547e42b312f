"""Learning rates by step: where they rise, where they fall, and how far."""

import math

import pytest
import torch

from transformer_lib.training import linear_warmup_decay


@pytest.mark.parametrize(("warmup", "steps"), [(0, 1), (0, 5), (1, 2), (3, 20)])
def test_it_rises_to_the_peak_and_falls_towards_0(warmup, steps):
    rate = linear_warmup_decay(0.5, warmup, steps)
    rates = [rate(n) for n in range(steps)]
    assert max(rates) == rates[max(warmup - 1, 0)] == 0.5
    rising, falling = rates[:warmup], rates[warmup:]
    assert rising == pytest.approx([0.5 * (n + 1) / warmup for n in range(warmup)])
    left = steps - warmup
    assert falling == pytest.approx([0.5 * (left - n) / left for n in range(left)])
    assert rates[-1] > 0


def test_it_is_what_torchs_schedulers_make_of_two_lines():
    """torch begins its rise above 0, and ends its fall at 0 behind the last step."""
    warmup, steps = 4, 12
    adam = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.5)
    lines = [
        torch.optim.lr_scheduler.LinearLR(adam, 1 / warmup, 1.0, warmup - 1),
        torch.optim.lr_scheduler.LinearLR(adam, 1.0, 0.0, steps - warmup),
    ]
    both = torch.optim.lr_scheduler.SequentialLR(adam, lines, [warmup])
    rate = linear_warmup_decay(0.5, warmup, steps)
    for n in range(steps):
        assert rate(n) == pytest.approx(adam.param_groups[0]["lr"])
        adam.step()
        both.step()


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ((0.0, 1, 2), "peak"),
        ((math.inf, 1, 2), "peak"),
        ((0.1, -1, 2), "warmup"),
        ((0.1, 2, 2), "warmup"),
        ((0.1, 0, 0), "steps"),
    ],
)
def test_what_makes_no_rate_is_named(given, named):
    with pytest.raises(ValueError, match=f"^{named} must be "):
        linear_warmup_decay(*given)

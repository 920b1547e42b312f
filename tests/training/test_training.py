"""The loop: it learns, repeats itself, and leaves the model as it should."""

import pytest
import torch
from torch import nn

from transformer_lib.training import fit


def line(steps=200, seed=0, **options):
    """Fit y = 3x − 1 by a line that starts at zero."""
    model = nn.Linear(1, 1)
    nn.init.zeros_(model.weight)
    nn.init.zeros_(model.bias)

    def batch(draw):
        return torch.rand(16, 1, generator=draw)

    def loss(x):
        return (model(x) - (3 * x - 1)).square().mean()

    return model, fit(model, batch, loss, steps, lr=0.05, seed=seed, **options)


def test_a_line_is_learned():
    model, losses = line(500)
    assert losses[-1] < 1e-3 < losses[0]
    assert abs(model.weight.item() - 3) < 0.2


def test_the_seed_alone_decides_the_batches():
    torch.manual_seed(1)
    first = line(5)[1]
    torch.manual_seed(2)
    torch.rand(7)
    assert line(5)[1] == first != line(5, seed=1)[1]


def test_the_watch_hears_every_step():
    heard = []
    _, losses = line(3, watch=lambda n, loss: heard.append((n, loss)))
    assert heard == list(enumerate(losses))


def test_the_model_is_left_in_evaluation_mode_even_after_a_fault():
    assert not line(1)[0].training
    model = nn.Linear(1, 1)
    with pytest.raises(RuntimeError, match="no batch"):
        fit(model, lambda _: 0, lambda _: broken(), 1)
    assert not model.training


def broken():
    raise RuntimeError("no batch")


def test_a_loss_that_is_not_finite_stops_the_training_with_its_step():
    model = nn.Linear(1, 1)
    nan = torch.full((1, 1), torch.nan)
    with pytest.raises(FloatingPointError, match="step 0"):
        fit(model, lambda _: nan, lambda x: model(x).sum(), 3)


@pytest.mark.parametrize(("steps", "lr"), [(0, 0.1), (1, 0.0), (1, float("nan"))])
def test_nonsense_is_refused(steps, lr):
    with pytest.raises(ValueError, match=r"steps|lr"):
        fit(nn.Linear(1, 1), lambda _: 0, lambda _: 0, steps, lr=lr)

"""The loop: it learns, repeats itself, and leaves the model as it should."""

import math
from collections import deque

import pytest
import torch
from torch import nn

from transformer_lib.training import derive_seed, fit_steps, seeded


def fit(*given, **how):
    """Take all steps."""
    return list(fit_steps(*given, **how))


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


def dropped_out():
    """A model with dropout, and what `fit` needs besides to teach it y = 3x − 1."""
    torch.manual_seed(3)
    layers = nn.Linear(1, 8), nn.Dropout(0.5), nn.Linear(8, 1)
    model = nn.Sequential(*layers)

    def batch(draw):
        return torch.rand(16, 1, generator=draw)

    return model, batch, lambda x: (model(x) - (3 * x - 1)).square().mean()


def plain_loop(model, batch, loss, steps, lr, seed, beta2=0.999, clip=None):
    """The loop as a textbook writes it."""
    adam = torch.optim.AdamW(model.parameters(), betas=(0.9, beta2), weight_decay=0.0)
    draw = torch.Generator().manual_seed(seed)
    model.train()
    losses = []
    for n in range(steps):
        adam.param_groups[0]["lr"] = lr(n) if callable(lr) else lr
        found = loss(batch(draw))
        adam.zero_grad()
        found.backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        adam.step()
        losses.append(found.item())
    return losses


def weights(model):
    return nn.utils.parameters_to_vector(model.parameters())


@pytest.mark.parametrize(
    "how",
    [
        {"lr": 0.05},
        {"lr": lambda n: 0.05 * (1 - n / 20)},
        {"lr": 0.05, "beta2": 0.9},
        {"lr": 0.05, "clip": 0.3},
    ],
)
def test_all_the_steps_are_the_plain_loop_to_the_bit(how):
    plain, *rest = dropped_out()
    expected = plain_loop(plain, *rest, 20, seed=7, **how)
    model, *rest = dropped_out()
    assert fit(model, *rest, 20, seed=7, **how) == expected
    assert torch.equal(weights(model), weights(plain))


def test_a_rate_that_is_no_longer_above_0_stops_the_training_with_its_step():
    model, *rest = dropped_out()
    steps = fit_steps(model, *rest, 9, lr=lambda n: 0.1 * (2 - n))
    assert len([next(steps), next(steps)]) == 2
    before = weights(model)
    with pytest.raises(ValueError, match=r"^lr of step 2 must be above 0 .* got 0\.0$"):
        next(steps)
    assert torch.equal(weights(model), before)
    assert not model.training


def test_a_gradient_that_is_not_too_long_is_not_clipped():
    assert line(20, clip=1e6)[1] == line(20)[1] != line(20, clip=0.01)[1]


@pytest.mark.parametrize("how", [{"beta2": 1.0}, {"beta2": -0.1}, {"clip": 0.0}])
def test_a_beta_or_a_length_that_stops_the_learning_is_named(how):
    [name] = how
    with pytest.raises(ValueError, match=f"^{name} must be "):
        asked(**how)


def test_a_training_knows_how_many_steps_are_left():
    model, *rest = dropped_out()
    steps = fit_steps(model, *rest, 3)
    assert [(len(steps), steps.taken)] + [(len(steps), steps.taken) for _ in steps] == [
        (3, 0),
        (2, 1),
        (1, 2),
        (0, 3),
    ]
    assert list(steps) == []


def test_whoever_interrupts_a_step_is_left_a_model_that_works():
    model, batch, loss = dropped_out()

    def interrupted(x):
        if len(seen) == 2:
            raise KeyboardInterrupt
        return loss(x)

    seen = []
    steps = fit_steps(model, batch, interrupted, 9)
    with pytest.raises(KeyboardInterrupt):
        deque(map(seen.append, steps))
    assert not model.training
    assert model(torch.ones(1, 1)).isfinite()
    assert (steps.taken, len(steps)) == (2, 7)
    with pytest.raises(RuntimeError, match=r"^step 2 was not completed: resume a sav"):
        next(steps)


@pytest.mark.parametrize("lr", ["0.1", None, lambda: 0.1, lambda n: "0.1"])
def test_a_rate_that_is_no_number_and_gives_none_is_named(lr):
    with pytest.raises(TypeError, match=r"^lr (of step 0 )?must be a "):
        asked(lr=lr)


def test_steps_taken_with_pauses_are_the_steps_of_one_training():
    whole, *rest = dropped_out()
    losses = fit(whole, *rest, 12, seed=7)
    model, *rest = dropped_out()
    found = []
    for loss in fit_steps(model, *rest, 12, seed=7):
        found.append(loss)
        model(torch.ones(3, 1))  # in evaluation mode: no dropout is drawn
        torch.rand(5, generator=torch.Generator().manual_seed(1))
    assert found == losses
    assert torch.equal(weights(model), weights(whole))


def test_a_step_is_taken_only_when_its_loss_is_asked_for():
    model, *rest = dropped_out()
    before = weights(model).clone()
    steps = fit_steps(model, *rest, 3)
    assert torch.equal(weights(model), before)
    next(steps)
    once = weights(model).clone()
    assert not torch.equal(once, before)
    assert len(list(steps)) == 2
    assert not torch.equal(weights(model), once)


def test_between_two_steps_the_model_is_in_evaluation_mode():
    model, batch, loss = dropped_out()
    modes = []

    def heard(x):
        modes.append(model.training)
        return loss(x)

    steps = fit_steps(model, batch, heard, 3)
    assert not model.training
    for _ in steps:
        assert not model.training
    assert modes == [True] * 3


def test_the_model_is_left_in_evaluation_mode_even_after_a_fault():
    assert not line(1)[0].training
    model = nn.Linear(1, 1)
    with pytest.raises(RuntimeError, match="no batch"):
        fit(model, lambda _: 0, lambda _: broken(), 1)
    assert not model.training


def broken():
    raise RuntimeError("no batch")


def test_a_training_whose_step_failed_does_not_look_finished():
    """It ended as one that has taken all its steps, or went on with the next batch."""
    model = nn.Linear(1, 1)
    losses = iter([1.0, math.nan, 1.0, 1.0])

    def loss(x):
        return (model(x) * next(losses)).sum()

    steps = fit_steps(model, lambda draw: torch.rand(2, 1, generator=draw), loss, 4)
    next(steps)
    with pytest.raises(FloatingPointError, match="step 1"):
        next(steps)
    for ask in (next, list):
        with pytest.raises(RuntimeError, match=r"^step 1 was not completed"):
            ask(steps)
    assert len(steps) == 3


def test_a_loss_that_is_not_finite_stops_the_training_with_its_step():
    model = nn.Linear(1, 1)
    nan = torch.full((1, 1), torch.nan)
    with pytest.raises(FloatingPointError, match="step 0"):
        fit(model, lambda _: nan, lambda x: model(x).sum(), 3)


@pytest.mark.parametrize(
    ("steps", "lr", "named"),
    [(0, 0.1, "steps"), (1, 0.0, "lr"), (1, math.nan, "lr")],
)
def test_nonsense_is_refused_before_the_first_step(steps, lr, named):
    with pytest.raises(ValueError, match=f"^{named} must be "):
        fit_steps(nn.Linear(1, 1), lambda _: 0, lambda _: 0, steps, lr=lr)


def asked(model=None, batch=lambda draw: 0, loss=None, **options):
    """Fit for a step: a line, unless something else is asked for."""
    model = nn.Linear(1, 1) if model is None else model
    fit(model, batch, loss or (lambda _: model(torch.ones(1, 1)).sum()), 1, **options)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_that_no_generator_takes_is_named(seed):
    with pytest.raises(ValueError, match=f"^seed must be at .* got {seed}$"):
        asked(seed=seed)


@pytest.mark.parametrize("seed", [True, 1.5, "1", None])
def test_a_seed_that_is_no_integer_is_named(seed):
    with pytest.raises(TypeError, match=r"^seed must be an integer, got "):
        asked(seed=seed)


def frozen():
    return nn.Linear(1, 1).requires_grad_(False)


@pytest.mark.parametrize("model", [nn.ReLU(), nn.Sequential(), frozen()])
def test_a_model_without_parameters_is_named(model):
    with pytest.raises(ValueError, match=r"^model must have parameters .* got none$"):
        asked(model)


def test_what_is_no_model_is_named():
    with pytest.raises(TypeError, match=r"^model must be a torch module, got int$"):
        asked(3)


@pytest.mark.parametrize("name", ["batch", "loss"])
@pytest.mark.parametrize("given", [3, lambda: 0, lambda a, b, c: 0])
def test_a_function_that_cannot_be_called_is_named(name, given):
    with pytest.raises(TypeError, match=f"^{name} must be a function of "):
        asked(**{name: given})


@pytest.mark.parametrize("given", [0.5, None, "low", [torch.ones(())]])
def test_a_loss_that_is_no_tensor_is_named(given):
    with pytest.raises(TypeError, match=r"^loss must give a torch.Tensor, got "):
        asked(loss=lambda _: given)


@pytest.mark.parametrize("shape", [(1,), (2,), (0,), (2, 3)])
def test_a_loss_that_is_no_scalar_is_named_with_its_shape(shape):
    model = nn.Linear(1, 1)
    with pytest.raises(
        ValueError, match=r"^loss must be a floating-point scalar, got shape \("
    ) as said:
        asked(model, loss=lambda _: model.weight.sum().expand(shape))
    assert str(shape) in str(said.value)


@pytest.mark.parametrize("other", [nn.Linear(1, 1), frozen()])
def test_a_loss_that_does_not_depend_on_the_model_is_named(other):
    model = nn.Linear(1, 1)
    before = model.weight.clone()
    with pytest.raises(ValueError, match=r"^loss must depend on the model's param"):
        asked(model, loss=lambda _: other(torch.ones(1, 1)).sum())
    assert torch.equal(model.weight, before)
    assert not model.training


def test_a_model_may_keep_some_of_its_parameters():
    model = nn.Sequential(frozen(), nn.Linear(1, 1))
    kept, moved = model[0].weight.item(), model[1].bias.item()
    asked(model)
    assert model[0].weight.item() == kept
    assert model[1].bias.item() != moved


def test_a_gradient_that_is_not_finite_stops_before_the_step():
    """The loss is 0, and the weights were NaN after it."""
    model = nn.Linear(2, 1)

    def loss(x):
        return (model.weight * 0).abs().sqrt().sum() + 0 * model.bias.sum()

    before = model.weight.detach().clone()
    with pytest.raises(FloatingPointError, match="got nan at step 0"):
        fit(model, lambda _: 0, loss, 1)
    assert model.weight.equal(before)


def test_no_gradients_and_no_more_batches_are_named():
    model = nn.Linear(1, 1)
    one = iter([torch.ones(1, 1)])
    with (
        pytest.raises(ValueError, match="gradients must be on"),
        torch.no_grad(),
    ):
        fit(model, lambda _: next(one), lambda x: model(x).sum(), 2)
    with pytest.raises(ValueError, match="batch must draw one for step 1"):
        fit(model, lambda _: next(one), lambda x: model(x).sum(), 2)


def test_weights_and_batches_draw_from_one_stream_unless_they_ask_for_two():
    def drawn(weights, batches):
        with seeded(weights):
            one = torch.rand(1000)
        other = torch.rand(1000, generator=torch.Generator().manual_seed(batches))
        return torch.stack([one, other])

    one, other = drawn(7, 7)
    assert one.equal(other)  # what is kept was made so
    apart = drawn(derive_seed(7, "weights"), derive_seed(7, "batches"))
    assert abs(apart.corrcoef()[0, 1]) < 0.1
    assert derive_seed(7, "weights") == derive_seed(7, "weights")
    assert len({derive_seed(s, p) for s in range(99) for p in ("weights", "a")}) == 198
    with pytest.raises(ValueError, match=r"^seed must be "):
        derive_seed(-1, "weights")

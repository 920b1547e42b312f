"""A training that is kept in a file goes on as if it had never been stopped."""

import pytest
import torch
from safetensors.torch import load_file
from small import build
from torch import nn

from transformer_lib import Transformer, save_checkpoint
from transformer_lib.checkpoints import read_weights, write_weights
from transformer_lib.training import (
    fit_steps,
    linear_warmup_decay,
    smoothed_cross_entropy,
)

STEPS = 9


def training(seed=3, steps=STEPS, how=None, **sizes):
    """A Transformer with dropout, a rate that changes, and clipped gradients."""
    chosen = {"lr": linear_warmup_decay(0.01, 2, STEPS), "beta2": 0.98}
    chosen |= {"clip": 0.5, "seed": 7, **(how or {})}
    model = build(Transformer, seed=seed, sharp=1.0, dropout=0.3, **sizes)

    def batch(draw):
        return torch.randint(3, 11, (4, 5), generator=draw)

    def loss(ids):
        return smoothed_cross_entropy(model(ids, ids[:, :-1]), ids[:, 1:], 0.1)

    return fit_steps(model, batch, loss, steps, **chosen)


def weights(steps):
    return nn.utils.parameters_to_vector(steps.model.parameters())


def whole():
    """A training run through: its losses, and its weights."""
    steps = training()
    torch.manual_seed(11)  # dropout's
    return list(steps), weights(steps)


@pytest.mark.parametrize("taken", [0, 1, 5, STEPS])
def test_stopped_and_resumed_is_run_through_to_the_bit(taken, tmp_path):
    losses, learned = whole()
    first = training()
    torch.manual_seed(11)
    found = [next(first) for _ in range(taken)]
    first.save(tmp_path / "t.safetensors")
    other = training(seed=99)  # another model, elsewhere, later
    torch.rand(5)
    other.resume(tmp_path / "t.safetensors")
    assert (other.taken, len(other)) == (taken, STEPS - taken)
    assert [*found, *other] == losses
    assert torch.equal(weights(other), learned)


def test_saving_changes_nothing(tmp_path):
    losses, learned = whole()
    steps = training()
    torch.manual_seed(11)
    found = []
    for n, loss in enumerate(steps):
        found.append(loss)
        steps.save(tmp_path / str(n))
    assert found == losses
    assert torch.equal(weights(steps), learned)


def test_the_same_training_can_go_back(tmp_path):
    steps = training()
    next(steps)
    steps.save(tmp_path / "t")
    after = list(steps)
    assert len(steps) == 0
    steps.resume(tmp_path / "t")
    assert list(steps) == after


def test_a_model_may_keep_some_of_its_parameters(tmp_path):
    def new():
        model = nn.Sequential(nn.Linear(2, 2).requires_grad_(False), nn.Linear(2, 1))
        return fit_steps(
            model, lambda g: torch.rand(3, 2, generator=g), lambda x: model(x).sum(), 4
        )

    torch.manual_seed(0)
    through = new()
    losses = list(through)
    torch.manual_seed(0)
    steps = new()
    next(steps)
    steps.save(tmp_path / "t")
    other = new()
    other.resume(tmp_path / "t")
    assert list(other) == losses[1:]
    assert torch.equal(weights(other), weights(through))


# ── files that hold no training that can go on here ───────────────────────────────────
def kept(path):
    steps = training()
    next(steps)
    steps.save(path)
    return load_file(path)


def cut(path):
    kept(path)
    path.write_bytes(path.read_bytes()[:2000])


def model_alone(path):
    save_checkpoint(training().model, path)


def of_another_size(path):
    steps = training(d_ff=25)
    next(steps)
    steps.save(path)


def changed(path, tensors=None, **told):
    """Write a kept training again, with other tensors, or another number of steps."""
    kept(path)
    own, made, provenance = read_weights(path)
    own = own if tensors is None else tensors(own)
    write_weights(own, path, made | told, provenance)


def without(name):
    def fewer(tensors):
        return {n: x for n, x in tensors.items() if not n.startswith(name)}

    return lambda path: changed(path, fewer)


def with_another(name, x):
    return lambda path: changed(path, lambda tensors: tensors | {name: x})


def saying(taken):
    return lambda path: changed(path, training=taken)


BROKEN = {
    "cut": (cut, "which cannot be read"),
    "a model alone": (model_alone, r"recipe\..* must be .*, got nothing"),
    "steps that are text": (saying("1"), "training must be 0 to 9 steps, got '1'"),
    "more steps": (saying(STEPS + 1), "training must be 0 to 9 steps, got 10"),
    "steps below 0": (saying(-1), "training must be 0 to 9 steps, got -1"),
    "another model": (of_another_size, r"recipe\.config\.d_ff must be 24, got 25"),
    "no weights": (without("model"), r"model\..* must be \(.*, got nothing"),
    "no batches": (without("batches"), r"batches must be \(.*, got nothing"),
    "no chance": (without("chance"), r"chance must be \(.*, got nothing"),
    "a short state": (
        with_another("batches", torch.zeros(3, dtype=torch.uint8)),
        r"batches must be \(.*, got \(3,\) of torch\.uint8",
    ),
    "another memory": (
        with_another("adam.embedding.weight.exp_avg", torch.zeros(2)),
        r"adam\.embedding\.weight\.exp_avg must be \(.*, got \(2,\)",
    ),
    "half a memory": (
        without("adam.embedding.weight.exp_avg_sq"),
        r"adam\.embedding\.weight\.exp_avg_sq must be \(.*, got nothing",
    ),
    "memory of nothing": (
        with_another("adam.none.exp_avg", torch.zeros(2)),
        r"adam\.none\.exp_avg must be nothing, got \(2,\)",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_cannot_go_on_here_is_named_and_changes_nothing(name, tmp_path):
    spoil, said = BROKEN[name]
    path = tmp_path / "t.safetensors"
    spoil(path)
    steps = training()
    before, chance = weights(steps), torch.get_rng_state()
    with pytest.raises(ValueError, match=said) as refused:
        steps.resume(path)
    assert str(path) in str(refused.value)
    assert torch.equal(weights(steps), before)
    assert torch.equal(torch.get_rng_state(), chance)
    assert (steps.taken, len(steps)) == (0, STEPS)


SETTINGS = {
    r"recipe\.lr\[0\]": {"lr": 0.02},
    r"recipe\.beta2": {"beta2": 0.999},
    r"recipe\.clip": {"clip": None},
    r"recipe\.seed": {"seed": 8},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_training_with_other_settings_is_refused_by_name(name, tmp_path):
    kept(tmp_path / "t")
    other = training(how=SETTINGS[name])
    with pytest.raises(ValueError, match=f"^{name} must be .*, got .* in "):
        other.resume(tmp_path / "t")
    assert (other.taken, len(other)) == (0, STEPS)


def test_a_training_of_another_length_is_refused_by_name(tmp_path):
    steps = training(how={"lr": 0.01})
    steps.save(tmp_path / "t")
    for other, said in ((STEPS - 1, "8.* be nothing"), (STEPS + 1, "9.* got nothing")):
        with pytest.raises(ValueError, match=rf"^recipe\.lr\[{said}"):
            training(steps=other, how={"lr": 0.01}).resume(tmp_path / "t")


def test_a_training_that_was_interrupted_in_a_step_can_be_resumed(tmp_path):
    losses, _ = whole()
    steps = training()
    torch.manual_seed(11)
    found = [next(steps), next(steps)]
    steps.save(tmp_path / "t")
    measure, steps._measure = steps._measure, lambda: 1 / 0
    with pytest.raises(ZeroDivisionError):
        next(steps)
    steps._measure = measure
    steps.resume(tmp_path / "t")
    assert [*found, *steps] == losses


@pytest.mark.parametrize("other", [(False, True), (True, True)])
def test_adams_memory_goes_to_the_parameter_of_its_name_or_nowhere(other, tmp_path):
    """By its number, the first layer's memory went to the second layer."""

    def two_layers(*trained):
        layers = [nn.Linear(2, 2).requires_grad_(on) for on in trained]
        model = nn.Sequential(*layers)

        def batch(draw):
            return torch.rand(3, 2, generator=draw)

        return fit_steps(model, batch, lambda x: model(x).square().sum(), 4)

    first = two_layers(True, False)
    next(first)
    first.save(tmp_path / "t")
    names = {n for n in load_file(tmp_path / "t") if n.endswith(".exp_avg")}
    assert names == {"adam.0.weight.exp_avg", "adam.0.bias.exp_avg"}
    said = r"^recipe\.trained\[\d\] must be '1\.weight', got "
    with pytest.raises(ValueError, match=said):
        two_layers(*other).resume(tmp_path / "t")


def test_a_file_that_is_missing_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="which is not there"):
        training().resume(tmp_path / "none")

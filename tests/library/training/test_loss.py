"""The label-smoothed loss: torch's where torch is right, and right where it is not."""

import pytest
import torch
import torch.nn.functional as F

from transformer_lib.training import smoothed_cross_entropy

PAD = 2


def example(*shape, V=5, dtype=torch.float64, seed=0):
    draw = torch.Generator().manual_seed(seed)
    logits = torch.randn(*shape, V, generator=draw, dtype=dtype)
    return logits.requires_grad_(), torch.randint(V, shape, generator=draw)


def gradient(loss, logits):
    return torch.autograd.grad(loss, logits)[0]


def same(ours, theirs, logits):
    assert torch.allclose(ours, theirs)
    assert torch.allclose(gradient(ours, logits), gradient(theirs, logits))


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("shape", [(), (7,), (3, 4), (1, 1)])
def test_without_padding_it_is_torchs(shape, smoothing):
    logits, targets = example(*shape)
    theirs = F.cross_entropy(
        logits.reshape(-1, 5), targets.reshape(-1), label_smoothing=smoothing
    )
    same(smoothed_cross_entropy(logits, targets, smoothing), theirs, logits)


def test_without_smoothing_padding_is_ignored_as_torch_ignores_it():
    logits, targets = example(6, 9)
    assert (targets == PAD).any()
    theirs = F.cross_entropy(logits.mT, targets, ignore_index=PAD)
    same(smoothed_cross_entropy(logits, targets, pad_id=PAD), theirs, logits)


def test_padding_gets_no_part_of_what_is_smoothed():
    """torch gives it one: its cross_entropy with the probabilities written out."""
    logits, targets = example(6, 9)
    real = targets != PAD
    q = torch.full((5,), 0.1 / 4, dtype=torch.float64)
    q[PAD] = 0.0
    q = q + 0.9 * F.one_hot(targets[real], 5)
    assert torch.allclose(q.sum(-1), torch.ones(len(q), dtype=torch.float64))
    ours = smoothed_cross_entropy(logits, targets, 0.1, PAD)
    same(ours, F.cross_entropy(logits[real], q), logits)
    theirs = F.cross_entropy(logits.mT, targets, ignore_index=PAD, label_smoothing=0.1)
    assert not torch.allclose(ours, theirs)


def test_what_is_said_where_the_target_is_padding_changes_nothing():
    logits, targets = example(6, 9)
    other = logits.detach().clone()
    other[targets == PAD] = torch.randn(int((targets == PAD).sum()), 5).double()
    losses = [smoothed_cross_entropy(x, targets, 0.1, PAD) for x in (logits, other)]
    assert torch.equal(*losses)


def test_more_padding_changes_nothing():
    logits, targets = example(2, 3)
    wide = F.pad(logits, (0, 0, 0, 4))
    ours = smoothed_cross_entropy(wide, F.pad(targets, (0, 4), value=PAD), 0.1, PAD)
    same(ours, smoothed_cross_entropy(logits, targets, 0.1, PAD), logits)


def test_padding_alone_has_a_loss_of_0_and_asks_for_no_change():
    """torch's is NaN."""
    logits = example(2, 3)[0]
    targets = torch.full((2, 3), PAD)
    assert F.cross_entropy(logits.mT, targets, ignore_index=PAD).isnan()
    loss = smoothed_cross_entropy(logits, targets, 0.1, PAD)
    assert loss == 0
    assert not gradient(loss, logits).any()


def test_a_token_that_cannot_be_said_may_be_padding():
    """Its log p of −∞ times a probability of 0 was NaN."""
    logits, targets = example(4)
    never = logits.detach().index_fill(1, torch.tensor([PAD]), -torch.inf)
    targets[targets == PAD] = 0
    assert smoothed_cross_entropy(never, targets, 0.1, PAD).isfinite()


def test_the_smoothed_loss_is_least_at_its_own_probabilities():
    """And not where the target is certain: q = 0.1 / 5 + 0.9 on the target."""
    targets = torch.tensor([3])
    q = torch.full((1, 5), 0.02, dtype=torch.float64)
    q[0, 3] = 0.92
    logits = q.log().requires_grad_()
    least = smoothed_cross_entropy(logits, targets, 0.1)
    assert gradient(least, logits).abs().max() < 1e-12
    certain = torch.full((1, 5), -50.0).index_fill(1, targets, 50.0)
    assert smoothed_cross_entropy(certain, targets, 0.1) > least


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_small_types_are_measured_in_float32(dtype):
    logits, targets = example(400, 50, dtype=dtype)
    logits = logits.detach()
    ours = smoothed_cross_entropy(logits, targets, 0.1)
    exact = smoothed_cross_entropy(logits.double(), targets, 0.1)
    assert ours.dtype == torch.float32
    assert float(ours) == pytest.approx(float(exact), rel=1e-5)


LOGITS, TARGETS = torch.zeros(2, 3, 5), torch.zeros(2, 3, dtype=torch.int64)


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"logits": None}, TypeError, "^logits must be .*, got NoneType"),
        ({"logits": LOGITS.long()}, TypeError, "^logits must be a floating-point"),
        (
            {"logits": torch.zeros(2, 3, 0)},
            ValueError,
            r"^logits must be \(\.\.\.",
        ),
        ({"targets": TARGETS.float()}, TypeError, "^targets must hold int64 or int32"),
        ({"targets": TARGETS.T}, ValueError, r"^targets must have shape \(2, 3\)"),
        ({"targets": TARGETS + 5}, IndexError, "^targets must lie between 0 and 4"),
        ({"targets": TARGETS - 1}, IndexError, "^targets must lie between 0 and 4"),
        ({"smoothing": 1.5}, ValueError, "^smoothing must be at least 0 and at most 1"),
        ({"smoothing": "a"}, TypeError, "^smoothing must be a number"),
        ({"pad_id": 5}, IndexError, "^pad_id must lie between 0 and 4, got 5"),
        ({"pad_id": 1.0}, TypeError, "^pad_id must be an integer or None"),
    ],
)
def test_what_does_not_fit_is_named(given, error, said):
    with pytest.raises(error, match=said):
        smoothed_cross_entropy(**{"logits": LOGITS, "targets": TARGETS, **given})

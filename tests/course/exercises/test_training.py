"""The exercises of notebook 12 ask for what the library does."""

import numpy as np
import pytest
import torch

from course import exercises
from course.data.sequences import EOS_ID, PAD_ID, SOS_ID, Sequences
from course.exercises.checking import judge
from transformer_lib.training import smoothed_cross_entropy

RANDOM = np.random.default_rng(0)
LOGITS = RANDOM.normal(size=(6, 5))
TARGETS = np.array([3, 1, 0, 4, 0, 2])


def solved(name):
    """The exercise's own solution, as a function."""
    return exercises.EXERCISES[name].build()


def test_inputs_and_targets_are_those_of_a_training_sequence():
    _, target = Sequences("copy").held_out(1)
    whole = target[0][target[0] != PAD_ID].numpy()
    both = solved("decoder_input_and_labels")(whole[1:-1], SOS_ID, EOS_ID)
    np.testing.assert_array_equal(both, [whole[:-1], whole[1:]])


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_smoothed_targets_make_the_librarys_loss(smoothing):
    q = solved("smoothed_targets")(TARGETS, 5, smoothing, 0)
    log_p = np.log(np.exp(LOGITS) / np.exp(LOGITS).sum(1, keepdims=True))
    loss = -(q * log_p).sum() / (TARGETS != 0).sum()
    given = torch.from_numpy(LOGITS), torch.from_numpy(TARGETS)
    assert loss == pytest.approx(smoothed_cross_entropy(*given, smoothing, 0).item())
    if not smoothing:
        assert solved("cross_entropy")(LOGITS, TARGETS, 0) == pytest.approx(loss)


def test_the_gradient_is_what_finite_differences_give():
    gradient, step = solved("loss_gradient")(LOGITS[0], 3), 1e-6
    for w in range(5):
        moved = LOGITS[:1].copy()
        moved[0, w] += step
        both = [
            solved("cross_entropy")(z, np.array([3]), -1) for z in (LOGITS[:1], moved)
        ]
        assert gradient[w] == pytest.approx((both[1] - both[0]) / step, abs=1e-4)


def test_a_step_of_adam_is_that_of_torch():
    theta = torch.nn.Parameter(torch.zeros(5, dtype=torch.float64))
    adam = torch.optim.Adam([theta], lr=0.01, betas=(0.9, 0.98))
    m, v = np.zeros(5), np.zeros(5)
    for n, g in enumerate(LOGITS, start=1):
        before, theta.grad = theta.detach().numpy().copy(), torch.from_numpy(g)
        adam.step()
        mine = solved("adam_step")(before, g, m, v, n, 0.01)
        np.testing.assert_allclose(mine, theta.detach(), rtol=1e-9)
        m, v = 0.9 * m + 0.1 * g, 0.98 * v + 0.02 * g**2


def test_a_clipped_gradient_is_no_longer_and_keeps_its_direction():
    for limit in (0.1, 100.0):
        short = solved("clip_gradient")(LOGITS, limit)
        length = np.linalg.norm(LOGITS)
        assert np.linalg.norm(short) == pytest.approx(min(length, limit))
        np.testing.assert_allclose(short / np.linalg.norm(short), LOGITS / length)


def test_a_right_answer_is_right_however_it_is_written():
    def cross_entropy(logits, targets, pad):
        given = torch.tensor(logits), torch.tensor(targets)
        return torch.nn.functional.cross_entropy(*given, ignore_index=pad)

    def smoothed_targets(targets, V, smoothing, pad):
        rows = torch.zeros(len(targets), V)
        for row, target in zip(rows, targets, strict=True):
            if target != pad:
                row += smoothing / (V - 1)
                row[target] += 1 - smoothing
                row[pad] = 0
        return rows

    def decoder_input_and_labels(target, sos, eos):
        whole = [sos, *target.tolist(), eos]
        return [whole[:-1], whole[1:]]

    for function in (cross_entropy, smoothed_targets):
        assert exercises.check(function).kind == "right"
    assert exercises.check(decoder_input_and_labels).kind in ("right", "type")


def reversed_rows(target, sos, eos):
    back = [*target[::-1]]
    return [[sos, *back], [*back, eos]]


def rounded_down(n, peak, warmup, steps):
    return peak * np.minimum((n + 1) // warmup, (steps - n) // (steps - warmup))


def held_by_the_spectral_norm(gradient, limit):
    return gradient / max(1, np.linalg.norm(gradient, ord=2) / limit)


def as_without_padding(targets, V, smoothing, pad):
    return smoothing / V + (1 - smoothing) * np.eye(V)[targets]


def padding_rows_left_out(targets, V, smoothing, pad):
    q = smoothing / (V - 1) + (1 - smoothing) * np.eye(V)[targets[targets != pad]]
    q[:, pad] = 0
    return q


@pytest.mark.parametrize(
    ("name", "wrong", "said"),
    [
        ("decoder_input_and_labels", reversed_rows, "reverse order"),
        ("learning_rate", rounded_down, "rounded both lines down"),
        ("clip_gradient", held_by_the_spectral_norm, "singular value"),
        ("smoothed_targets", as_without_padding, "Padding is one of"),
        ("smoothed_targets", padding_rows_left_out, "left out the rows"),
    ],
)
def test_a_mistake_is_named_however_it_is_written(name, wrong, said):
    verdict = judge(exercises.EXERCISES[name], wrong)
    assert verdict.kind == "mistake"
    assert said in verdict.text


def test_two_rows_in_a_tuple_are_not_an_array():
    def decoder_input_and_labels(target, sos, eos):
        return np.append(sos, target), np.append(target, eos)

    verdict = exercises.check(decoder_input_and_labels)
    assert verdict.kind == "type"
    assert "tuple, expected an array" in verdict.text

"""Four ways to train a decoder: what each of them may see, and one stack for all."""

import pytest
import torch

from course.data.jobs import HELD_OUT, VOCABULARY, sentences
from course.models import decoder_variants as variants
from course.models import one_stack
from course.models.jobs import RECIPE


def batch(count=3):
    return sentences(torch.Generator().manual_seed(1), count)


@pytest.mark.parametrize("variant", variants.VARIANTS)
def test_only_with_the_mask_the_future_is_hidden(variant):
    source, whole = batch()
    model, _ = variants.begin(variant)
    reads = whole[:, :-1]
    changed = reads.clone()
    changed[:, -1] = VOCABULARY.eos_id
    with torch.no_grad():
        moved = (model(source, changed) - model(source, reads)).abs().amax((0, 2))
    assert moved[-1] > 0
    assert (moved[:-1] > 0).all() != variants.VARIANTS[variant].masked
    assert not moved[:-1].any() or not variants.VARIANTS[variant].masked


def test_all_variants_begin_with_the_same_numbers():
    models = [
        variants.begin(variant, 2)[0].state_dict() for variant in variants.VARIANTS
    ]
    for name, first in models[0].items():
        assert all(torch.equal(first, other[name]) for other in models)


def test_without_the_shift_each_place_reads_what_it_has_to_say():
    """A model that says what it reads has no loss."""
    model, training = variants.begin("mask alone", steps=60)
    first, *_, last = training
    assert last < first / 4
    _, whole = batch()
    with torch.no_grad():
        said = model(batch()[0], whole[:, 1:]).argmax(-1)
    assert (said == whole[:, 1:]).double().mean() > 0.9


def test_another_variant_is_refused():
    with pytest.raises(ValueError, match=r"variant must be one of .*, got 'shift'"):
        variants.begin("shift")


# ── one stack ─────────────────────────────────────────────────────────────────────────
def test_one_stack_reads_source_and_target_as_one_text():
    model, training = one_stack.MODEL.begin(0, 40)
    losses = list(training)
    assert sum(losses[-5:]) < sum(losses[:5]) / 2
    probabilities = one_stack.next_word(model, HELD_OUT[0])
    assert set(probabilities) == set(VOCABULARY.words)
    assert sum(probabilities.values()) == pytest.approx(1, abs=1e-5)


def test_the_loss_of_one_stack_asks_for_what_is_written_alone(monkeypatch):
    asked = []

    def cross_entropy(logits, answers):
        asked.append((logits.detach(), answers))
        return torch.nn.functional.nll_loss(logits.log_softmax(-1), answers)

    monkeypatch.setattr(one_stack.F, "cross_entropy", cross_entropy)
    source, whole = sentences(torch.Generator().manual_seed(0), RECIPE.batch_size)
    model, training = one_stack.MODEL.begin(0, 1, batch=lambda _: (source, whole))
    with torch.no_grad():
        before = model(torch.cat([source, whole], dim=1))  # (B, S + T + 1, V)
    list(training)
    [(logits, answers)] = asked
    assert torch.equal(answers, whole[:, 1:].flatten())
    at_start = source.size(1)  # the place of ⟨SOS⟩
    expected = before[:, at_start:-1].flatten(0, 1)
    torch.testing.assert_close(logits, expected, rtol=0, atol=1e-4)

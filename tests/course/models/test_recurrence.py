"""Layers that read word after word, and what is asked of them."""

import pytest
import torch

from course.models import copier
from course.models.sequence_layer import KINDS, SequenceLayer
from transformer_lib.training import seeded


def built(kind, d_model, seed=0):
    with seeded(seed):
        return SequenceLayer(kind, d_model)


# ── the layers ────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [1, 3, 30])
def test_every_layer_takes_any_number_of_words(kind, length):
    assert SequenceLayer(kind, 8)(torch.randn(2, length, 8)).shape == (2, length, 8)


def test_only_attention_lets_a_word_hear_of_later_ones():
    x = torch.randn(1, 6, 8)
    later = x.clone()
    later[:, 5] += 1
    for kind in KINDS:
        layer = built(kind, 8)
        same = torch.allclose(layer(x)[:, :5], layer(later)[:, :5], atol=1e-6)
        assert same == (kind != "attention")


def test_an_open_gate_forgets_little_and_another_one_half():
    for kind, kept in (("LSTM", 0.5), ("open LSTM", 0.95)):
        lstm = built(kind, 64).layer
        gate = torch.sigmoid(lstm.bias_ih_l0 + lstm.bias_hh_l0)[64:128]
        assert gate.mean().item() == pytest.approx(kept, abs=0.02)


def test_a_seed_makes_the_same_layer_and_moves_no_other_random_number():
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first, second = built("RNN", 4, 1), built("RNN", 4, 1)
    assert torch.get_rng_state().equal(before)
    assert first.layer.weight_hh_l0.equal(second.layer.weight_hh_l0)


# ── the word k steps ago ──────────────────────────────────────────────────────
def test_a_copier_chooses_among_all_words():
    torch.manual_seed(0)
    ids = torch.randint(copier.WORDS, (3, 9))
    assert copier.Copier("attention")(ids).shape == (3, copier.WORDS)


def test_a_copier_that_reads_in_order_is_told_places_only_when_asked():
    torch.manual_seed(0)
    ids = torch.randint(copier.WORDS, (3, 9))
    silent, told = copier.Copier("RNN", 8), copier.Copier("RNN", 8, places=True)
    told.load_state_dict(silent.state_dict())
    assert not torch.allclose(silent(ids), told(ids))
    told.places = False
    assert torch.equal(silent(ids), told(ids))

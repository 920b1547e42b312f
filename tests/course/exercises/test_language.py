"""The exercises of notebook 14 ask for what the library and the papers do."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course import exercises
from course.data.dictionary import in_ids, sample, tokenizer
from course.data.masked_words import MASK_ID, NOTHING, mask_tokens
from course.models.classifier import pooled
from course.models.lora import LoRA
from transformer_lib import causal_mask

RANDOM = np.random.default_rng(0)


def solved(name):
    """The exercise's own solution, as a function."""
    return exercises.EXERCISES[name].build()


def test_masked_inputs_are_those_of_the_training_data():
    ids = torch.randint(3, MASK_ID, (1, 500))
    read, asked = mask_tokens(ids, torch.Generator().manual_seed(0))
    draw = torch.Generator().manual_seed(0)
    chance = torch.rand(ids.shape, generator=draw)
    others = torch.randint(3, MASK_ID, ids.shape, generator=draw)
    own = solved("masked_input")(
        *(x[0].numpy() for x in (ids, chance, others)), MASK_ID
    )
    assert [*own] == read[0].tolist()
    assert [*(chance[0] < 0.2)] == [*(asked[0] != NOTHING)]


def test_the_loss_is_torchs_with_an_ignored_index():
    logits, ids = RANDOM.normal(size=(30, 9)), RANDOM.integers(9, size=30)
    asked = RANDOM.random(30) < 0.3
    wanted = torch.from_numpy(np.where(asked, ids, NOTHING))
    theirs = F.cross_entropy(torch.from_numpy(logits), wanted, ignore_index=NOTHING)
    np.testing.assert_allclose(solved("masked_loss")(logits, ids, asked), theirs)


@pytest.mark.parametrize(("S", "T"), [(1, 1), (3, 5), (6, 2)])
def test_the_joined_mask_holds_the_three_masks_of_an_encoder_decoder(S, T):
    mask = solved("joined_mask")(S, T)
    assert mask[:S, :S].all()  # the encoder's
    assert not mask[:S, S:].any()
    assert mask[S:, :S].all()  # the cross-attention's
    np.testing.assert_array_equal(mask[S:, S:], causal_mask(T))


@pytest.mark.parametrize("seed", range(20))
def test_input_and_target_of_span_corruption_hold_the_text_between_them(seed):
    draw = np.random.default_rng(seed)
    ids, hidden = draw.integers(50, size=12), draw.random(12) < 0.3
    read, target = (
        solved(f"span_{name}")(ids, hidden, 90) for name in ("input", "target")
    )
    spans = int((hidden & ~np.append(False, hidden[:-1])).sum())
    assert len(read) + len(target) == 12 + 2 * spans + 1
    assert [n for n in read if n >= 90] == [*range(90, 90 + spans)]
    assert [n for n in target if n >= 90] == [*range(90, 90 + spans + 1)]
    parts = np.split(target, np.flatnonzero(target >= 90))[1:]
    filled = [parts[n - 90][1:] if n >= 90 else [n] for n in read]
    assert [*np.concatenate(filled)] == [*ids]


def test_class_scores_read_the_mean_that_the_classifier_reads():
    hidden, lengths = RANDOM.normal(size=(3, 6, 4)), np.array([2, 6, 5])
    ids = torch.from_numpy((np.arange(6) < lengths[:, None]).astype(int))
    vectors = pooled(torch.from_numpy(hidden), ids, "mean").numpy()
    W, b = RANDOM.normal(size=(4, 25)), RANDOM.normal(size=25)
    own = solved("class_scores")(hidden, lengths, W, b)
    np.testing.assert_allclose(own, vectors @ W + b)


def test_lora_is_the_layer_of_the_course():
    layer = LoRA(nn.Linear(6, 6, bias=False), 2).double()
    nn.init.normal_(layer.B)
    x = RANDOM.normal(size=(5, 6))
    numbers = (
        part.detach().numpy() for part in (layer.linear.weight, layer.A, layer.B)
    )
    wanted = layer(torch.from_numpy(x)).detach().numpy()
    np.testing.assert_allclose(solved("lora")(x, *numbers), wanted)


def test_bits_per_character_of_uniform_pieces_are_their_logarithm():
    entry = sample().held_out[0]
    pieces = [tokenizer().decode([n]) for n in in_ids(entry)]
    characters = np.array([*map(len, pieces)])
    log_p = np.full(len(pieces), -np.log(2048))
    own = solved("bits_per_character")(log_p, characters)
    assert own == pytest.approx(11 * len(pieces) / characters.sum())


def test_a_right_answer_is_right_however_it_is_written():
    def joined_mask(S, T):
        blocks = [
            [np.ones((S, S)), np.zeros((S, T))],
            [np.ones((T, S)), np.tri(T)],
        ]
        return np.block(blocks) > 0

    def masked_loss(logits, ids, chosen):
        wanted = torch.tensor(np.where(chosen, ids, -100))
        return F.cross_entropy(torch.tensor(logits), wanted)

    def lora(x, W, A, B):
        return x @ (W + B @ A).T

    for answer in (joined_mask, masked_loss, lora):
        assert exercises.check(answer).kind == "right"

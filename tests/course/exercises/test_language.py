"""The exercises of notebook 14 ask for what the library does."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course import exercises
from course.data.documentation import parts
from course.data.masked_words import MASK_ID, NOTHING, mask_tokens
from course.data.three_tasks import VOCABULARY
from course.models.baselines import NGrams
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
    own = solved("masked_read")(*(x[0].numpy() for x in (ids, chance, others)), MASK_ID)
    assert [*own] == read[0].tolist()
    assert [*(chance[0] < 0.2)] == [*(asked[0] != NOTHING)]


def test_the_loss_is_torchs_with_an_ignored_index():
    logits, ids = RANDOM.normal(size=(30, 9)), RANDOM.integers(9, size=30)
    asked = RANDOM.random(30) < 0.3
    wanted = torch.from_numpy(np.where(asked, ids, NOTHING))
    theirs = F.cross_entropy(torch.from_numpy(logits), wanted, ignore_index=NOTHING)
    np.testing.assert_allclose(solved("asked_loss")(logits, ids, asked), theirs)


@pytest.mark.parametrize(("S", "T"), [(1, 1), (3, 5), (6, 2)])
def test_the_joined_mask_holds_the_three_masks_of_an_encoder_decoder(S, T):
    mask = solved("joined_mask")(S, T)
    assert mask[:S, :S].all()  # the encoder's
    assert not mask[:S, S:].any()
    assert mask[S:, :S].all()  # the cross-attention's
    np.testing.assert_array_equal(mask[S:, S:], causal_mask(T))


def test_bits_of_uniform_probabilities_are_the_log_of_the_vocabulary():
    ids = RANDOM.integers(16, size=20)
    np.testing.assert_allclose(solved("bits")(np.ones((20, 16)), ids), 4)


def test_mixing_step_by_step_gives_the_n_gram_probabilities():
    text = parts().learned[:2000]
    known = sorted({*text})
    V = len(known)
    probabilities, run = np.full(V, 1 / V), "the"
    for h in ("", "e", "he", "the"):
        followed = [
            text[i + len(h)] for i in range(len(text) - 1) if text[i:].startswith(h)
        ]
        counts = np.array([followed.count(c) for c in known])
        probabilities = solved("mixed_probabilities")(counts, probabilities)
    grams = NGrams(text, 4, V)
    np.testing.assert_allclose(
        probabilities, [grams.probability(c, run) for c in known], atol=1e-3
    )
    np.testing.assert_allclose(probabilities.sum(), 1)


def test_tokens_after_the_end_are_ignored():
    wanted = np.array([VOCABULARY.encode(["le", "chat", "⟨EOS⟩", "⟨PAD⟩"])])
    written = wanted.copy()
    written[0, 3] = 5
    end = VOCABULARY.eos_id
    assert solved("exact_share")(written, wanted, end) == 1
    written[0, 2] = 5
    assert solved("exact_share")(written, wanted, end) == 0


def test_a_right_answer_is_right_however_it_is_written():
    def joined_mask(S, T):
        blocks = [
            [np.ones((S, S)), np.zeros((S, T))],
            [np.ones((T, S)), np.tri(T)],
        ]
        return np.block(blocks) > 0

    def asked_loss(logits, ids, asked):
        wanted = torch.tensor(np.where(asked, ids, -100))
        return F.cross_entropy(torch.tensor(logits), wanted)

    for answer in (joined_mask, asked_loss):
        assert exercises.check(answer).kind == "right"

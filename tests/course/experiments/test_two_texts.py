"""Which of its two texts a decoder answers by, and what may reach an answer."""

from functools import cache, partial

import pytest
import torch

from course.data.jobs import VOCABULARY, probabilities, written
from course.experiments import two_texts
from course.models.jobs import MODEL, next_word
from transformer_lib import DecoderBlock, TransformerConfig, causal_mask

trained = cache(MODEL.trained)

START, OTHER = (
    "Ajish studied art and works as an AI",
    "Mia studied law and works as a ship",
)
SIZES = TransformerConfig(d_model=8, n_heads=2, d_ff=16, dropout=0.0)


def test_pairs_have_no_name_subject_or_field_in_common():
    own, other = two_texts.pairs()
    assert two_texts.differ(START, OTHER)
    for n in (0, 2, 7):
        words = OTHER.split()
        words[n] = START.split()[n]
        assert not two_texts.differ(START, " ".join(words))
    assert len(own) == 4 * 3 * (8 * 7) * (3 * 2)  # fields, names, subjects
    assert all(map(two_texts.differ, own, other))


def test_a_model_is_asked_at_all_places_as_at_one():
    p = two_texts.ask(trained(), [START], [START])
    assert p.shape == (1, 6, len(VOCABULARY))
    last = dict(zip(VOCABULARY.words, p[0, -1].tolist(), strict=True))
    assert last == pytest.approx(next_word(trained(), START), abs=1e-6)


def test_the_rule_of_the_source_says_its_words_and_the_true_probabilities():
    [p] = two_texts.from_source([START], [OTHER])
    words = VOCABULARY.decode(p.argmax(-1))
    assert words == [*written(START).split(), "Designer"]
    for job, share in probabilities(START).items():
        assert p[-1, VOCABULARY.encode([job])] == pytest.approx(share)
    torch.testing.assert_close(p.sum(-1), torch.ones(6))


def test_the_rule_of_the_last_word_counts_what_follows_it():
    [p] = two_texts.from_last_word([OTHER], [START])
    torch.testing.assert_close(p.sum(-1), torch.ones(6))
    after_start, after_an = p[0], p[4]
    assert (after_start > 0).sum() == 8  # names
    assert after_an[VOCABULARY.encode(["AI"])] == 1
    assert p[3, VOCABULARY.encode(["an"])] == pytest.approx(1 / 4)


def test_a_rule_moves_with_the_text_that_it_reads_alone():
    by_source = two_texts.exchange(two_texts.from_source)
    by_word = two_texts.exchange(two_texts.from_last_word)
    assert by_source["written"] == by_word["read"] == [0] * 6
    assert by_source["read"][:4] == pytest.approx([1, 0, 0, 0.5])
    assert by_word["written"][:5] == pytest.approx([0, 0, 0, 0, 0.5])


def test_the_trained_model_takes_each_word_from_where_the_text_says():
    far = two_texts.against_rules(trained())
    assert list(map(len, far.values())) == [6] * 4
    assert max(far["written: model"][:4]) < 0.01
    assert min(far["written: model"][4:]) > 0.4
    assert far["read: model"][0] > 0.98


def test_what_the_kept_results_show_and_that_they_are_of_the_kept_model():
    for one in two_texts.EXPERIMENT.results():
        assert max(one["written"][:4]) < 0.01
        assert min(one["written"][4:]) > 0.3
    own = two_texts.exchange(partial(two_texts.ask, trained()))
    [first] = two_texts.EXPERIMENT.results(steps=two_texts.LENGTHS[1], seed=0)
    for text, far in own.items():
        assert first[text] == pytest.approx(far, abs=0.01)


# ── what reaches an answer ────────────────────────────────────────────────────────────
def test_reach_is_a_triangle_for_the_target_and_full_for_the_source():
    torch.manual_seed(0)
    block = DecoderBlock(SIZES)
    x, memory = torch.randn(1, 4, 8), torch.randn(1, 3, 8)
    own = two_texts.reach(lambda x: block(x, memory, causal_mask(4)), x)
    over = two_texts.reach(lambda m: block(x, m, causal_mask(4)), memory)
    assert own.shape == (4, 4)
    assert over.shape == (4, 3)
    assert torch.equal(own > 0, causal_mask(4))
    assert (over > 0).all()
    without = two_texts.reach(lambda x: block(x, memory), x)
    assert (without > 0).all()


def test_reach_puts_in_what_it_is_given_one_place_at_a_time():
    ids = torch.tensor([[5, 6, 7]])
    moved = two_texts.reach(lambda w: w[..., None], ids, torch.tensor([[5, 9, 1]]))
    assert torch.equal(moved, torch.tensor([[0, 0, 0], [0, 3, 0], [0, 0, 6]]))

"""Sampling: tokens are drawn as the model's reshaped distribution says."""

import pytest
import torch
from small import (
    END,
    PROMPTS,
    RAGGED,
    WRITERS,
    build,
    next_log_p,
    settings,
    sum_log_p,
)

from transformer_lib import (
    DecoderOnlyTransformer,
    Decoding,
    Sampling,
    TransformerConfig,
    greedy,
    sample,
)
from transformer_lib.generation.sampling import keep_top_p


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize(
    "sampling", [Sampling(top_k=1), Sampling(top_p=1e-9), Sampling(temperature=1e-6)]
)
def test_sampling_with_no_choice_left_is_greedy(kind, sampling):
    model = build(kind)
    drawn = sample(model, RAGGED, settings(model, end_id=END), sampling)
    best = greedy(model, RAGGED, settings(model, end_id=END))
    assert drawn.ids.equal(best.ids)
    torch.testing.assert_close(drawn.scores, best.scores)


def test_one_seed_gives_one_text_and_another_seed_another():
    model = build(DecoderOnlyTransformer, sharp=0.5)
    a, b, c = (
        sample(model, PROMPTS, settings(model), None, torch.Generator().manual_seed(s))
        for s in (1, 1, 2)
    )
    assert a.ids.equal(b.ids)
    assert not a.ids.equal(c.ids)


@pytest.mark.parametrize("generator", [None, torch.Generator()])
def test_the_global_seed_is_not_touched(generator):
    model = build(DecoderOnlyTransformer)
    before = torch.get_rng_state()
    sample(model, PROMPTS, settings(model), None, generator)
    assert torch.get_rng_state().equal(before)


def test_without_a_generator_two_draws_differ():
    model = build(DecoderOnlyTransformer, sharp=0.1)
    many = PROMPTS.repeat(4, 1)
    one, other = (sample(model, many, settings(model)) for _ in range(2))
    assert not one.ids.equal(other.ids)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_frequencies_follow_the_softmax_with_temperature(temperature):
    model, n = build(DecoderOnlyTransformer, sharp=0.5), 20_000
    told = settings(model, max_length=5)
    drawn = sample(
        model,
        PROMPTS[:1].expand(n, -1),
        told,
        Sampling(temperature=temperature),
        torch.Generator().manual_seed(0),
    )
    counts = drawn.ids[:, 4].bincount(minlength=11).double()
    p = (next_log_p(model, PROMPTS[:1], ()).double() / temperature).softmax(-1)
    chi_squared = ((counts - n * p) ** 2 / (n * p)).sum()
    assert chi_squared < 29.6  # 10 degrees of freedom: passed with probability 0.999


def test_top_k_keeps_the_k_most_likely_in_their_proportions():
    logits = torch.randn(50, 11, generator=torch.Generator().manual_seed(0))
    for k in range(1, 12):
        p = Sampling(top_k=k).probabilities(logits)
        whole = logits.softmax(-1)
        kept = p > 0
        assert (kept.sum(-1) == k).all()
        least = whole.masked_fill(~kept, 2.0).amin(-1)
        assert (least >= whole.masked_fill(kept, -1.0).amax(-1)).all()
        expected = whole * kept / (whole * kept).sum(-1, keepdim=True)
        torch.testing.assert_close(p, expected)


@pytest.mark.parametrize("top_p", [0.1, 0.5, 0.9, 0.999, 1.0])
def test_top_p_keeps_the_fewest_tokens_that_reach_p(top_p):
    logits = 2 * torch.randn(50, 11, generator=torch.Generator().manual_seed(0))
    p = Sampling(top_p=top_p).probabilities(logits)
    for row, whole in zip(p, logits.double().softmax(-1), strict=True):
        ordered = whole.sort(descending=True)
        n = next(i for i in range(1, 12) if ordered[0][:i].sum() >= top_p - 1e-12)
        nucleus = ordered[1][:n]
        assert set(row.nonzero().flatten().tolist()) == set(nucleus.tolist())
        assert float(row.sum()) == pytest.approx(1, abs=1e-6)


def test_a_nucleus_of_exactly_p_needs_no_further_token():
    p = keep_top_p(torch.tensor([0.5, 0.25, 0.25]), 0.75)
    torch.testing.assert_close(p, torch.tensor([2 / 3, 1 / 3, 0]))


def test_drawn_tokens_never_leave_the_nucleus():
    model, n = build(DecoderOnlyTransformer, sharp=0.5), 2_000
    sampling = Sampling(temperature=1.5, top_k=5, top_p=0.7)
    told = settings(model, max_length=5)
    ids = sample(model, PROMPTS[:1].expand(n, -1), told, sampling).ids[:, 4]
    p = sampling.probabilities(next_log_p(model, PROMPTS[:1], ()))
    assert set(ids.tolist()) <= set(p.nonzero().flatten().tolist())
    assert 1 < p.count_nonzero() < 5


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("temperature", [1e-300, 1e-30, 1e30, 1e300])
def test_extreme_temperatures_stay_finite(temperature, dtype):
    logits = torch.tensor([1.0, 3.0, -2.0], dtype=dtype)
    p = Sampling(temperature=temperature).probabilities(logits)
    target = [0, 1, 0] if temperature < 1 else [1 / 3] * 3
    torch.testing.assert_close(p, torch.tensor(target, dtype=dtype))


def test_scores_of_samples_are_the_models_own():
    model = build(DecoderOnlyTransformer, sharp=0.5)
    told = settings(model, max_length=7)
    found = sample(model, PROMPTS[:1], told, Sampling(temperature=3.0, top_k=4))
    expected = sum_log_p(model, PROMPTS[:1], tuple(found.ids[0, 4:].tolist()))
    assert float(found.scores) == pytest.approx(expected, abs=1e-4)


def test_each_row_of_scores_has_its_own_scale():
    rows = torch.tensor([[0.0, 1.0], [-10_000.0, -10_001.0]])
    cold = Sampling(temperature=1e-306).probabilities(rows)
    assert cold.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("options", [{}, {"top_k": 11}, {"top_p": 1.0}])
def test_the_whole_vocabulary_keeps_the_softmax_to_the_last_digit(options):
    logits = torch.randn(50, 11, generator=torch.Generator().manual_seed(0)).double()
    assert Sampling(**options).probabilities(logits).equal(logits.softmax(-1))


@pytest.mark.parametrize("size", [2, 1024])
def test_the_nucleus_keeps_the_first_of_equally_likely_tokens(size):
    p = keep_top_p(torch.full((size,), 1 / size, dtype=torch.float64), 0.5)
    assert p.nonzero().flatten().tolist() == list(range(size // 2))


def test_a_nucleus_of_everything_drops_not_even_the_least():
    rows = torch.tensor([[0.0, -50.0]], dtype=torch.float64)
    whole = Sampling(top_p=1.0).probabilities(rows)
    assert whole.equal(Sampling().probabilities(rows))
    assert (whole > 0).all()


@pytest.mark.parametrize("size", [(), (0,), (2, 0)])
def test_logits_without_a_vocabulary_are_refused_with_their_shape(size):
    with pytest.raises(ValueError, match=r"logits must be \(\.\.\., V\), got "):
        Sampling().probabilities(torch.zeros(size))


@pytest.mark.parametrize("kind", [Decoding, Sampling, TransformerConfig])
def test_a_setting_is_given_by_its_name(kind):
    with pytest.raises(TypeError, match="positional"):
        kind(5)

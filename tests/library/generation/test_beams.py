"""Beam search: several texts side by side, and the best that end."""

from itertools import product

import pytest
import torch
from small import (
    END,
    PAD,
    PROMPTS,
    RAGGED,
    WRITERS,
    build,
    ending,
    settings,
    sum_log_p,
)

from transformer_lib import DecoderOnlyTransformer, Transformer, beam_search, greedy
from transformer_lib.generation.beam_search import Beams, _largest
from transformer_lib.generation.prediction import predicting

TINY = {"vocabulary_size": 5, "d_model": 6, "n_heads": 2, "d_ff": 8, "sharp": 2.0}


def every_text(model, ids, n, penalty):
    """Score every text that ends with END or has n tokens, the best first."""
    texts = {
        t[: t.index(END) + 1] if END in t else t for t in product(range(5), repeat=n)
    }
    weigh = {t: sum_log_p(model, ids, t) / ((5 + len(t)) / 6) ** penalty for t in texts}
    return sorted(weigh.items(), key=lambda item: -item[1])


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("seed", [0, 1])
def test_one_beam_is_greedy(kind, seed):
    model = build(kind, seed)
    for penalty in (0.0, 0.6, 2.0):
        for end_id in (None, END, ending(model)[0]):
            told = settings(model, end_id=end_id)
            beam, best = (
                beam_search(model, RAGGED, told, 1, penalty),
                greedy(model, RAGGED, told),
            )
            assert beam.ids[:, 0].equal(best.ids)
    plain = beam_search(model, RAGGED, settings(model), 1)
    expected = greedy(model, RAGGED, settings(model)).scores
    torch.testing.assert_close(plain.scores[:, 0], expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", WRITERS)
def test_one_beam_is_greedy_where_tokens_tie(kind):
    model = build(kind, **TINY)
    rows = torch.tensor([[0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 3.0, 3.0, 2.0, 3.0]])
    model.embedding.logits = lambda x: rows[x.size(1) % 2].expand(*x.shape[:2], 5)
    for use_cache in (True, False):
        told = settings(model, use_cache=use_cache, pad_id=None)
        one = beam_search(model, PROMPTS[:, :2] % 5, told, 1)
        assert one.ids[:, 0].equal(greedy(model, PROMPTS[:, :2] % 5, told).ids)


def test_equal_scores_keep_the_first_beams():
    scores = torch.arange(3.0, dtype=torch.float64).repeat(1, 1000)  # 0, 1, 2, 0, …
    best, places = _largest(scores, 5)
    assert best.tolist() == [[2.0] * 5]
    assert places.tolist() == [[2, 5, 8, 11, 14]]


def test_scores_of_minus_infinity_keep_the_first_beams_too():
    scores = torch.full((1, 1000), -torch.inf, dtype=torch.float64)
    scores[0, 7] = 1.0
    assert _largest(scores, 4)[1].tolist() == [[7, 0, 1, 2]]


def test_one_beam_is_greedy_where_a_long_text_rounds_small_differences_away():
    model = build(DecoderOnlyTransformer, **TINY)
    step = torch.tensor([0.0, 1e-6, -1e-6, 0.0, 2e-6])
    model.embedding.logits = lambda x: step.expand(*x.shape[:2], 5) - 0.0
    told = settings(model, max_length=16, pad_id=None)
    one = beam_search(model, PROMPTS[:1, :2] % 5, told, 1)
    assert one.ids[:, 0].equal(greedy(model, PROMPTS[:1, :2] % 5, told).ids)
    assert set(one.ids[0, 0, 2:].tolist()) == {4}


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("seed", [0, 1])
def test_enough_beams_find_the_best_of_all_texts(kind, seed):
    model, ids = build(kind, seed, **TINY), torch.tensor([[3, 4]])
    length = 3 if kind is Transformer else 4  # two tokens to write
    told = settings(model, max_length=length, end_id=END, pad_id=None)
    for penalty in (0.0, 1.0, 3.0):
        best = every_text(model, ids, 2, penalty)
        found = beam_search(model, ids, told, 5, penalty, n_best=3)  # 5 prefixes: all
        for i in range(3):
            text = found.ids[0, i, length - 2 :].tolist()
            assert tuple(text[: len(best[i][0])]) == best[i][0]
            assert float(found.scores[0, i]) == pytest.approx(best[i][1], abs=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_no_beam_promises_more_than_the_best_of_all_texts(seed):
    model, ids = build(DecoderOnlyTransformer, seed, **TINY), torch.tensor([[3, 4]])
    told = settings(model, max_length=6, end_id=END, pad_id=None)
    best = every_text(model, ids, 4, 0.6)
    scores = [float(beam_search(model, ids, told, k, 0.6).scores) for k in range(1, 6)]
    assert max(scores) <= best[0][1] + 1e-5
    assert scores[-1] == pytest.approx(best[0][1], abs=1e-5)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("seed", range(4))
def test_many_beams_are_no_worse_than_greedy_here(kind, seed):
    """No law: likelier beginnings may crowd out the one that greedy would take."""
    model = build(kind, seed, sharp=1.5)
    told = settings(model, end_id=END)
    best = greedy(model, PROMPTS, told).scores
    found = beam_search(model, PROMPTS, told, 11).scores[:, 0]
    assert (found >= best - 1e-5).all()


def test_beams_look_further_than_greedy():
    gains = []
    for seed in range(4):
        model = build(DecoderOnlyTransformer, seed, sharp=1.5)
        told = settings(model)
        found = beam_search(model, PROMPTS, told, 6).scores[:, 0]
        gains.append(found - greedy(model, PROMPTS, told).scores)
    assert torch.stack(gains).max() > 0.1


@pytest.mark.parametrize("kind", WRITERS)
def test_the_n_best_are_sorted_and_distinct_and_scored_as_they_are(kind):
    model = build(kind, sharp=1.5)
    found = beam_search(model, PROMPTS, settings(model, end_id=END), 6, 0.8, n_best=6)
    assert (found.scores.diff(dim=1) <= 0).all()
    skip = 1 if kind is Transformer else 4
    for row in range(3):
        texts = [tuple(t) for t in found.ids[row, :, skip:].tolist()]
        assert len(set(texts)) == 6
        for text, score in zip(texts, found.scores[row], strict=True):
            own = text[: text.index(END) + 1] if END in text else text
            expected = sum_log_p(model, PROMPTS[row : row + 1], own)
            expected /= ((5 + len(own)) / 6) ** 0.8
            assert float(score) == pytest.approx(expected, abs=1e-4)


def test_the_first_of_n_best_is_the_best_alone():
    model = build(DecoderOnlyTransformer, sharp=1.5)
    told = settings(model, end_id=END)
    one, four = (beam_search(model, RAGGED, told, 4, 0.6, n_best=n) for n in (1, 4))
    torch.testing.assert_close(one.scores[:, 0], four.scores[:, 0])
    width = one.ids.size(2)
    assert one.ids[:, 0].equal(four.ids[:, 0, :width])


def test_a_length_penalty_prefers_longer_texts():
    lengths = []
    for penalty in (0.0, 1.0, 4.0):
        total = 0
        for seed in range(4):
            model = build(DecoderOnlyTransformer, seed, sharp=0.7)
            told = settings(model, end_id=END)
            texts = beam_search(model, PROMPTS, told, 8, penalty).ids
            total += int((texts != PAD).sum())
        lengths.append(total)
    assert lengths[0] < lengths[1] <= lengths[2]
    assert lengths[0] < lengths[2]


def test_a_length_penalty_is_computed_in_float64_for_numbers_and_for_tensors():
    model = build(DecoderOnlyTransformer)
    with predicting(model, PROMPTS, settings(model), 2) as predictor:
        found = Beams(predictor, settings(model), 2, 0.6, 1)
        expected = torch.tensor((10 / 6) ** 0.6, dtype=torch.float64)
        for length in (5, torch.tensor(5)):
            torch.testing.assert_close(found._penalty(length), expected, rtol=0, atol=0)

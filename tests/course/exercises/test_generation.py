"""The exercises of notebook 13 ask for what the library does."""

import numpy as np
import pytest
import torch

from course import exercises
from course.data.stories import STOP_ID
from course.experiments import strategies
from course.models.stories import trained
from transformer_lib import (
    beam_search,
    causal_mask,
    greedy,
    scaled_dot_product_attention,
    sinusoidal_encoding,
)

RANDOM = np.random.default_rng(0)


def solved(name):
    """The exercise's own solution, as a function."""
    return exercises.EXERCISES[name].build()


def test_cached_steps_give_the_rows_of_causal_attention():
    x, W = RANDOM.normal(size=(7, 6)), RANDOM.normal(size=(3, 6, 4))
    P = sinusoidal_encoding(9, 6).double().numpy()
    q, k, v = ((x + P[:7]) @ w for w in W)
    rows = [solved("cached_step")(x[n], P, W, k[:n], v[:n]) for n in range(1, 7)]
    whole, _ = scaled_dot_product_attention(
        *map(torch.from_numpy, (q, k, v)), causal_mask(7)
    )
    np.testing.assert_allclose(rows, whole[1:], atol=1e-12)


@pytest.mark.parametrize("K", [1, 3])
def test_beam_steps_find_the_sequences_of_beam_search(K):
    """Followed by hand for three steps, from one beginning, with no end."""
    begun = strategies.beginnings()[:1]
    model = trained()
    texts, scores = begun.repeat(K, 1), np.array([0.0] + [-np.inf] * (K - 1))
    for _ in range(3):
        with torch.inference_mode():
            log_p = model(texts)[:, -1].double().log_softmax(-1).numpy()
        chosen = solved("beam_step")(scores, log_p)
        scores = scores[chosen[:, 0]] + log_p[chosen[:, 0], chosen[:, 1]]
        words = torch.from_numpy(chosen[:, 1:])
        texts = torch.cat([texts[chosen[:, 0]], words], dim=1)
    told = strategies.Decoding(max_length=7)
    found = beam_search(model, begun, told, K, n_best=K)
    assert found.ids[0].equal(texts)
    np.testing.assert_allclose(found.scores[0], scores, atol=1e-4)


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
def test_a_beam_score_is_that_of_a_search_with_one_beam(alpha):
    begun = strategies.beginnings()[:5]
    best = greedy(trained(), begun, strategies.SENTENCE)
    lengths = 1 + (best.ids[:, 4:] == STOP_ID).long().argmax(dim=1)
    one = beam_search(trained(), begun, strategies.SENTENCE, 1, alpha)
    own = solved("beam_scores")(best.scores.numpy(), lengths.numpy(), alpha)
    np.testing.assert_allclose(own, one.scores[:, 0], rtol=1e-5)


def test_greedy_text_stops_at_its_longest_length():
    ring = np.roll(np.eye(4), 1, axis=1)
    assert [*solved("greedy_text")(ring, 0, 9, 6)] == [0, 1, 2, 3, 0, 1]
    assert [*solved("greedy_text")(ring, 2, 0, 6)] == [2, 3, 0]


def test_a_right_answer_is_right_however_it_is_written():
    def next_token_probabilities(logits, t, k, top_p):
        powers = sorted(((float(x) / t, n) for n, x in enumerate(logits)), reverse=True)
        kept = {n: np.exp(x) for x, n in powers[:k]}
        wanted, held, p = top_p * sum(kept.values()), 0.0, np.zeros(len(logits))
        for n, power in kept.items():
            p[n] = power if held < wanted else 0.0
            held += power
        return p / p.sum()

    def cached_step(x, P, W, K, V):
        here = x + P[K.shape[0]]
        powers = [
            np.exp(here @ W[0] @ k / K.shape[1] ** 0.5) for k in [*K, here @ W[1]]
        ]
        values = [*V, here @ W[2]]
        return sum(a * v for a, v in zip(powers, values, strict=True)) / sum(powers)

    def beam_step(scores, log_p):
        K, V = log_p.shape
        pairs = [(b, w) for b in range(K) for w in range(V)]
        return sorted(pairs, key=lambda bw: -scores[bw[0]] - log_p[bw])[:K]

    for answer in (next_token_probabilities, cached_step, beam_step):
        assert exercises.check(answer).kind == "right"


def test_a_mistake_is_named_however_it_is_written():
    def next_token_probabilities(logits, t, k, top_p):
        p = torch.softmax(logits / t, dim=0)
        p[p < p.topk(k).values[-1]] = 0
        p = p / p.sum()
        p = torch.where(p >= top_p, p, 0)
        return p / p.sum()

    def cached_step(x, P, W, K, V):
        q, k, v = (x + P[K.shape[0]]) @ W
        keys, values = np.vstack([K, k]), np.vstack([V, v])
        powers = np.exp(keys @ q / np.sqrt(P.shape[1]))
        return powers @ values / powers.sum()

    def beam_step(scores, log_p):
        sums = scores[:, None] + log_p
        best = np.argsort(-sums.flatten())[: len(scores)]
        return [best // sums.shape[1], best % sums.shape[1]]

    said = ("Each token is compared", "root of the embedding", "beams are in one row")
    for answer, text in zip(
        (next_token_probabilities, cached_step, beam_step), said, strict=True
    ):
        verdict = exercises.check(answer)
        assert verdict.kind == "mistake"
        assert text in verdict.text

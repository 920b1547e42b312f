"""Speculative decoding writes what plain sampling from the large model writes."""

from collections import Counter
from functools import lru_cache

import numpy as np
import pytest
import torch

from course.exercises import EXERCISES
from course.models.speculative import (
    acceptance,
    probabilities_of,
    residual,
    speculate,
)
from transformer_lib import DecoderOnlyTransformer, TransformerConfig

DRAWS = 20_000
START = (1,)


def remembered(seed, temperature):
    """The probabilities of a small model with random weights."""
    torch.manual_seed(seed)
    sizes = {"d_model": 8, "n_heads": 2, "n_decoder_layers": 1, "d_ff": 8}
    config = TransformerConfig(vocabulary_size=5, max_length=8, dropout=0.0, **sizes)
    model = DecoderOnlyTransformer(config).eval()
    with torch.no_grad():
        model.embedding.weight.mul_(2.0)
    p_of = probabilities_of(model, temperature)
    kept = lru_cache(maxsize=None)(lambda ids, n: p_of(ids, n))
    return lambda ids, n: kept(tuple(ids), n)


def written(p_of, q_of, k, draw, length=3):
    """Write three tokens after START, in rounds."""
    ids = [*START]
    while len(ids) < len(START) + length:
        ids += speculate(p_of, q_of, ids, k, draw).tokens
    return tuple(ids[len(START) : len(START) + length])


def exact(p_of, length=3):
    """The probability of each text of three tokens."""
    texts = {(): 1.0}
    for _ in range(length):
        texts = {
            (*text, token): p * float(x)
            for text, p in texts.items()
            for token, x in enumerate(p_of([*START, *text], 1)[0])
        }
    return texts


def chi_squared(counts, expected):
    """Return the p-value of counts; cells that expect fewer than 5 are one cell."""
    pairs = [(counts.get(text, 0), DRAWS * p) for text, p in expected.items()]
    cells = [pair for pair in pairs if pair[1] >= 5]
    seen, e = np.sum([(0, 0), *(pair for pair in pairs if pair[1] < 5)], axis=0)
    cells += [(seen, e)] if e >= 5 else []
    statistic = sum((seen - e) ** 2 / e for seen, e in cells)
    half = torch.tensor([(len(cells) - 1) / 2, statistic / 2], dtype=torch.float64)
    return float(torch.special.gammaincc(*half))


@pytest.mark.parametrize(("k", "temperature"), [(1, 1.0), (2, 0.7), (4, 1.5)])
def test_texts_are_distributed_as_the_large_model_alone_writes_them(k, temperature):
    p_of, q_of = remembered(0, temperature), remembered(1, temperature)
    draw = torch.Generator().manual_seed(k)
    counts = Counter(written(p_of, q_of, k, draw) for _ in range(DRAWS))
    assert chi_squared(counts, exact(p_of)) > 0.001
    assert chi_squared(counts, exact(q_of)) < 1e-9  # and not as the draft does


def test_a_wrong_rule_is_found_by_the_same_test():
    p_of, q_of = remembered(0, 1.0), remembered(1, 1.0)
    draw = torch.Generator().manual_seed(0)
    counts = Counter()
    for _ in range(DRAWS):
        made = speculate(p_of, q_of, START, 1, draw)
        token = made.tokens[0]
        if made.accepted == 0:  # replaced from p, and not from the residual
            token = int(torch.multinomial(made.p[0], 1, generator=draw))
        counts[(token,)] += 1
    assert chi_squared(counts, exact(p_of, 1)) < 1e-6


def test_acceptance_is_one_minus_half_the_distance_and_is_what_happens():
    torch.manual_seed(2)
    p, q = torch.rand(2, 6).double().softmax(-1)
    p = torch.tensor([0.5, 0.2, 0.1, 0.1, 0.05, 0.05], dtype=torch.float64)
    assert torch.isclose(acceptance(p, q), torch.minimum(p, q).sum())
    draw = torch.Generator().manual_seed(0)
    fixed = (lambda ids, n: p.expand(n, -1)), (lambda ids, n: q.expand(n, -1))
    hits = sum(speculate(*fixed, START, 1, draw).accepted for _ in range(5000))
    rate = float(acceptance(p, q))
    assert abs(hits / 5000 - rate) < 4 * (rate * (1 - rate) / 5000) ** 0.5
    assert torch.isclose(residual(p, q).sum(), torch.ones((), dtype=torch.float64))


def test_equal_models_accept_everything_and_write_one_token_more():
    p_of = remembered(0, 1.0)
    draw = torch.Generator().manual_seed(0)
    for k in (1, 3, 5):
        made = speculate(p_of, p_of, START, k, draw)
        assert made.accepted == k
        assert len(made.tokens) == k + 1
        assert made.tokens[:k] == made.drafted


@pytest.mark.parametrize("q", [[0.5, 0.5], [0.5, 0.5 + 1e-12]])
def test_the_residual_is_p_where_no_token_has_more_of_it(q):
    p, q = torch.tensor([[0.5, 0.5], q], dtype=torch.float64)
    assert torch.equal(residual(p, q), p)


def test_the_exercise_always_accepts_a_draft_of_an_equal_model():
    p, after_draft = np.array([0.5, 0.3, 0.2]), EXERCISES["after_draft"].build()
    found = [after_draft(p, p, x) for x in range(3)]
    assert np.array_equal(found, np.eye(3))


def test_nothing_is_written_after_the_end():
    p = torch.tensor([0.0, 1.0], dtype=torch.float64)
    surely = lambda ids, n: p.expand(n, -1)  # noqa: E731
    made = speculate(surely, surely, [0], 4, torch.Generator(), end=1)
    assert made.drafted == made.tokens == [1]

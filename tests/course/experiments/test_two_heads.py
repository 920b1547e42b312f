"""What one head cannot do, two do."""

from itertools import permutations

import pytest
import torch

from course.experiments.two_heads import run
from course.models.asker import Asker


@pytest.fixture(scope="module")
def results():
    return {n_heads: run(n_heads, steps=300, seed=1) for n_heads in (1, 2)}


def test_two_heads_answer_every_sentence(results):
    assert results[2].accuracy == 1.0


def test_one_head_cannot(results):
    one = results[1]
    assert one.accuracy < 0.8
    assert (one.who, one.whom) == (1.0, pytest.approx(0.2))  # one of five other names


def test_one_head_fails_on_one_of_six_for_every_three_names_whatever_its_weights():
    draw = torch.Generator().manual_seed(0)
    pairs = torch.tensor(list(permutations(range(3), 2)))  # (6, 2)
    scores = torch.randn(20_000, 2, 3, 3, generator=draw)  # of x in a value of y
    scores[:, 0] += 2 * torch.eye(3)  # who: near what is right
    own = torch.rand(20_000, 1, 1, 6, generator=draw)  # another weight per sentence
    z = own * scores[..., pairs[:, 0]] + (1 - own) * scores[..., pairs[:, 1]]
    right = (z.argmax(2) == pairs.T).all(1).sum(1)  # (20000,)
    assert 4 <= right.max() < 6


def test_the_number_of_parameters_is_the_same():
    sizes = {sum(p.numel() for p in Asker(H).parameters()) for H in (1, 2, 4)}
    assert len(sizes) == 1


def test_each_head_looks_with_weights_that_sum_to_one(results):
    for H, one in results.items():
        assert one.weights.shape == (H, 2)
        torch.testing.assert_close(one.weights.sum(-1), torch.ones(H))


def test_heads_that_do_not_divide_are_refused():
    with pytest.raises(ValueError, match="divide"):
        Asker(3)

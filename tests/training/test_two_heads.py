"""What one head cannot do, two do."""

import pytest
import torch

from transformer_lib.tasks.two_heads import NAMES, Asker, run


@pytest.fixture(scope="module")
def result():
    return run()


def test_two_heads_answer_every_sentence(result):
    assert result.accuracy[2] == 1.0
    assert result.answers[2] == (("Mia", "Tom"), ("Tom", "Mia"))


def test_one_head_cannot(result):
    assert result.accuracy[1] < 0.8


def test_one_head_fails_on_one_of_four_for_every_two_names_whatever_its_weights():
    for seed in range(20):
        torch.manual_seed(seed)
        model = Asker(1)
        ids = torch.cartesian_prod(*[torch.arange(len(NAMES))] * 2)
        right = (model(ids).argmax(-1) == ids).all(-1).view(len(NAMES), -1)
        for a in range(len(NAMES)):
            for b in range(a):
                assert not (right[a, a] & right[a, b] & right[b, a] & right[b, b])


def test_the_number_of_parameters_is_the_same():
    sizes = {sum(p.numel() for p in Asker(H).parameters()) for H in (1, 2, 4)}
    assert len(sizes) == 1


def test_each_head_looks_with_weights_that_sum_to_one(result):
    for H, weights in result.weights.items():
        assert weights.shape == (H, 2)
        torch.testing.assert_close(weights.sum(-1), torch.ones(H))


def test_heads_that_do_not_divide_are_refused():
    with pytest.raises(ValueError, match="divide"):
        Asker(3)

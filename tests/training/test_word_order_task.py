"""Where a word stands, told in four ways."""

import pytest
import torch

from transformer_lib.tasks.word_order import (
    UNASKED,
    Reader,
    run,
    sentences,
    two_to_the_left,
    who_comes_first,
)


def test_the_answers_are_what_the_question_asks():
    ids = torch.tensor([[5, 6, 7, 8]])
    assert two_to_the_left(ids).tolist() == [[UNASKED, UNASKED, 5, 6]]
    ids = torch.tensor([[1, 5, 0], [0, 5, 1]])
    assert who_comes_first(ids).tolist() == [
        [UNASKED, UNASKED, 1],
        [0, UNASKED, UNASKED],
    ]


def test_a_sentence_holds_ajish_and_mia_once():
    draw = torch.Generator().manual_seed(0)
    ids, answers = sentences("who comes first", (4, 12), draw)
    assert ((ids == 0).sum(1) == 1).all()
    assert ((ids == 1).sum(1) == 1).all()
    assert ((answers != UNASKED).sum(1) == 1).all()


@pytest.mark.parametrize("way", ["none", "number"])
def test_only_the_model_without_positions_is_blind_to_order(way):
    torch.manual_seed(0)
    model, ids = Reader(way, 2), torch.tensor([[2, 3, 4, 5]])
    there, back = model(ids), model(ids.flip(1)).flip(1)
    assert torch.allclose(there, back, atol=1e-5) == (way == "none")


def test_sinusoids_find_the_neighbour_and_one_more_number_does_not():
    result = run("two to the left", ways=("number", "sinusoidal"))
    number, waves = result.accuracy["number"], result.accuracy["sinusoidal"]
    assert waves[0] > 0.85 > 0.5 > number[0]
    assert waves[0] > waves[1] + 0.2 > waves[2]
    assert len(result.losses["number"]) == 400


def test_a_question_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="task"):
        run("rhymes")

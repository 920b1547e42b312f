"""Words that stand between the same words come near each other; no others do."""

import pytest
import torch

from course.data.side_by_side import SENTENCES, exchanged
from course.models import nearness
from course.models.nearness import train


@pytest.fixture(scope="module")
def written():
    return train()


@pytest.fixture(scope="module")
def swapped():
    return train(exchanged("AI", "mat"))


def test_words_with_the_same_neighbours_come_near(written):
    for pair in (("AI", "Engineer"), ("mat", "chair"), ("powerful", "weak")):
        before, after = written.distance(*pair)
        assert before > 0.5
        assert after < 0.3


def test_words_that_stand_side_by_side_do_not(written):
    for pair in (("I", "love"), ("sat", "on")):
        assert written.distance(*pair)[1] > 0.5


def test_without_the_reason_in_the_data_they_do_not(written, swapped):
    assert torch.equal(written.before, swapped.before)
    assert swapped.distance("AI", "Engineer")[1] > 0.6


def test_one_matrix_for_both_brings_neighbours_near_too():
    shared = train(shared=True)
    assert shared.distance("I", "love")[1] < 0.1


def test_an_unseen_words_row_stays_as_it_was_drawn(written):
    moved = (written.after - written.before).norm(dim=1)
    assert moved[written.vocabulary.unknown_id] == 0
    assert (moved[1:] > 0.1).all()


def test_a_word_that_is_new_trains_the_row_of_the_unknown():
    new = train([*SENTENCES, "the quantum works ."])
    assert (new.after - new.before)[new.vocabulary.unknown_id].norm() > 0.1


def test_the_same_seed_trains_the_same_rows_and_draws_nothing_else(written):
    state = torch.random.get_rng_state()
    assert torch.equal(train().after, written.after)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_cosine_distance_is_0_along_1_across_and_2_against():
    E = torch.tensor([[1.0, 0], [3, 0], [0, 2], [-1, 0]])
    assert nearness.cosine_distance(E)[0].tolist() == [0, 0, 1, 2]


def test_what_cannot_be_learned_is_refused():
    with pytest.raises(ValueError, match="two words in a row"):
        train(["AI"])
    with pytest.raises(ValueError, match=r"a must be one of .*'quantum'"):
        exchanged("quantum", "mat")

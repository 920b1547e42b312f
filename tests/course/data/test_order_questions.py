"""Two questions about the order of random words."""

import numpy as np
import pytest
import torch

from course.data import order_questions as questions
from course.data.order_questions import UNASKED


def test_the_answers_are_what_the_question_asks():
    ids = torch.tensor([[5, 6, 7, 8]])
    answers = questions.two_to_the_left(ids)
    assert answers.tolist() == [[UNASKED, UNASKED, 5, 6]]
    ids = torch.tensor([[1, 5, 0], [0, 5, 1]])
    assert questions.who_comes_first(ids).tolist() == [
        [UNASKED, UNASKED, 1],
        [0, UNASKED, UNASKED],
    ]


def test_a_sentence_holds_ajish_and_mia_once():
    draw = torch.Generator().manual_seed(0)
    ids, answers = questions.sentences("who comes first", 9, draw)
    assert ((ids == 0).sum(1) == 1).all()
    assert ((ids == 1).sum(1) == 1).all()
    assert ((answers != UNASKED).sum(1) == 1).all()


def test_a_question_belongs_to_the_last_place_that_it_is_about():
    ids = torch.tensor([[5, 0, 6, 1]])
    assert questions.last_places("who comes first", ids).tolist() == [[3] * 4]
    assert questions.last_places("two to the left", ids).tolist() == [[0, 1, 2, 3]]


def test_the_baselines_are_what_drawn_sentences_come_to():
    draw = torch.Generator().manual_seed(1)
    n = 12
    ids = torch.randint(12, (20_000, n - 1), generator=draw)  # the others of a sentence
    right = torch.nn.functional.one_hot(ids, 12).sum(1).amax(1) / (n - 1)
    counted, asked = questions._most_common(n, 1)
    assert counted[5] == pytest.approx(float(right.double().mean()), abs=0.002)
    assert asked.tolist() == [0, 0] + [1] * 10
    baseline = questions.baselines("two to the left")["ignoring order"]
    np.testing.assert_allclose(np.round(baseline, 2), [0.29, 0.21, 0.21, 0.16, 0.16])


def test_who_knows_its_own_place_alone_is_right_more_often_than_not():
    n, draw = 48, torch.Generator().manual_seed(1)
    ids, answers = questions.sentences("who comes first", n, draw, 20_000)
    ajish = (ids == 0).int().argmax(1)
    said = answers.amax(1) == (ajish >= n // 2).long()
    last = questions.last_places("who comes first", ids)[:, 0]
    shares = questions.baselines("who comes first")["own place alone"]
    for places, share in zip((last < 12, last >= 12), shares[3:], strict=True):
        assert float(said[places].double().mean()) == pytest.approx(share, abs=0.04)
    for n in (2, 7):  # sentences of every length count the same
        assert sum(questions._own_place(n, 1)[1]) == pytest.approx(1)

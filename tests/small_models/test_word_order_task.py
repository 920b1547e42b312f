"""Where a word stands, told in six ways."""

import numpy as np
import pytest
import torch

from transformer_lib.data import order_questions as questions
from transformer_lib.data.order_questions import RANGES, UNASKED
from transformer_lib.small_models import word_order
from transformer_lib.small_models.order_reader import WAYS, Reader


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


def test_the_floors_are_what_drawn_sentences_come_to():
    draw = torch.Generator().manual_seed(1)
    n = 12
    ids = torch.randint(12, (20_000, n - 1), generator=draw)  # the others of a sentence
    right = torch.nn.functional.one_hot(ids, 12).sum(1).amax(1) / (n - 1)
    counted, asked = questions._most_common(n, 1)
    assert counted[5] == pytest.approx(float(right.double().mean()), abs=0.002)
    assert asked.tolist() == [0, 0] + [1] * 10
    floor = questions.floors("two to the left")["ignoring order"]
    np.testing.assert_allclose(np.round(floor, 2), [0.29, 0.21, 0.21, 0.16, 0.16])


def test_who_knows_its_own_place_alone_is_right_more_often_than_not():
    n, draw = 48, torch.Generator().manual_seed(1)
    ids, answers = questions.sentences("who comes first", n, draw, 20_000)
    ajish = (ids == 0).int().argmax(1)
    said = answers.amax(1) == (ajish >= n // 2).long()
    last = questions.last_places("who comes first", ids)[:, 0]
    shares = questions.floors("who comes first")["own place alone"]
    for places, share in zip((last < 12, last >= 12), shares[3:], strict=True):
        assert float(said[places].double().mean()) == pytest.approx(share, abs=0.04)


@pytest.mark.parametrize("way", WAYS)
def test_only_the_model_without_positions_is_blind_to_order(way):
    torch.manual_seed(0)
    model, ids = Reader(way, 12, 48, 2), torch.tensor([[2, 3, 4, 5]])
    there, back = model(ids), model(ids.flip(1)).flip(1)
    assert torch.allclose(there, back, atol=1e-5) == (way == "none")


def test_the_ways_differ_in_nothing_but_what_stands_in_half_a_row():
    models = {way: Reader(way, 12, 48, 2) for way in WAYS}
    sizes = {
        way: {name: weight.shape for name, weight in model.named_parameters()}
        for way, model in models.items()
    }
    table = sizes.pop("learned")
    assert all(size == sizes["none"] for size in sizes.values())
    assert len(table) == len(sizes["none"]) + 1
    appended = [way for way in WAYS if models[way].appended.numel()]
    assert appended == ["number", "number rescaled", "waves appended"]
    assert {models[way].appended.shape for way in appended} == {(48, 16)}
    number = models["number rescaled"].appended[:, 0]
    assert number.mean().item() == pytest.approx(0, abs=1e-6)
    assert number.std(correction=0).item() == pytest.approx(1)


@pytest.mark.parametrize("task", word_order.TASKS)
def test_the_kept_results_are_those_of_the_kept_models(task):
    kept = word_order.load_results(task)
    assert set(kept.accuracy) == set(kept.losses) == set(WAYS)
    assert kept.floor == questions.floors(task)
    for way in ("number", "waves appended"):
        found = word_order.measure(word_order.load_reader(task, way), task, 900)
        error = np.sqrt(0.25 / np.array([900, 900, 300, 40, 700]))
        assert (abs(np.subtract(found, kept.accuracy[way])) < 4 * error).all()


def test_the_command_trains_as_it_did_when_the_results_were_kept():
    task = "two to the left"
    found = word_order.run(task, ways=("waves appended",), steps=20)
    losses = word_order.load_results(task).losses["waves appended"]
    np.testing.assert_allclose(found.losses["waves appended"], losses[:20], atol=0.01)
    assert len(losses) == word_order.STEPS


def test_the_command_writes_what_can_be_read(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(word_order, "WAYS", ("none", "learned"))
    monkeypatch.setattr(word_order, "TASKS", ("who comes first",))
    word_order.main(tmp_path, steps=2)
    assert "ignoring order" in capsys.readouterr().out
    kept = word_order.load_results("who comes first", tmp_path)
    assert [*kept.accuracy] == ["none", "learned"]
    assert len(kept.losses["none"]) == 2
    assert all(len(shares) == len(RANGES) for shares in kept.accuracy.values())
    assert not word_order.load_reader("who comes first", "none", tmp_path).training


def test_what_the_results_show():
    left = word_order.load_results("two to the left").accuracy
    first = word_order.load_results("who comes first").accuracy
    for way in ("waves appended", "waves added", "learned"):
        assert left[way][0] > 0.95
        assert left[way][0] > left[way][2] + 0.3 > 0.3
        assert first[way][0] > 0.95 > 0.77 > first[way][4]
    assert max(left["number"][0], left["number rescaled"][0]) < 0.4
    assert min(first["number"]) > 0.9


def test_a_question_that_is_not_known_is_refused():
    for call in (word_order.run, word_order.load_results):
        with pytest.raises(ValueError, match="task"):
            call("rhymes")
    with pytest.raises(ValueError, match="way"):
        word_order.load_reader("who comes first", "smoke")

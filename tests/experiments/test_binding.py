"""Whether a name is bound to its place."""

import pytest

from transformer_lib.data.whereabouts import Whereabouts
from transformer_lib.experiments import binding


def test_an_answer_may_be_read_and_yet_be_wrong(monkeypatch):
    task = Whereabouts(2)
    asked = task.new(4)
    words = [task.vocabulary.decode(row) for row in asked.source]
    right = [task.vocabulary.decode(row)[1] for row in asked.target]
    read = [[w for w in text if w in binding.PLACES] for text in words]
    [other] = {*read[1]} - {right[1]}
    absent = next(place for place in binding.PLACES if place not in read[2])
    said = [[right[0]], [other], [absent], [right[3], right[3]]]
    monkeypatch.setattr(binding, "write", lambda *_: said)
    found = binding.measure(None, task, asked)
    assert found == {"right": 0.25, "read": 0.5}


def test_the_command_keeps_what_each_training_came_to(tmp_path, capsys):
    binding.main(tmp_path, steps=2, seeds=(3,))
    kept = binding.load_results(tmp_path)
    assert [one["facts"] for one in kept] == list(binding.FACTS)
    assert capsys.readouterr().out.count("right") == len(kept)


def test_what_the_kept_results_show():
    kept = binding.load_results()
    for one in kept:
        assert one["read"] > 0.95
        if one["facts"] == 1:
            assert one["right"] > 0.99
    assert {one["facts"] for one in kept} == set(binding.FACTS)
    assert pytest.approx(1) == max(one["right"] for one in kept)

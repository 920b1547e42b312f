"""Baselines by counting: the most frequent answer, and neighbors."""

from collections import Counter

import pytest

from course.models.baselines import (
    count_by_key,
    majority_accuracy,
    most_frequent,
    neighbor_rules,
)


def test_the_most_frequent_value_of_each_key_is_found():
    pairs = [("a", 1), ("b", 2), ("a", 3), ("a", 3)]
    assert count_by_key(pairs) == {"a": Counter({3: 2, 1: 1}), "b": Counter({2: 1})}
    assert most_frequent(pairs) == {"a": 3, "b": 2}
    assert most_frequent([("a", 2), ("a", 1)]) == {"a": 2}  # tied: the first


def test_the_majority_is_right_as_often_as_its_answer_is_correct():
    assert majority_accuracy("aabc") == 0.5
    with pytest.raises(ValueError, match="answers must hold at least one, got none"):
        majority_accuracy([])


def test_rules_say_what_stood_there_most_often():
    said = neighbor_rules(
        [["a", "b", "c"], ["a", "b", "d"], ["x", "b", "c"], ["a", "e", "d"]]
    )
    assert said["one word"](["a", "?", "c"], 1) in ("a", "b")
    assert said["left word"](["a", "?", "d"], 1) == "b"
    assert said["both neighbors"](["a", "?", "c"], 1) == "b"
    assert said["both neighbors"](["?", "b"], 0) == "a"
    assert said["both neighbors"](["x", "?", "d"], 1) == ""

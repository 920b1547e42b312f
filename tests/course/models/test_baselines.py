"""Baselines by counting: the most frequent answer, neighbors, and n-grams."""

from collections import Counter
from math import log2

import pytest

from course.models.baselines import (
    KneserNey,
    NGrams,
    count_by_key,
    majority_accuracy,
    most_frequent,
    neighbor_rules,
)

TEXT = "abracadabra and a barracuda"


@pytest.mark.parametrize("table", [NGrams, KneserNey])
@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("before", ["", "a", "br", "zz", "abra", "a barracud"])
def test_the_probabilities_of_all_characters_sum_to_1(table, n, before):
    grams = table(TEXT, n, 128)
    p = [grams.probability(chr(i), before) for i in range(128)]
    assert sum(p) == pytest.approx(1)
    assert min(p) > 0


def test_a_probability_is_what_the_formula_says():
    """In "aab": behind "a" came a and b, once each; in all there are a a b."""
    grams = NGrams("aab", 2, 4)
    alone = (1 + 2 / 4) / (3 + 2)  # b: once of three, two kinds
    assert grams.probability("b", "") == pytest.approx(alone)
    assert grams.probability("b", "xa") == pytest.approx((1 + 2 * alone) / (2 + 2))
    assert grams.probability("b", "ab") == pytest.approx(alone)  # nothing followed b


def test_a_shorter_run_is_counted_by_what_stood_before_it():
    """In "xaxaxayb": b stood behind y alone, as a behind x; a came three times."""
    grams = KneserNey("xaxaxayb", 2, 4)
    kinds = {c: grams.probability(c, "") for c in "axyb"}
    assert kinds["a"] == kinds["b"] == pytest.approx((1 - 0.75 + 0.75 * 4 / 4) / 4)
    assert grams.probability("a", "x") == pytest.approx(
        (3 - 0.75 + 0.75 * kinds["a"]) / 3
    )
    assert NGrams("xaxaxayb", 2, 4).probability("a", "") > kinds["a"]


def test_only_the_last_characters_count():
    grams = NGrams(TEXT, 3, 128)
    assert grams.probability("a", "xyzbr") == grams.probability("a", "br")
    assert grams.probability("a", "cbr") != NGrams(TEXT, 2, 128).probability("a", "cbr")


def test_bits_are_the_mean_over_all_characters_but_the_first():
    grams = NGrams(TEXT, 3, 128)
    costs = [-log2(grams.probability(c, "adab"[:i])) for i, c in enumerate("adab") if i]
    assert grams.bits("adab") == pytest.approx(sum(costs) / 3)


def test_a_text_without_a_pattern_costs_what_its_characters_do():
    assert NGrams("ab" * 500, 1, 2).bits("ba" * 50) == pytest.approx(1, abs=0.01)
    assert NGrams("ab" * 500, 2, 2).bits("ba" * 50) < 0.02


@pytest.mark.parametrize(("n", "size"), [(0, 5), (2, 0)])
def test_a_size_below_1_is_refused(n, size):
    with pytest.raises(ValueError, match="must be at least 1, got 0"):
        NGrams(TEXT, n, size)


@pytest.mark.parametrize("text", ["", "a"])
def test_a_text_of_one_character_has_no_bits(text):
    with pytest.raises(ValueError, match=r"^text must hold two characters or m"):
        NGrams(TEXT, 2, 5).bits(text)


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

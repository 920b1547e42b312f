"""Bits per character of n-grams: what is asked, and how it is counted."""

from math import log2

import pytest

from course.data.dictionary import Entry
from course.experiments import n_grams
from course.models.sorted_grams import RULES, SortedGrams

ENTRIES = [
    Entry(("owl", "night owl"), "noun", "animal", "a bird of the night"),
    Entry(("bird",), "noun", "animal", "an animal that flies"),
]


def test_a_line_is_a_word_and_a_definition():
    assert n_grams.lines(ENTRIES) == [
        "owl: a bird of the night",
        "bird: an animal that flies",
    ]
    assert n_grams.lines(ENTRIES, 2)[1] == "night owl: a bird of the night"
    assert len(n_grams.lines(ENTRIES, 3)) == 3


@pytest.mark.parametrize("rule", RULES)
def test_the_definition_and_its_end_are_asked_and_the_word_is_not(rule):
    grams = SortedGrams(n_grams.lines(ENTRIES[:1]), 4)
    came = n_grams.bits(grams, rule, ENTRIES)
    costs = []
    for word, definition in (("owl", ENTRIES[0][3]), ("bird", ENTRIES[1][3])):
        p = grams.probabilities([f"{word}: {definition}"], rule)[-1]
        costs += [-log2(x) for x in p[len(word) + 2 :]]
        assert len(p) == len(word) + 2 + len(definition) + 1
    assert len(came) == 4
    assert came[-1] == pytest.approx(sum(costs) / len(costs))


def test_what_the_kept_results_show():
    """Modified Kneser–Ney is the best rule, and longer contexts still help it."""
    kept = {(one["rule"], one["words"]): one for one in n_grams.EXPERIMENT.results()}
    for words in (1, n_grams.WORDS):
        by_rule = {rule: kept[rule, words]["bits"] for rule in RULES}
        best = [*by_rule[RULES[2]].values()]
        assert best == sorted(best, reverse=True)
        for n in range(7, n_grams.LONGEST + 1):
            assert by_rule[RULES[2]][str(n)] < by_rule[RULES[1]][str(n)]
            assert by_rule[RULES[1]][str(n)] < by_rule[RULES[0]][str(n)]
    assert 1.4 < kept[RULES[2], 1]["bits"]["9"] < kept[RULES[2], 3]["bits"]["9"]

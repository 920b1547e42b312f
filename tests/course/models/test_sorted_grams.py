"""N-grams in sorted arrays: the same numbers as their formulas give, run by run."""

from collections import Counter
from math import log2

import numpy as np
import pytest

from course.data.dictionary import sample
from course.models.sorted_grams import (
    CHARACTERS,
    END,
    RULES,
    START,
    SortedGrams,
    Table,
)

TEXTS = ["abracadabra and a barracuda", "a bar", "", "cadabra"]
KEYBOARD = [END, *map(chr, range(32, 127))]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("before", ["", "a", "br", "zz", "abra", "a barracud"])
def test_the_probabilities_of_all_characters_sum_to_1(rule, n, before):
    grams = SortedGrams(TEXTS, n)
    asked = len(before)
    p = [grams.probabilities([before + c], rule)[:, asked] for c in KEYBOARD]
    assert np.sum(p, 0) == pytest.approx(1)
    assert np.min(p) > 0


def slowly(texts, new, n, rule):
    """What the formulas say, run by run."""
    padded = [START * (n - 1) + text + END for text in texts]
    first = n - 1
    runs = {
        k: Counter(t[i - k + 1 : i + 1] for t in padded for i in range(first, len(t)))
        for k in range(1, n + 1)
    }
    for k in range(1, n if rule != "Witten–Bell" else 0):
        runs[k] = Counter(run[1:] for run in runs[k + 1])

    def discounts(k):
        times = Counter(runs[k].values())
        if rule == "Kneser–Ney" or not all(times[i] for i in (1, 2, 3, 4)):
            return [0, 0.75, 0.75, 0.75]
        Y = times[1] / (times[1] + 2 * times[2])
        found = [i - (i + 1) * Y * times[i + 1] / times[i] for i in (1, 2, 3)]
        fits = all(0 < d < i for i, d in enumerate(found, 1))
        return [0, *(found if fits else [0.75] * 3)]

    D = {k: discounts(k) for k in runs}

    def p(c, h):
        k = len(h) + 1
        shorter = p(c, h[1:]) if h else 1 / CHARACTERS
        behind = [x for run, x in runs[k].items() if run[:-1] == h]
        if not behind:
            return shorter
        count = runs[k][h + c]
        if rule == "Witten–Bell":
            return (count + len(behind) * shorter) / (sum(behind) + len(behind))
        moved = sum(D[k][min(x, 3)] for x in behind)
        return (count - D[k][min(count, 3)] + moved * shorter) / sum(behind)

    line = START * (n - 1) + new + END
    return [p(line[i], line[i - n + 1 : i]) for i in range(n - 1, len(line))]


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_is_what_its_formula_says(rule):
    texts = [e.definition for e in sample().learned[:20]]
    new = "a bird of the family of it"
    came = SortedGrams(texts, 4).probabilities([new], rule)
    for n, row in enumerate(came.tolist(), 1):
        assert row == pytest.approx(slowly(texts, new, n, rule))
    if rule == "modified Kneser–Ney":  # some discounts are its own
        other = slowly(texts, new, 4, "Kneser–Ney")
        assert came[-1].tolist() != pytest.approx(other, rel=0.01)


def test_discounts_follow_from_how_many_runs_were_counted_how_often():
    counts = np.repeat([1, 2, 3, 4, 9], [10, 5, 2, 1, 3])
    table = Table(np.arange(len(counts)), counts)
    Y = 10 / 20
    assert table.discounts == pytest.approx(
        [1 - 2 * Y * 5 / 10, 2 - 3 * Y * 2 / 5, 3 - 4 * Y * 1 / 2]
    )
    few = Table(np.arange(3), np.array([1, 1, 2]))
    assert few.discounts.tolist() == [0.75] * 3


def test_each_text_stands_for_itself():
    grams = SortedGrams(["ab", "cd"], 3)
    one, both = (grams.probabilities(x, RULES[2]) for x in (["xy"], ["ab", "xy"]))
    assert both[:, 3:].tolist() == one.tolist()


def test_a_pattern_is_learned():
    p = SortedGrams(["ab" * 50], 3).probabilities(["ab" * 20], RULES[2])[-1]
    assert np.mean([-log2(x) for x in p[2:-1]]) < 0.1


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: SortedGrams(["ab"], 0), "n must be at least 1, got 0"),
        (lambda: SortedGrams(["ab"], 10), "n must be at most 9, got 10"),
        (lambda: SortedGrams(["café"], 3), "texts must hold characters of an English"),
        (
            lambda: SortedGrams(["a"], 2).probabilities(["a"], "Laplace"),
            "rule must be one of .*, got 'Laplace'",
        ),
    ],
)
def test_what_cannot_be_counted_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()

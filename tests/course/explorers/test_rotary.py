"""Rotary positions: the score follows the distance, and nothing else of positions."""

import numpy as np
import pytest

from course import explorers
from course.explorers.positions.rotary import SHIFTS
from transformer_lib.oracles import numpy_reference as reference


def score(lab):
    return float(lab.values["score"][0, 0])


@pytest.mark.parametrize("pairs", ["neighbors", "halves"])
def test_moving_both_leaves_the_score_and_moving_one_does_not(pairs):
    lab = explorers.rotary(p=5, r=2, pairs=pairs)
    before = score(lab)
    for shift in SHIFTS:
        lab.controls["both"].value = shift
        assert score(lab) == pytest.approx(before, abs=1e-9)
    lab.controls["p"].value = 6
    assert abs(score(lab) - before) > 0.01


@pytest.mark.parametrize("pairs", ["neighbors", "halves"])
def test_the_curve_and_the_score_are_those_of_the_reference(pairs):
    q, k = np.random.default_rng(1).normal(size=(2, 8)).round(2)
    lab = explorers.rotary(q, k, p=7, r=3, base=1000, pairs=pairs)
    lab.controls["both"].value = 20
    at = [27], [23], 20 + np.arange(32)
    [[Q]] = reference.rotary([[q]], at[0], 1000.0, pairs)
    [[K]] = reference.rotary([[k]], at[1], 1000.0, pairs)
    [every] = reference.rotary([[k] * 32], at[2], 1000.0, pairs)
    assert score(lab) == pytest.approx(Q @ K / np.sqrt(8))
    np.testing.assert_allclose(lab.values["scores"][:, 0], every @ Q / np.sqrt(8))


def test_the_two_pairings_turn_other_features():
    lab = explorers.rotary()
    before = lab.values["R_q"]
    lab.controls["pairs"].value = "halves"
    assert (before[0] != 0).nonzero()[0].tolist() == [0, 1]
    assert (lab.values["R_q"][0] != 0).nonzero()[0].tolist() == [0, 3]
    clocks = [d for d in lab.drawings if d.name.startswith("pair")]
    assert clocks[0].axes == ("feature 0", "feature 3")
    assert clocks[0].marks == [(0, "")]  # the key's position is where it begins


@pytest.mark.parametrize(
    ("query", "key", "wish"),
    [
        ([1.0, 2, 3], [1.0, 2, 3], "query must be an even number"),
        ([1.0] * 18, [1.0] * 18, "query must be an even number of numbers, 16 at most"),
        ([1.0, 2], [1.0, 2, 3, 4], "key must be 2 numbers, as the query"),
    ],
)
def test_vectors_that_cannot_be_turned_are_refused(query, key, wish):
    with pytest.raises(ValueError, match=wish):
        explorers.rotary(query, key)


def test_the_arc_between_two_arrows_meets_both_halfway_along_the_shorter():
    lab = explorers.rotary()
    for pair in ("pair0", "pair1", "pair2"):
        ends, arc = lab.values[f"{pair}.arrows"], lab.values[f"{pair}.arc"]
        half = np.hypot(*ends.T).min() / 2
        np.testing.assert_allclose(np.hypot(*arc.T), half)

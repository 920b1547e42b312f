"""Sentences that say which words stand side by side."""

from collections import Counter

import torch

from course.data.side_by_side import SENTENCES, exchanged, neighbors


def test_an_exchange_changes_places_and_no_counts():
    other = exchanged("AI", "mat")
    counts = (Counter(" ".join(s).split()) for s in (SENTENCES, other))
    assert next(counts) == next(counts)
    assert exchanged("AI", "mat", other) == list(SENTENCES)
    assert other[0] == "the mat works ."
    (counts, beside), (others, there) = neighbors(["AI"]), neighbors(["mat"], other)
    assert torch.equal(counts, others)
    assert beside == there


def test_neighbours_are_counted_on_both_sides():
    counts, beside = neighbors(["love", "I"], ["I love AI .", "I love a mat ."])
    assert beside == ["AI", "I", "love", "a"]
    assert counts.tolist() == [[1, 2, 0, 1], [0, 0, 2, 0]]

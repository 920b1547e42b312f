"""Exercises of notebook 05: answers that are nearly right."""

import numpy as np
import pytest

from course import exercises


def test_a_softmax_that_subtracts_the_mean_of_a_row_is_named():
    def my_softmax(scores):
        e = np.exp(scores - scores.mean(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    found = exercises.check(my_softmax)
    assert found.kind == "mistake"
    assert "You subtracted an average" in found.text


@pytest.mark.parametrize("bound", [500, 700, 709])
def test_clipped_scores_are_named_whatever_the_bound(bound):
    def my_softmax(scores):
        e = np.exp(np.clip(scores, -bound, bound))
        return e / e.sum(axis=1, keepdims=True)

    found = exercises.check(my_softmax)
    assert found.kind == "mistake"
    assert "You clipped the scores" in found.text


def test_swapped_queries_and_keys_are_named():
    def my_attention(Q, K, V):
        return exercises.EXERCISES["attention"].build()(K, Q, V)

    found = exercises.check(my_attention)
    assert found.kind == "mistake"
    assert "Queries and keys are swapped" in found.text


def test_division_after_the_softmax_is_named():
    def my_attention(Q, K, V):
        scores = Q @ K.T
        e = np.exp(scores)
        return (e / e.sum(axis=1, keepdims=True)) @ V / np.sqrt(K.shape[1])

    found = exercises.check(my_attention)
    assert found.kind == "mistake"
    assert "You divided after the softmax" in found.text


def test_sums_of_rows_that_lost_their_axis_are_named():
    def my_attention(Q, K, V):
        e = np.exp(Q @ K.T / np.sqrt(K.shape[1]))
        return (e / e.sum(axis=1)) @ V

    found = exercises.check(my_attention)
    assert found.kind == "mistake"
    assert "keepdims=True" in found.text


def test_the_root_of_the_example_is_named():
    def my_attention(Q, K, V):
        e = np.exp(Q @ K.T / np.sqrt(2))
        return (e / e.sum(axis=1, keepdims=True)) @ V

    found = exercises.check(my_attention)
    assert found.kind == "mistake"
    assert "You divided by √2" in found.text

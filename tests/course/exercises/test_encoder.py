"""Exercises of notebook 09: the mistakes, written in another way than ours."""

import numpy as np
import pytest

from course import exercises


def norm(x, axis=1):
    from_mean = x - x.mean(axis, keepdims=True)
    return from_mean / np.sqrt(x.var(axis, keepdims=True) + 1e-5)


def without_the_sign(layers):
    products = np.einsum("ktd,td->kt", layers, layers[0])
    lengths = np.sqrt((layers**2).sum(2))
    return abs(products) / lengths / lengths[0]


def one_norm_twice(x, attend, ffn, norm_1, norm_2):
    norms, y = (norm_1, norm_1), x
    for sublayer, norm_ in zip((attend, ffn), norms, strict=True):
        y = norm_(sublayer(y) + y)
    return y


def norms_before(x, attend, ffn, norm_1, norm_2):
    x = attend(norm_1(x)) + x
    return ffn(norm_2(x)) + x


def embedded(ids, E, P, factor):
    return np.array([factor * E[i] + P[t] for t, i in enumerate(ids)])


def smaller_rows(ids, E, P, W):
    x = embedded(ids, E, P, E.shape[1] ** -0.5)
    for k in range(len(W)):
        x = norm(x + x @ W[k])
    return x


def one_norm(ids, E, P, W):
    x = embedded(ids, E, P, E.shape[1] ** 0.5)
    for k in range(len(W)):
        x = x + x @ W[k]
    return norm(x)


def stack_over_words(ids, E, P, W):
    x = embedded(ids, E, P, E.shape[1] ** 0.5)
    for k in range(len(W)):
        x = norm(x + x @ W[k], axis=0)
    return x


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        ("cosine_to_input", without_the_sign, "The sign is lost"),
        ("encoder_block", one_norm_twice, "The first norm is used twice"),
        ("encoder_block", norms_before, "This is pre-norm"),
        ("encoder_only", smaller_rows, "The embeddings are divided by √D"),
        ("encoder_only", one_norm, "There is only one norm"),
        ("encoder_only", stack_over_words, "The norm runs over the words"),
    ],
)
def test_a_mistake_is_named_however_it_is_written(name, answer, said):
    found = exercises.check(name, answer)
    assert found.kind == "mistake"
    assert said in found.text


def test_a_difference_names_the_arrays_that_were_given_and_no_functions():
    found = exercises.check("encoder_block", lambda x, *parts: np.zeros_like(x))
    assert found.kind == "different"
    assert found.text.startswith("For x = [[1.0, 2.0, 6.0], [0.0, 4.0, 2.0]]: entry")

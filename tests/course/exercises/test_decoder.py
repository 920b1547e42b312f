"""Exercises of notebook 10: answers right in an unusual way, and the mistakes."""

import numpy as np
import pytest
import torch

from course import exercises
from transformer_lib.model.attention import scaled_dot_product_attention
from transformer_lib.oracles import numpy_reference as reference


def norm(x):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)


def attend(q, memory, mask=None):
    return reference.scaled_dot_product_attention(q, memory, memory, mask)[0]


def rolled(says, start):
    reads = np.roll(says, 1, axis=1)
    reads[:, 0] = start
    return reads


def as_lists(says, start):
    return [[start, *row[:-1]] for row in says.tolist()]


def by_the_library(x, memory, W_Q, W_K, W_V):
    q, k, v = (torch.tensor(m) for m in (x @ W_Q, memory @ W_K, memory @ W_V))
    return scaled_dot_product_attention(q, k, v)[0]


def row_by_row(x, memory, W):
    rows = []
    back = [norm(x[[t]] + attend(x[[t]], x[: t + 1])) for t in range(len(x))]
    for row in back:
        over = norm(row + attend(row, memory))
        rows.append(norm(over + over @ W)[0])
    return np.array(rows)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("shift_right", rolled),
        ("shift_right", as_lists),
        ("cross_attention", by_the_library),
        ("decoder_block", row_by_row),
    ],
)
def test_a_right_answer_is_right_however_it_is_written(name, answer):
    assert exercises.check(name, answer).kind == "right"


def not_shifted(says, start):
    return says


def keys_from_the_decoder(x, memory, W_Q, W_K, W_V):
    return reference.scaled_dot_product_attention(x @ W_Q, x @ W_K, memory @ W_V)[0]


def the_memory_asks(x, memory, W_Q, W_K, W_V):
    return reference.scaled_dot_product_attention(memory @ W_Q, x @ W_K, x @ W_V)[0]


def a_causal_mask_over_the_source(x, memory, W_Q, W_K, W_V):
    look = np.tril(np.ones((len(x), len(memory)), dtype=bool))
    return reference.scaled_dot_product_attention(
        x @ W_Q, memory @ W_K, memory @ W_V, look
    )[0]


def the_mask_on_the_wrong_one(x, memory, W):
    x = norm(x + attend(x, x))
    look = np.tril(np.ones((len(x), len(memory)), dtype=bool))
    x = norm(x + attend(x, memory, look))
    return norm(x + x @ W)


def the_block_of_the_document(x, memory, W):
    x = norm(x + attend(x, x, reference.causal_mask(len(x))))
    x = norm(x + attend(x, x))
    return norm(x + x @ W)


def no_way_around_the_second(x, memory, W):
    x = norm(x + attend(x, x, reference.causal_mask(len(x))))
    x = norm(attend(x, memory))
    return norm(x + x @ W)


def asks(x, memory, W_Q, W_K, divisor):
    return np.einsum("td,sd->ts", x @ W_Q, memory @ W_K) / divisor


def shares(scores):
    powers = np.exp(scores)
    return powers / powers.sum(1, keepdims=True)


def no_softmax(x, memory, W_Q, W_K, W_V):
    return asks(x, memory, W_Q, W_K, W_K.shape[1] ** 0.5) @ (memory @ W_V)


def divided_by_the_size(x, memory, W_Q, W_K, W_V):
    return shares(asks(x, memory, W_Q, W_K, W_K.shape[1])) @ (memory @ W_V)


def divided_for_the_model(x, memory, W_Q, W_K, W_V):
    return shares(asks(x, memory, W_Q, W_K, len(W_K) ** 0.5)) @ (memory @ W_V)


def values_by_the_keys(x, memory, W_Q, W_K, W_V):
    return shares(asks(x, memory, W_Q, W_K, W_K.shape[1] ** 0.5)) @ (memory @ W_K)


def back(x):
    return attend(x, x, np.tri(len(x)) > 0)


def pre_norm(x, memory, W):
    x = x + back(norm(x))
    x = x + attend(norm(x), memory)
    return x + norm(x) @ W


def first_norm_missing(x, memory, W):
    x = x + back(x)
    x = norm(x + attend(x, memory))
    return norm(x + x @ W)


def no_way_around_the_last(x, memory, W):
    x = norm(x + back(x))
    return norm(norm(x + attend(x, memory)) @ W)


def side_by_side(x, memory, W):
    x = norm(x + back(x))
    return norm(x + (attend(x, memory) + x @ W))


def all_side_by_side(x, memory, W):
    return norm(sum([x, back(x), attend(x, memory), x @ W]))


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        ("shift_right", not_shifted, "Nothing is shifted"),
        ("cross_attention", keys_from_the_decoder, "The keys come from the decoder"),
        ("cross_attention", the_memory_asks, "The memory asks, and"),
        ("cross_attention", a_causal_mask_over_the_source, "under a causal mask"),
        ("decoder_block", the_mask_on_the_wrong_one, "The mask is on the wrong"),
        ("decoder_block", the_block_of_the_document, "looks at the written words once"),
        ("decoder_block", no_way_around_the_second, "has no way around it"),
        ("cross_attention", no_softmax, "There is no softmax"),
        ("cross_attention", divided_by_the_size, "divided by the size of a key"),
        ("cross_attention", divided_for_the_model, "the root of the model's size"),
        ("cross_attention", values_by_the_keys, "made by the keys' matrix"),
        ("decoder_block", pre_norm, "This is pre-norm"),
        ("decoder_block", first_norm_missing, "The norm after the first sub-layer"),
        ("decoder_block", no_way_around_the_last, "The feed-forward layer has no way"),
        ("decoder_block", side_by_side, "layer stand side by side"),
        ("decoder_block", all_side_by_side, "All three sub-layers read the input"),
    ],
)
def test_a_mistake_is_named_however_it_is_written(name, answer, said):
    found = exercises.check(name, answer)
    assert found.kind == "mistake"
    assert said in found.text

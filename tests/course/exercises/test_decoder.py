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


def rolled(targets, start_id):
    inputs = np.roll(targets, 1, axis=1)
    inputs[:, 0] = start_id
    return inputs


def as_lists(targets, start_id):
    return [[start_id, *row[:-1]] for row in targets.tolist()]


def by_the_library(x, memory, W_Q, W_K, W_V):
    q, k, v = (torch.tensor(m) for m in (x @ W_Q, memory @ W_K, memory @ W_V))
    return scaled_dot_product_attention(q, k, v)[0]


def row_by_row(x, memory, mask, memory_mask, W):
    rows = []
    for t, row in enumerate(x):
        row = norm(row[None] + attend(row[None], x[mask[t]]))
        row = norm(row + attend(row, memory[memory_mask]))
        rows.append(norm(row + row @ W)[0])
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


def not_shifted(targets, start_id):
    return targets


def keys_from_the_decoder(x, memory, W_Q, W_K, W_V):
    return reference.scaled_dot_product_attention(x @ W_Q, x @ W_K, memory @ W_V)[0]


def the_memory_asks(x, memory, W_Q, W_K, W_V):
    return reference.scaled_dot_product_attention(memory @ W_Q, x @ W_K, x @ W_V)[0]


def a_causal_mask_over_the_source(x, memory, W_Q, W_K, W_V):
    look = np.tril(np.ones((len(x), len(memory)), dtype=bool))
    return reference.scaled_dot_product_attention(
        x @ W_Q, memory @ W_K, memory @ W_V, look
    )[0]


def the_masks_swapped(x, memory, mask, memory_mask, W):
    x = norm(x + attend(x, x, memory_mask))
    x = norm(x + attend(x, memory, mask))
    return norm(x + x @ W)


def a_causal_mask_on_cross_attention(x, memory, mask, memory_mask, W):
    x = norm(x + attend(x, x, mask))
    x = norm(x + attend(x, memory, mask))
    return norm(x + x @ W)


def the_block_of_the_document(x, memory, mask, memory_mask, W):
    x = norm(x + attend(x, x, mask))
    x = norm(x + attend(x, x))
    return norm(x + x @ W)


def no_residual_around_the_second(x, memory, mask, memory_mask, W):
    x = norm(x + attend(x, x, mask))
    x = norm(attend(x, memory, memory_mask))
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


def pre_norm(x, memory, mask, memory_mask, W):
    x = x + attend(norm(x), norm(x), mask)
    x = x + attend(norm(x), memory, memory_mask)
    return x + norm(x) @ W


def the_norm_inside_the_sum(x, memory, mask, memory_mask, W):
    x = x + norm(attend(x, x, mask))
    x = x + norm(attend(x, memory, memory_mask))
    return x + norm(x @ W)


def first_norm_missing(x, memory, mask, memory_mask, W):
    x = x + attend(x, x, mask)
    x = norm(x + attend(x, memory, memory_mask))
    return norm(x + x @ W)


def no_residual_around_the_last(x, memory, mask, memory_mask, W):
    x = norm(x + attend(x, x, mask))
    return norm(norm(x + attend(x, memory, memory_mask)) @ W)


def side_by_side(x, memory, mask, memory_mask, W):
    x = norm(x + attend(x, x, mask))
    return norm(x + (attend(x, memory, memory_mask) + x @ W))


def all_side_by_side(x, memory, mask, memory_mask, W):
    return norm(sum([x, attend(x, x, mask), attend(x, memory, memory_mask), x @ W]))


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        ("shift_right", not_shifted, "Nothing is shifted"),
        ("cross_attention", keys_from_the_decoder, "The keys come from the decoder"),
        ("cross_attention", the_memory_asks, "the source asks, and the target answers"),
        ("cross_attention", a_causal_mask_over_the_source, "There is a causal mask"),
        ("decoder_block", the_masks_swapped, "The two masks are swapped"),
        ("decoder_block", a_causal_mask_on_cross_attention, "has the causal mask, so"),
        ("decoder_block", the_block_of_the_document, "attends to the target once more"),
        (
            "decoder_block",
            no_residual_around_the_second,
            "The second sub-layer has no res",
        ),
        ("cross_attention", no_softmax, "There is no softmax"),
        ("cross_attention", divided_by_the_size, "divided by the size of a key"),
        ("cross_attention", divided_for_the_model, "square root of the wrong size"),
        ("cross_attention", values_by_the_keys, "with the matrix of the keys"),
        ("decoder_block", pre_norm, "This is a pre-norm block"),
        ("decoder_block", the_norm_inside_the_sum, "before the residual is added"),
        ("decoder_block", first_norm_missing, "The norm after the first sub-"),
        ("decoder_block", no_residual_around_the_last, "network has no residual"),
        ("decoder_block", side_by_side, "feed-forward network run side by side"),
        ("decoder_block", all_side_by_side, "All three sub-layers run side by side"),
    ],
)
def test_a_mistake_is_named_however_it_is_written(name, answer, said):
    found = exercises.check(name, answer)
    assert found.kind == "mistake"
    assert said in found.text

"""Masks: what each hides, how they combine, and what they refuse."""

import numpy as np
import pytest
import torch

from transformer_lib.model.attention import scaled_dot_product_attention
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.oracles import numpy_reference as reference

IDS = torch.tensor([[5, 6, 0, 0], [7, 8, 9, 0], [4, 4, 4, 4]])
LENGTHS = torch.tensor([2, 3, 4])


def values(*shape):
    made = torch.Generator().manual_seed(3)
    return torch.randn(*shape, generator=made, dtype=torch.float64)


# ── causal ────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("length", [1, 2, 7])
def test_a_position_sees_itself_and_the_past_and_nothing_else(length):
    mask = causal_mask(length)
    assert mask.dtype == torch.bool
    assert (mask.numpy() == reference.causal_mask(length)).all()


def test_the_future_cannot_change_the_past():
    x, mask = values(6, 4), causal_mask(6)
    before, _ = scaled_dot_product_attention(x, x, x, mask)
    x[3:] = values(6, 4)[:3] * 100
    after, _ = scaled_dot_product_attention(x, x, x, mask)
    assert (after[:3] == before[:3]).all()
    assert (after[3:] != before[3:]).all()


def test_the_first_position_copies_its_own_value():
    x = values(5, 3)
    output, weights = scaled_dot_product_attention(x, x, x, causal_mask(5))
    assert weights[0].tolist() == [1, 0, 0, 0, 0]
    assert (output[0] == x[0]).all()


@pytest.mark.parametrize("length", [0, -1])
def test_a_causal_mask_needs_a_position(length):
    with pytest.raises(ValueError, match=f"^length must be at least 1, got {length}$"):
        causal_mask(length)


@pytest.mark.parametrize("length", [4.0, "4", None, True, torch.tensor(4)])
def test_a_causal_mask_needs_a_whole_number(length):
    with pytest.raises(TypeError, match=r"^length must be an integer, got "):
        causal_mask(length)


# ── padding ───────────────────────────────────────────────────────────────────
def test_ids_and_lengths_tell_the_same_padding():
    expected = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]).bool()
    from_ids, from_lengths = padding_mask(IDS, pad_id=0), padding_mask(LENGTHS)
    assert from_ids.shape == from_lengths.shape == (3, 1, 1, 4)
    assert (from_ids[:, 0, 0] == expected).all()
    assert (from_lengths == from_ids).all()


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int32])
def test_any_type_of_integer_serves(dtype):
    assert (padding_mask(LENGTHS.to(dtype)) == padding_mask(LENGTHS)).all()
    whole = padding_mask(IDS, pad_id=0)
    assert (padding_mask(IDS.to(dtype), pad_id=0) == whole).all()


def test_the_padded_length_may_be_longer_than_the_longest_sequence():
    mask = padding_mask(LENGTHS, length=6)
    assert mask.shape == (3, 1, 1, 6)
    assert mask.sum(-1).flatten().tolist() == LENGTHS.tolist()


def test_padding_is_hidden_from_every_query_of_every_head():
    q, k, v = values(3, 2, 5, 4), values(3, 2, 4, 4), values(3, 2, 4, 4)
    mask = padding_mask(IDS, pad_id=0)
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    assert ((weights == 0) == ~mask).all()
    hidden = ~mask[:, :, 0, :, None]
    changed = scaled_dot_product_attention(
        q, k.masked_fill(hidden, 50), v.masked_fill(hidden, -50), mask
    )
    assert (changed[0] == output).all()


def test_masks_combine_with_and():
    both = causal_mask(4) & padding_mask(LENGTHS)
    assert both.shape == (3, 1, 4, 4)
    for b, length in enumerate(LENGTHS.tolist()):
        for i in range(4):
            for j in range(4):
                assert both[b, 0, i, j] == (j <= i and j < length)


def test_a_sequence_of_padding_alone_may_look_nowhere():
    mask = padding_mask(torch.tensor([0, 2]))
    output, weights = scaled_dot_product_attention(*[values(2, 1, 2, 3)] * 3, mask)
    assert (weights[0] == 0).all()
    assert (output[0] == 0).all()
    assert torch.isfinite(output).all()


NO_INTEGERS = {
    "floats": (LENGTHS.float(), "torch.float32"),
    "booleans": (IDS.bool(), "torch.bool"),
    "complex numbers": (LENGTHS.to(torch.complex64), "torch.complex64"),
    "a list": ([2, 3], "list"),
    "a NumPy array": (np.array([2, 3]), "ndarray"),
}


@pytest.mark.parametrize("case", NO_INTEGERS)
def test_sequences_that_are_no_integer_tensor_are_refused(case):
    sequences, kind = NO_INTEGERS[case]
    with pytest.raises(TypeError, match=rf"^sequences must .*, got {kind}$"):
        padding_mask(sequences)


WRONG_VALUES = {
    "no batch": (torch.tensor(3), {}, r"^sequences .*got shape \(\)"),
    "three sizes": (IDS[None], {}, r"^sequences .*got shape \(1, 3, 4\)"),
    "ids, no pad_id": (IDS, {}, r"^pad_id .*\(3, 4\), got None"),
    "ids and length": (IDS, {"pad_id": 0, "length": 4}, "^length .*got 4"),
    "lengths and pad_id": (LENGTHS, {"pad_id": 0}, "^pad_id .*got 0"),
    "too long": (LENGTHS, {"length": 3}, r"between 0 and 3, got \[2, 3, 4\]"),
    "below zero": (LENGTHS - 3, {}, r"between 0 and 2147483647, got \[-1, 0, 1\]"),
    "all below zero": (LENGTHS - 9, {}, r"^sequences .* got \[-7, -6, -5\]"),
    "beyond any axis": (LENGTHS + 2**31 - 4, {}, r"^sequences .*, 2147483648\]"),
    "length below zero": (LENGTHS, {"length": -1}, "^length .*got -1"),
    "no id of the type": (IDS.to(torch.uint8), {"pad_id": 300}, "^pad_id .*got 300$"),
    "no id of any type": (IDS, {"pad_id": 2**70}, "^pad_id must lie .*got 11805916"),
}


@pytest.mark.parametrize("case", WRONG_VALUES)
def test_padding_that_makes_no_sense_is_refused(case):
    sequences, options, message = WRONG_VALUES[case]
    with pytest.raises(ValueError, match=message):
        padding_mask(sequences, **options)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int64])
def test_the_smallest_and_the_largest_number_of_a_type_may_be_padding(dtype):
    known = torch.iinfo(dtype)
    for pad_id in (known.min, known.max):
        ids = torch.tensor([[5, pad_id]], dtype=dtype)
        assert padding_mask(ids, pad_id=pad_id).flatten().tolist() == [True, False]
    for pad_id in (known.min - 1, known.max + 1):
        with pytest.raises(ValueError, match=f"^pad_id must lie .*got {pad_id}$"):
            padding_mask(ids, pad_id=pad_id)


@pytest.mark.parametrize("number", [4.0, "4", True])
def test_pad_id_and_length_are_whole_numbers(number):
    with pytest.raises(TypeError, match=r"^pad_id must be an integer, got "):
        padding_mask(IDS, pad_id=number)
    with pytest.raises(TypeError, match=r"^length must be an integer, got "):
        padding_mask(LENGTHS, length=number)


def test_no_sequences_make_a_mask_of_no_rows():
    none = torch.zeros(0, dtype=torch.long)
    assert padding_mask(none).shape == (0, 1, 1, 0)
    assert padding_mask(none, length=3).shape == (0, 1, 1, 3)


def test_sequences_without_a_token_make_a_mask_of_no_columns():
    assert padding_mask(torch.tensor([0, 0])).shape == (2, 1, 1, 0)
    assert padding_mask(torch.tensor([0]), length=0).shape == (1, 1, 1, 0)


def test_a_mask_lies_where_its_sequences_lie():
    lengths = torch.tensor([2, 3])
    with torch.device("meta"):  # where new tensors go that are not told a place
        mask = padding_mask(lengths)
    assert mask.device == lengths.device

"""Edges, devices, names and biases of the model that no other test guards."""

from dataclasses import replace

import pytest
import torch
from small import PAD, RAGGED, SMALL, build
from torch import nn

from transformer_lib import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    FeedForward,
    LayerNorm,
    MultiHeadAttention,
    PositionalEncoding,
    TokenEmbedding,
    Transformer,
    padding_mask,
    record,
)
from transformer_lib.model.layers import AddNorm

KINDS = [DecoderOnlyTransformer, Transformer, EncoderOnlyTransformer]


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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("watched", [False, True])
def test_a_model_reads_where_its_ids_lie(kind, watched):
    model, inputs = build(kind), [RAGGED] * (2 if kind is Transformer else 1)
    with torch.device("meta"):
        if watched:
            with record(model):
                output = model(*inputs)
        else:
            output = model(*inputs)
    assert output.device == RAGGED.device


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        (MultiHeadAttention(6, 3), "D = 6, 3 heads of 2"),
        (TokenEmbedding(5, 4), "5 → 4"),
        (PositionalEncoding(7, 4, "learned"), "learned, 7 → 4"),
        (LayerNorm(4, eps=1e-3), "D = 4, ε = 0.001"),
        (FeedForward(4, 8, activation="gelu"), "4 → 8 → 4, gelu"),
        (AddNorm(SMALL), "post-norm"),
        (AddNorm(replace(SMALL, norm_first=True)), "pre-norm"),
    ],
)
def test_a_part_prints_its_sizes(part, shown):
    assert part.extra_repr() == shown


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: build(Transformer)([3], RAGGED), "source"),
        (lambda: build(Transformer)(RAGGED, [3]), "target"),
        (lambda: build(EncoderOnlyTransformer)([3]), "ids"),
        (lambda: build(DecoderOnlyTransformer)([3]), "ids"),
    ],
)
def test_a_refusal_begins_with_the_name_of_the_argument(call, name):
    with pytest.raises(TypeError, match=f"^{name} must be a torch.Tensor, got list"):
        call()


@pytest.mark.parametrize(
    ("part", "sizes", "name"),
    [
        (PositionalEncoding, (0, 4), "max_length"),
        (PositionalEncoding, (4, 0), "d_model"),
        (FeedForward, (0, 4), "d_model"),
        (FeedForward, (4, 0), "d_ff"),
    ],
)
def test_a_refused_size_is_named(part, sizes, name):
    with pytest.raises(ValueError, match=f"^{name} must be at least 1, got 0$"):
        part(*sizes)


@pytest.mark.parametrize("bias", ["no", None, 1])
def test_a_bias_is_there_or_is_not(bias):
    for make in (FeedForward, MultiHeadAttention):
        with pytest.raises(
            TypeError, match=f"^bias must be True or False, got {bias!r}"
        ):
            make(4, 2, bias=bias)


@pytest.mark.parametrize(
    ("x", "error", "says"),
    [
        ([1.0], TypeError, "^x must be a torch.Tensor, got list"),
        (torch.ones(2, 5), ValueError, r"^x must have shape \(…, 4\), got \(2, 5\)"),
        (torch.ones(4).double(), TypeError, "^x must be of type torch.float32"),
    ],
)
def test_what_has_no_logits_is_refused(x, error, says):
    with pytest.raises(error, match=says):
        TokenEmbedding(3, 4).logits(x)


def test_a_stack_that_was_emptied_still_prints():
    model = build(EncoderOnlyTransformer)
    model.encoder.blocks = nn.ModuleList()
    assert "blocks: ModuleList · 0" in repr(model)


def test_two_batch_sizes_are_shown_as_they_are():
    attention, x = MultiHeadAttention(4, 2), torch.zeros(3, 5, 4)
    with pytest.raises(ValueError, match=r"one batch size, got 3 and 1$"):
        attention(x, x[:1])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bias", [True, False])
def test_every_part_has_a_bias_or_none_has(kind, bias):
    parts = dict(build(kind, bias=bias, final_norm=True).named_modules())
    for name, part in parts.items():
        if isinstance(part, nn.Linear):
            assert (part.bias is not None) == bias, name
        if isinstance(part, LayerNorm):
            assert (part.beta is not None) == bias, name


def test_the_logits_of_a_decoder_only_model_are_recorded_by_name():
    model = build(DecoderOnlyTransformer)
    with record(model) as tensors:
        output = model(RAGGED)
    assert tensors["logits"].equal(output)


def test_a_norm_has_a_shift_unless_told():
    assert LayerNorm(4).beta is not None
    assert LayerNorm(4, bias=False).beta is None


def test_a_mask_for_one_text_is_not_ambiguous():
    x, yes = torch.zeros(1, 1, 4), torch.ones(1, 1, dtype=torch.bool)
    assert MultiHeadAttention(4, 1)(x, x, yes).shape == x.shape
    assert MultiHeadAttention(4, 1)(x, x, yes[None]).shape == x.shape


def test_a_causal_mask_on_another_lies_where_the_queries_lie():
    model, mask = build(DecoderOnlyTransformer), (RAGGED != PAD)[:, None, None]
    with torch.device("meta"):
        assert model(RAGGED, mask).device == RAGGED.device

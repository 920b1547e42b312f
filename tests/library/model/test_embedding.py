"""Rows for tokens, and waves for positions."""

import copy
import math

import numpy as np
import pytest
import torch

from transformer_lib.model.embedding import (
    PositionalEncoding,
    TokenEmbedding,
    sinusoidal_encoding,
)
from transformer_lib.oracles import numpy_reference as reference
from transformer_lib.text.vocabulary import Vocabulary


def test_looking_up_is_multiplying_by_a_one_hot_row():
    embedding = TokenEmbedding(5, 6)
    ids = torch.tensor([3, 0, 3])
    rows = Vocabulary(list("abcde")).one_hot(ids) @ embedding.weight
    torch.testing.assert_close(embedding(ids), rows * math.sqrt(6))


def test_an_embedding_read_backwards_scores_each_token_by_its_row():
    embedding = TokenEmbedding(5, 6)
    x = torch.randn(2, 3, 6)
    torch.testing.assert_close(embedding.logits(x), x @ embedding.weight.T)


def test_an_embedding_starts_with_vectors_of_unit_variance():
    torch.manual_seed(0)
    embedding = TokenEmbedding(500, 64)
    assert embedding(torch.arange(500)).std().item() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(("length", "d_model"), [(1, 1), (7, 6), (5, 7), (50, 64)])
@pytest.mark.parametrize("base", [10_000.0, 100.0])
def test_the_waves_are_those_of_the_oracle(length, d_model, base):
    ours = sinusoidal_encoding(length, d_model, base, dtype=torch.float64)
    theirs = reference.sinusoidal_encoding(length, d_model, base)
    np.testing.assert_allclose(ours.numpy(), theirs, atol=1e-12)


@pytest.mark.parametrize("k", [1, 3, 10])
def test_moving_by_k_rotates_every_pair_by_an_angle_that_depends_on_k_alone(k):
    d_model = 8
    table = sinusoidal_encoding(40, d_model, dtype=torch.float64)
    sin, cos = table[:, 0::2], table[:, 1::2]
    angle = k / 10_000 ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    later = sin * angle.cos() + cos * angle.sin()
    torch.testing.assert_close(later[:-k], sin[k:], rtol=0, atol=1e-12)
    later = cos * angle.cos() - sin * angle.sin()
    torch.testing.assert_close(later[:-k], cos[k:], rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_the_waves_are_rounded_once_and_no_two_positions_collapse(dtype):
    exact = sinusoidal_encoding(512, 64, dtype=torch.float64)
    rounded = sinusoidal_encoding(512, 64, dtype=dtype)
    assert torch.equal(rounded, exact.to(dtype))
    assert rounded.unique(dim=0).size(0) == 512


def test_the_waves_have_torchs_default_type_unless_told():
    assert sinusoidal_encoding(2, 2).dtype == torch.get_default_dtype()


def test_a_positional_encoding_made_double_is_exact():
    waves = PositionalEncoding(30, 7).bfloat16().double()
    exact = sinusoidal_encoding(30, 7, dtype=torch.float64)
    assert torch.equal(waves(torch.arange(30)), exact)
    assert torch.equal(copy.deepcopy(waves).table, exact)


def test_positions_may_differ_from_row_to_row():
    waves = PositionalEncoding(9, 4)
    rows = waves(torch.tensor([[0, 1], [7, 8]]))
    assert torch.equal(rows, torch.stack([waves.table[0:2], waves.table[7:9]]))


@pytest.mark.parametrize(
    ("kind", "learned"), [("sinusoidal", 0), ("learned", 12), ("none", 0)]
)
def test_only_learned_positions_are_parameters(kind, learned):
    waves = PositionalEncoding(3, 4, kind)
    assert sum(p.numel() for p in waves.parameters()) == learned
    assert set(waves.state_dict()) == ({"table"} if learned else set())


def test_learned_positions_start_as_small_as_the_tokens_rows():
    torch.manual_seed(0)
    table = PositionalEncoding(500, 16, "learned").table
    assert table.std().item() == pytest.approx(0.25, rel=0.05)


def test_no_positions_are_zeros():
    assert not PositionalEncoding(3, 4, "none")(torch.arange(3)).any()


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: TokenEmbedding(0, 4), ValueError, "vocabulary_size must .* got 0"),
        (lambda: TokenEmbedding(4, 2.0), TypeError, "d_model must .* got 2.0"),
        (lambda: TokenEmbedding(4, True), TypeError, "d_model must .* got True"),
        (
            lambda: TokenEmbedding(4, 2)(torch.tensor([1.0])),
            TypeError,
            "ids must hold .* got torch.float32",
        ),
        (lambda: TokenEmbedding(4, 2)([1]), TypeError, "ids must be .* got list"),
        (
            lambda: TokenEmbedding(4, 2)(torch.tensor([1, 4])),
            IndexError,
            "ids must lie between 0 and 3, got 1 to 4",
        ),
        (
            lambda: TokenEmbedding(4, 2)(torch.tensor([-1])),
            IndexError,
            "between 0 and 3, got -1",
        ),
        (lambda: sinusoidal_encoding(-1, 4), ValueError, "length must .* got -1"),
        (lambda: sinusoidal_encoding(4, 0), ValueError, "d_model must .* got 0"),
        (lambda: sinusoidal_encoding(4, 4, 0.0), ValueError, "base must .* got 0"),
        (
            lambda: sinusoidal_encoding(4, 4, math.nan),
            ValueError,
            "base must be above 0 and finite, got nan",
        ),
        (lambda: sinusoidal_encoding(4, 4, "e"), TypeError, "base must .* got 'e'"),
        (lambda: PositionalEncoding(4, 4, "rope"), ValueError, "kind must .* 'rope'"),
        (
            lambda: PositionalEncoding(4, 4)(torch.tensor([1.0])),
            TypeError,
            "positions must hold .* got torch.float32",
        ),
        (
            lambda: PositionalEncoding(4, 4)(torch.tensor([4])),
            IndexError,
            "positions must lie between 0 and 3, got 4",
        ),
    ],
)
def test_what_names_no_row_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


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

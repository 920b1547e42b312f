"""What a configuration and a model refuse, and in which words."""

from dataclasses import replace

import pytest
import torch

from transformer_lib import (
    Decoder,
    DecoderOnlyTransformer,
    Encoder,
    EncoderBlock,
    EncoderOnlyTransformer,
    FeedForward,
    LayerNorm,
    MultiHeadAttention,
    PositionalEncoding,
    Sampling,
    Transformer,
    TransformerConfig,
    caching,
    sinusoidal_encoding,
)
from transformer_lib.checks import validation
from transformer_lib.generation.beam_search import beam_search
from transformer_lib.generation.prediction import Decoding
from transformer_lib.model.layers import AddNorm
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.transformer import DecoderOnlyStack

B, T, S, V = 3, 5, 6, 11
CONFIG = TransformerConfig(
    vocabulary_size=V, d_model=8, n_heads=2, d_ff=12, dropout=0.0, max_length=10
)
KINDS = [Transformer, EncoderOnlyTransformer, DecoderOnlyTransformer]


def model(kind):
    return kind(replace(CONFIG, n_encoder_layers=1, n_decoder_layers=1))


def ids(*size):
    return torch.arange(torch.Size(size).numel()).view(size) % V


def call(net, tokens):
    """Run any of the models on ids (B, T), as source and as target alike."""
    return net(tokens, tokens) if isinstance(net, Transformer) else net(tokens)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"vocabulary_size": 0}, ValueError, "vocabulary_size must .* got 0"),
        ({"d_model": -8}, ValueError, "d_model must .* got -8"),
        ({"d_model": 8.0}, TypeError, "d_model must be an integer, got 8.0"),
        ({"d_ff": 2**31}, ValueError, "d_ff must be at most 2147483647, got 2147"),
        ({"d_ff": 10**5000}, ValueError, "d_ff .* got a number of thousands of digits"),
        ({"n_heads": 3}, ValueError, "n_heads=3 and d_model=8"),
        ({"n_encoder_layers": 0}, ValueError, "n_encoder_layers must .* got 0"),
        ({"n_decoder_layers": True}, TypeError, "n_decoder_layers must .* got True"),
        ({"d_ff": "12"}, TypeError, "d_ff must .* got '12'"),
        ({"max_length": 0}, ValueError, "max_length must .* got 0"),
        ({"dropout": 1.1}, ValueError, "dropout must be at least 0 and at most 1, got"),
        ({"dropout": float("nan")}, ValueError, "dropout must .* got nan"),
        ({"dropout": None}, TypeError, "dropout must be a number, got None"),
        ({"positions": "alibi"}, ValueError, "positions must be one of .* 'alibi'"),
        ({"activation": "swish"}, ValueError, "activation must be one of .* 'swish'"),
        ({"norm_first": 1}, TypeError, "norm_first must be True or False, got 1"),
        ({"bias": "no"}, TypeError, "bias must be True or False, got 'no'"),
    ],
)
def test_a_config_that_means_nothing_is_refused(options, error, says):
    with pytest.raises(error, match=says):
        replace(CONFIG, **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("tokens", "error", "says"),
    [
        (ids(B, T).float(), TypeError, "must hold int64 or int32, got torch.float32"),
        (ids(B, T).bool(), TypeError, "got torch.bool"),
        (ids(B, T).tolist(), TypeError, "must be a torch.Tensor, got list"),
        (ids(T), ValueError, r"must have shape \(batch, length ≥ 1\), got \(5,\)"),
        (ids(B, 0), ValueError, r"got \(3, 0\)"),
        (ids(B, 11), ValueError, "max_length = 10, got 0 past and 11 new"),
        (ids(B, T) + V, IndexError, "^(ids|source) must lie between 0 and 10, got"),
        (ids(B, T) - V, IndexError, "^(ids|source) must lie between 0 and 10, got"),
    ],
)
def test_ids_that_no_vocabulary_holds_are_refused(kind, tokens, error, says):
    with pytest.raises(error, match=says):
        call(model(kind), tokens)


@pytest.mark.parametrize(
    ("use", "error", "says"),
    [
        (
            lambda net: net(ids(B, S), ids(B, T), torch.ones(B, S)),
            TypeError,
            "source_mask must be a boolean tensor.* got torch.float32",
        ),
        (
            lambda net: net(ids(B, S), ids(B, T), torch.ones(B, S).bool()),
            ValueError,
            r"source_mask must broadcast .*\(3, 1, 1, 6\), got \(3, 6\)",
        ),
        (
            lambda net: net(ids(B, S), ids(B, T), torch.ones(B, 1, 1, T).bool()),
            ValueError,
            r"source_mask .*\(3, 1, 1, 6\), got \(3, 1, 1, 5\)",
        ),
        (
            lambda net: net.encode(ids(B, 2), positions=[0, 1]),
            TypeError,
            "positions must be a torch.Tensor, got list",
        ),
        (
            lambda net: net.encode(ids(B, 2), positions=torch.tensor([0.0, 1.0])),
            TypeError,
            "positions must hold int64 or int32, got torch.float32",
        ),
        (
            lambda net: net(ids(B, S), ids(B, T), None, causal_mask(T + 1)),
            ValueError,
            r"mask must broadcast .* got \(6, 6\)",
        ),
        (
            lambda net: net(ids(B, S), ids(2, T)),
            ValueError,
            "query and memory must be of one batch size, got 2 and 3",
        ),
        (
            lambda net: net.decode(ids(B, T), torch.zeros(B, S, 4)),
            ValueError,
            r"memory must have shape .* got \(3, 6, 4\)",
        ),
        (
            lambda net: net.decode(ids(B, T), None),
            TypeError,
            "memory must be a torch.Tensor, got NoneType",
        ),
        (
            lambda net: net.encode(ids(B, 2), positions=torch.tensor([9, 10])),
            IndexError,
            "positions must lie between 0 and 9, got 9 to 10",
        ),
        (
            lambda net: net.encode(ids(B, 2), positions=torch.tensor([0, 1, 2])),
            ValueError,
            r"positions must have shape \(2,\) or \(3, 2\), got \(3,\)",
        ),
    ],
)
def test_what_the_full_model_cannot_read_is_refused(use, error, says):
    with pytest.raises(error, match=says):
        use(model(Transformer))


def test_a_full_table_of_positions_is_refused():
    net = model(DecoderOnlyTransformer)
    with caching(net):
        net(ids(B, 9))
        with pytest.raises(ValueError, match="max_length = 10, got 9 past and 2 new"):
            net(ids(B, 2))
        assert net(ids(B, 1)).shape == (B, 1, V)


@pytest.mark.parametrize(
    ("wrong", "error", "says"),
    [
        ((ids(2, 2), torch.ones(2, 1, 1, 2).bool()), ValueError, "mask must broadcast"),
        ((ids(2, 2), torch.ones(2, 1, 1, 4)), TypeError, "mask must be a boolean"),
        (
            (ids(1, 2),),
            ValueError,
            "^batch must hold 2 sequences, as the cache, got 1$",
        ),
        ((ids(2, 2) + V,), IndexError, "ids must lie between"),
    ],
)
def test_a_refused_call_leaves_the_cache_as_it_was(wrong, error, says):
    net, tokens = model(DecoderOnlyTransformer).eval(), ids(2, 4)
    with caching(net) as cache:
        net(tokens[:, :2])
        with pytest.raises(error, match=says):
            net(*wrong)
        assert cache.length == 2
        torch.testing.assert_close(net(tokens[:, 2:]), net_alone(net, tokens)[:, 2:])


def net_alone(net, tokens):
    """Read tokens by a net that remembers nothing of before."""
    with caching(net):
        return net(tokens)


@pytest.mark.parametrize("name", ["target_mask", "source_mask"])
def test_a_refused_decode_leaves_the_cache_as_it_was(name):
    net, bad = model(Transformer).eval(), torch.ones(2, 1, 1, 9, dtype=torch.bool)
    memory, x = net.encode(ids(2, 5)), torch.randn(2, 1, 8)
    with caching(net) as cache:
        with pytest.raises(ValueError, match=f"^{name} must broadcast"):
            net.decode(ids(2, 2), memory, **{name: bad})
        with pytest.raises(ValueError, match=r"^memory_mask must broadcast"):
            net.decoder.blocks[0](x, memory, None, bad)
        assert cache == {}


@pytest.mark.parametrize(
    ("act", "error", "says"),
    [
        (lambda: DecoderOnlyTransformer(64), TypeError, "config must .* got int"),
        (lambda: Decoder(None), TypeError, "config must .* got NoneType"),
        (lambda: DecoderOnlyStack(8), TypeError, "config must .* got int"),
        # Without a mask, its tokens would see the future in silence.
        (lambda: DecoderOnlyStack(CONFIG)(torch.ones(B, T, 8)), TypeError, "'mask'"),
        (lambda: AddNorm(8), TypeError, "config must .* got int"),
        (lambda: EncoderBlock(8), TypeError, "config must .* got int"),
        (lambda: Sampling().probabilities([1]), TypeError, "logits must .* got list"),
        (lambda: Sampling().probabilities(ids(3)), TypeError, "logits .* torch.int64"),
        (
            lambda: Sampling().probabilities(torch.tensor([torch.nan, 1.0])),
            ValueError,
            "logits must .* got nan",
        ),
        (lambda: sinusoidal_encoding(3, 4, dtype="x"), TypeError, "dtype must .* str"),
        (
            lambda: sinusoidal_encoding(3, 4, dtype=torch.int64),
            TypeError,
            "dtype must .* got torch.int64",
        ),
        (lambda: MultiHeadAttention(8, 2, bias="no"), TypeError, "bias must .* 'no'"),
        (lambda: LayerNorm(8, bias="x"), TypeError, "bias must .* 'x'"),
        (lambda: Sampling(temperature=10**400), ValueError, "temperature must be"),
        (lambda: sinusoidal_encoding(3, 4, 10**400), ValueError, "base must be"),
        (
            lambda: beam_search(
                model(DecoderOnlyTransformer),
                ids(2, 3),
                Decoding(max_length=6),
                2,
                length_penalty=1e6,
            ),
            ValueError,
            "length_penalty must be at least 0 and at most 10",
        ),
    ],
)
def test_what_is_of_the_wrong_type_or_too_large_is_named(act, error, says):
    with pytest.raises(error, match=says):
        act()


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: model(Transformer)([3], ids(2, 3)), "source"),
        (lambda: model(Transformer)(ids(2, 3), [3]), "target"),
        (lambda: model(EncoderOnlyTransformer)([3]), "ids"),
        (lambda: model(DecoderOnlyTransformer)([3]), "ids"),
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


@pytest.mark.parametrize("tie", [True, False])
def test_an_id_outside_the_vocabulary_is_named_as_its_argument_is(tie):
    net = Transformer(replace(CONFIG, tie_embeddings=tie))
    span = "must lie between 0 and 10, got 0 to 11"
    wrong = torch.tensor([[0, V]])
    with pytest.raises(IndexError, match=f"^source {span}$"):
        net(wrong, ids(1, 2))
    with pytest.raises(IndexError, match=f"^target {span}$"):
        net(ids(1, 2), wrong)
    with pytest.raises(IndexError, match=f"^ids {span}$"):
        model(DecoderOnlyTransformer)(wrong)


def test_an_option_of_any_length_is_refused_in_one_readable_line():
    with pytest.raises(
        ValueError, match=r"activation must be one of .*, got 'xxx"
    ) as said:
        TransformerConfig(activation="x" * 100_000)
    assert len(str(said.value)) < 160


@pytest.mark.parametrize(
    ("use", "checked"),
    [
        (lambda x: Encoder(CONFIG)(x), [Encoder]),
        (lambda x: Decoder(CONFIG)(x, x), [Decoder]),
        (lambda x: DecoderOnlyStack(CONFIG)(x, causal_mask(T)), [DecoderOnlyStack]),
        (lambda x: model(DecoderOnlyTransformer)(ids(B, T)), [DecoderOnlyTransformer]),
        (lambda x: model(Transformer)(ids(B, T), ids(B, T)), [Transformer] * 2),
    ],
)
def test_the_parts_of_a_model_do_not_repeat_its_checks(use, checked, monkeypatch):
    asked = []
    check = validation.check_tensors

    def counted(layer, given):
        asked.append(type(layer))
        check(layer, given)

    monkeypatch.setattr(validation, "check_tensors", counted)
    use(torch.zeros(B, T, 8))
    assert asked == checked


# ── where the numbers are ─────────────────────────────────────────────────────────────
META = torch.device("meta")


@pytest.mark.parametrize("kind", [EncoderOnlyTransformer, DecoderOnlyTransformer])
@pytest.mark.parametrize("name", ["ids", "mask", "positions"])
def test_what_lies_on_another_device_than_the_model_is_refused(kind, name):
    net = kind(CONFIG).eval()
    ids = torch.ones(2, 3, dtype=torch.int64)
    given = {"ids": ids, "mask": torch.ones(1, 1, 1, 3).bool(), "positions": ids[0]}
    given[name] = given[name].to(META)
    with pytest.raises(ValueError, match=f"^{name} must be on .*cpu, got meta$"):
        net(**given)


@pytest.mark.parametrize("name", ["source", "target", "source_mask", "target_mask"])
def test_sources_and_targets_on_another_device_are_refused(name):
    net = Transformer(CONFIG).eval()
    ids, mask = torch.ones(2, 3, dtype=torch.int64), torch.ones(1, 1, 1, 3).bool()
    given = {"source": ids, "target": ids, "source_mask": mask, "target_mask": mask}
    given[name] = given[name].to(META)
    with pytest.raises(ValueError, match=f"^{name} must be on .*cpu, got meta$"):
        net(**given)


@pytest.mark.parametrize("name", ["query", "memory", "mask"])
def test_vectors_on_another_device_are_refused(name):
    x = torch.randn(2, 3, 6)
    given = {"query": x, "memory": x + 1, "mask": torch.ones(3, 3).bool()}
    given[name] = given[name].to(META)
    with pytest.raises(ValueError, match=f"^{name} must be on .*cpu, got meta$"):
        MultiHeadAttention(6, 3)(**given)


def test_a_model_and_ids_on_the_meta_device_give_shapes():
    with META:
        net = DecoderOnlyTransformer(CONFIG).eval()
        logits = net(torch.ones(2, 3, dtype=torch.int64))
    assert logits.is_meta
    assert logits.shape == (2, 3, CONFIG.vocabulary_size)


def test_lengths_on_the_meta_device_give_no_mask():
    with pytest.raises(ValueError, match=r"^sequences must hold numbers, got"):
        padding_mask(torch.tensor([1, 2], device=META))

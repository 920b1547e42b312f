"""Our modules, filled with the weights of torch's own, do what torch's do."""

import pytest
import torch
from torch import nn

from transformer_lib import Transformer, TransformerConfig
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.layers import DecoderBlock, EncoderBlock
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.model.norms import LayerNorm
from transformer_lib.model.transformer import Decoder, Encoder
from transformer_lib.oracles.torch_twins import load_torch

D, H, D_FF, B, T, S = 8, 2, 12, 3, 4, 5
OPTIONS = [
    {"norm_first": first, "activation": activation, "bias": bias}
    for first in (False, True)
    for activation in ("relu", "gelu")
    for bias in (True, False)
]
CLOSE = [(torch.float64, 1e-10), (torch.float32, 1e-5)]
SIZES = {"d_model": D, "n_heads": H, "d_ff": D_FF, "dropout": 0.0}
DEPTH = {"n_encoder_layers": 2, "n_decoder_layers": 3}
LENGTHS = torch.tensor([5, 2, 3])
SOURCE = padding_mask(LENGTHS)  # (B, 1, 1, S), True may look
SOURCE_PADDING = ~SOURCE[:, 0, 0]  # (B, S), True is hidden
FUTURE = ~causal_mask(T)  # (T, T), True is hidden


def config(**options):
    return TransformerConfig(**SIZES, **DEPTH, **options)


def filled(ours, theirs, dtype=torch.float64):
    """Return both modules the same random weights, biases and norms included."""
    torch.manual_seed(0)
    for p in theirs.parameters():
        nn.init.normal_(p, mean=0.05, std=0.4)
    ours, theirs = ours.to(dtype), theirs.to(dtype)
    load_torch(ours, theirs)
    return ours, theirs


def inputs(dtype):
    torch.manual_seed(1)
    return [torch.randn(B, n, D, dtype=dtype, requires_grad=True) for n in (T, S)]


def same(ours, theirs, leaves, close):
    """Compare two outputs (B, T, D), and the gradients of a loss in both."""
    scale = max(1.0, theirs.abs().max().item())
    torch.testing.assert_close(ours, theirs, rtol=0, atol=close * scale)
    kwargs = {"retain_graph": True}
    mine, other = (
        torch.autograd.grad(y.sin().sum(), leaves, **kwargs) for y in (ours, theirs)
    )
    for a, b in zip(mine, other, strict=True):
        scale = max(1.0, b.abs().max().item())
        torch.testing.assert_close(a, b, rtol=0, atol=10 * close * scale)


def turned(x, batch_first):
    return x if batch_first else x.transpose(0, 1)


@pytest.mark.parametrize(("dtype", "close"), CLOSE)
@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("bias", [True, False])
def test_multi_head_attention_equals_torchs(bias, batch_first, dtype, close):
    twin = nn.MultiheadAttention(D, H, bias=bias, batch_first=batch_first)
    ours, theirs = filled(MultiHeadAttention(D, H, bias=bias), twin, dtype)
    x, memory = inputs(dtype)
    q, k = (turned(y, batch_first) for y in (x, memory))
    expected, _ = theirs(q, k, k, key_padding_mask=SOURCE_PADDING, need_weights=False)
    same(ours(x, memory, SOURCE), turned(expected, batch_first), [x, memory], close)


@pytest.mark.parametrize("bias", [True, False])
def test_the_norm_equals_torchs(bias):
    ours, theirs = filled(LayerNorm(D, bias=bias), nn.LayerNorm(D, bias=bias))
    x, _ = inputs(torch.float64)
    same(ours(x), theirs(x), [x], 1e-12)


@pytest.mark.parametrize(("dtype", "close"), CLOSE)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("batch_first", [True, False])
def test_the_blocks_equal_torchs_layers(options, batch_first, dtype, close):
    x, memory = inputs(dtype)
    kwargs = {"dropout": 0.0, "batch_first": batch_first, **options}
    twin = nn.TransformerEncoderLayer(D, H, D_FF, **kwargs)
    ours, theirs = filled(EncoderBlock(config(**options)), twin, dtype)
    y = theirs(turned(memory, batch_first), src_key_padding_mask=SOURCE_PADDING)
    same(ours(memory, SOURCE), turned(y, batch_first), [memory], close)
    twin = nn.TransformerDecoderLayer(D, H, D_FF, **kwargs)
    ours, theirs = filled(DecoderBlock(config(**options)), twin, dtype)
    y = theirs(
        turned(x, batch_first),
        turned(memory, batch_first),
        tgt_mask=FUTURE,
        memory_key_padding_mask=SOURCE_PADDING,
    )
    mine = ours(x, memory, ~FUTURE[None, None], SOURCE)
    same(mine, turned(y, batch_first), [x, memory], close)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("final_norm", [True, False])
def test_the_stacks_equal_torchs(options, final_norm):
    if options["norm_first"] and not final_norm:
        return  # ours always ends pre-norm in a norm: refused below
    x, memory = inputs(torch.float64)
    kwargs = {"dropout": 0.0, "batch_first": True, **options}
    norm = nn.LayerNorm(D, bias=options["bias"]) if final_norm else None
    layer = nn.TransformerEncoderLayer(D, H, D_FF, **kwargs)
    twin = nn.TransformerEncoder(layer, 2, norm)
    ours, theirs = filled(Encoder(config(final_norm=final_norm, **options)), twin)
    same(ours(memory), theirs(memory), [memory], 1e-10)
    layer = nn.TransformerDecoderLayer(D, H, D_FF, **kwargs)
    twin = nn.TransformerDecoder(layer, 3, norm)
    ours, theirs = filled(Decoder(config(final_norm=final_norm, **options)), twin)
    same(ours(x, memory), theirs(x, memory), [x, memory], 1e-10)
    mask = causal_mask(T)[None, None]
    expected = theirs(x, memory, tgt_mask=FUTURE)
    same(ours(x, memory, mask), expected, [x, memory], 1e-10)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize(("dtype", "close"), CLOSE)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("batch_first", [True, False])
def test_the_whole_model_equals_torchs(options, batch_first, dtype, close):
    twin = nn.Transformer(
        D, H, 2, 3, D_FF, dropout=0.0, batch_first=batch_first, **options
    )
    settings = config(final_norm=True, vocabulary_size=11, max_length=9, **options)
    ours, theirs = filled(Transformer(settings), twin, dtype)
    source, target = torch.randint(11, (B, S)), torch.randint(11, (B, T))
    x, y = (
        ours.embedding(ids) + ours.positions(torch.arange(ids.size(1)))
        for ids in (source, target)
    )
    hidden = theirs(
        turned(x, batch_first),
        turned(y, batch_first),
        tgt_mask=FUTURE,
        src_key_padding_mask=SOURCE_PADDING,
        memory_key_padding_mask=SOURCE_PADDING,
    )
    expected = turned(hidden, batch_first) @ ours.embedding.weight.T
    leaves = [ours.embedding.weight]
    same(ours(source, target, SOURCE), expected, leaves, close)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_weight_gradients_equal_torchs():
    settings = config(final_norm=True, vocabulary_size=11, max_length=9)
    twin = nn.Transformer(D, H, 2, 3, D_FF, dropout=0.0, batch_first=True)
    ours, theirs = filled(Transformer(settings), twin)
    x, memory = inputs(torch.float64)
    y = ours.decoder(x, ours.encoder(memory), ~FUTURE[None, None])
    y.sin().sum().backward()
    theirs(memory, x, tgt_mask=FUTURE).sin().sum().backward()
    for p in theirs.parameters():
        p.data = p.grad
    mine = Transformer(settings).double()
    load_torch(mine, theirs)
    for stack, other in ((ours.encoder, mine.encoder), (ours.decoder, mine.decoder)):
        for p, q in zip(stack.parameters(), other.parameters(), strict=True):
            torch.testing.assert_close(p.grad, q.data, rtol=0, atol=1e-9)


def encoder_layer(**options):
    return nn.TransformerEncoderLayer(D, H, **{"dim_feedforward": D_FF, **options})


def encoder(*args, **options):
    return nn.TransformerEncoder(*args, **options, enable_nested_tensor=False)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize(
    ("ours", "theirs", "error", "says"),
    [
        (LayerNorm(D), nn.Linear(D, D), TypeError, "got Linear for LayerNorm"),
        (EncoderBlock(config()), nn.LayerNorm(D), TypeError, "for EncoderBlock"),
        (LayerNorm(D), nn.LayerNorm(D + 1), ValueError, r"got \(9,\) for \(8,\)"),
        (LayerNorm(D), nn.LayerNorm((2, D)), ValueError, r"got \(2, 8\) for \(8,\)"),
        (LayerNorm(D), nn.LayerNorm(D, eps=1e-6), ValueError, "eps 1e-05"),
        (LayerNorm(D), nn.LayerNorm(D, bias=False), ValueError, "bias True"),
        (
            LayerNorm(D),
            nn.LayerNorm(D, elementwise_affine=False),
            ValueError,
            "elementwise_affine True",
        ),
        (
            MultiHeadAttention(D, H),
            nn.MultiheadAttention(D, 4),
            ValueError,
            "n_heads 2 like ours, got 4",
        ),
        (
            MultiHeadAttention(D, H),
            nn.MultiheadAttention(2 * D, H),
            ValueError,
            "d_model 8 like ours, got 16",
        ),
        (
            MultiHeadAttention(D, H),
            nn.MultiheadAttention(D, H, bias=False),
            ValueError,
            "bias True like ours, got False",
        ),
        (
            MultiHeadAttention(D, H),
            nn.MultiheadAttention(D, H, kdim=4),
            ValueError,
            "kdim 8 like ours, got 4",
        ),
        (
            MultiHeadAttention(D, H),
            nn.MultiheadAttention(D, H, vdim=4),
            ValueError,
            "vdim 8 like ours, got 4",
        ),
        (
            MultiHeadAttention(D, H),
            nn.MultiheadAttention(D, H, add_bias_kv=True),
            ValueError,
            "add_bias_kv False",
        ),
        (
            MultiHeadAttention(D, H),
            nn.MultiheadAttention(D, H, add_zero_attn=True),
            ValueError,
            "add_zero_attn False",
        ),
        (
            EncoderBlock(config()),
            encoder_layer(norm_first=True),
            ValueError,
            "norm_first False like ours, got True",
        ),
        (
            EncoderBlock(config()),
            encoder_layer(activation="gelu"),
            ValueError,
            "activation 'relu' like ours, got 'gelu'",
        ),
        (
            EncoderBlock(config(activation="gelu")),
            encoder_layer(activation=nn.GELU("tanh")),
            ValueError,
            "activation 'gelu' like ours, got 'gelu_tanh'",
        ),
        (
            EncoderBlock(config()),
            encoder_layer(activation=torch.tanh),
            ValueError,
            "activation 'relu' like ours, got .*tanh",
        ),
        (
            EncoderBlock(config()),
            encoder_layer(layer_norm_eps=1e-6),
            ValueError,
            "eps 1e-05 like ours, got 1e-06",
        ),
        (
            EncoderBlock(config()),
            encoder_layer(dim_feedforward=5),
            ValueError,
            r"got \(5, 8\) for \(12, 8\)",
        ),
        (
            Encoder(config()),
            encoder(encoder_layer(), 3),
            ValueError,
            "number of blocks 2 like ours, got 3",
        ),
        (
            Encoder(config()),
            encoder(encoder_layer(), 2, nn.LayerNorm(D)),
            ValueError,
            "final norm False like ours, got True",
        ),
        (
            Encoder(config(norm_first=True)),
            encoder(encoder_layer(norm_first=True), 2),
            ValueError,
            "final norm True like ours, got False",
        ),
    ],
)
def test_a_twin_that_does_not_fit_is_refused_and_nothing_is_copied(
    ours, theirs, error, says
):
    before = {name: w.clone() for name, w in ours.state_dict().items()}
    with pytest.raises(error, match=says):
        load_torch(ours, theirs)
    assert all(torch.equal(w, before[name]) for name, w in ours.state_dict().items())

"""Load the weights of torch's own modules into their twins among ours."""

from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..checks.validation import require
from ..model.attention import MultiHeadAttention
from ..model.layers import DecoderBlock, EncoderBlock
from ..model.norms import LayerNorm, Norm, RMSNorm
from ..model.transformer import Decoder, Encoder, Transformer

Pairs = Iterator[tuple[Tensor, Tensor]]


def load_torch(ours: nn.Module, theirs: nn.Module) -> None:
    """Copy the weights of a `torch.nn` module into its twin among ours.

    nn.MultiheadAttention → MultiHeadAttention, nn.LayerNorm → LayerNorm, nn.RMSNorm →
    RMSNorm, nn.TransformerEncoderLayer → EncoderBlock, nn.TransformerDecoderLayer →
    DecoderBlock, nn.TransformerEncoder → Encoder, nn.TransformerDecoder → Decoder,
    and nn.Transformer, which has no embeddings, → the stacks of a Transformer.

    `batch_first` says how theirs is called and changes no weight; dropout is not
    compared. Everything is checked before anything is copied.

    Args:
        ours: the module to fill.
        theirs: the module to read.

    Raises:
        TypeError: the two are not such a pair.
        ValueError: they differ in a size, an option or a part.
    """
    pairs = list(_pairs(ours, theirs))
    for mine, other in pairs:
        got = f"{tuple(other.shape)} for {tuple(mine.shape)}"
        require(mine.shape == other.shape, "theirs", "have the sizes of ours", got)
    with torch.no_grad():
        for mine, other in pairs:
            mine.copy_(other)


def _pairs(ours: nn.Module, theirs: nn.Module) -> Pairs:
    """List each parameter of ours with what goes into it."""
    for mine, other, pair in TWINS:
        if isinstance(ours, mine) and isinstance(theirs, other):
            return pair(ours, theirs)
    known = ", ".join(f"{o.__name__} → {m.__name__}" for m, o, _ in TWINS)
    got = f"{type(theirs).__name__} for {type(ours).__name__}; known: {known}"
    raise TypeError(f"theirs must be the twin of ours, got {got}")


def _attention(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> Pairs:
    _same("n_heads", ours.n_heads, theirs.num_heads)
    _same("d_model", ours.d_model, theirs.embed_dim)
    _same("kdim", ours.d_model, theirs.kdim)
    _same("vdim", ours.d_model, theirs.vdim)
    for name in "rotary_pairs", "window", "q_norm":
        _same(name, getattr(ours, name), None)
    _same("n_kv_heads", ours.n_kv_heads, theirs.num_heads)
    _same("d_k", ours.d_k, theirs.head_dim)
    _same("add_bias_kv", False, theirs.bias_k is not None)
    _same("add_zero_attn", False, theirs.add_zero_attn)
    _same("bias", ours.W_Q.bias is not None, theirs.in_proj_bias is not None)
    own, other = (x.bias is not None for x in (ours.W_O, theirs.out_proj))
    _same("bias of W_O", own, other)
    projections = (ours.W_Q, ours.W_K, ours.W_V)
    for W, weight in zip(projections, theirs.in_proj_weight.chunk(3), strict=True):
        yield W.weight, weight
    yield ours.W_O.weight, theirs.out_proj.weight
    if theirs.in_proj_bias is not None:
        for W, bias in zip(projections, theirs.in_proj_bias.chunk(3), strict=True):
            yield W.bias, bias
        yield ours.W_O.bias, theirs.out_proj.bias


def _norm(ours: Norm, theirs: nn.LayerNorm | nn.RMSNorm) -> Pairs:
    beta, bias = getattr(ours, "beta", None), getattr(theirs, "bias", None)
    _same("elementwise_affine", True, theirs.elementwise_affine)
    _same("bias", beta is not None, bias is not None)
    _same("eps", ours.eps, theirs.eps)
    yield ours.gamma, theirs.weight
    if beta is not None and bias is not None:
        yield beta, bias


def _linear(ours: nn.Linear, theirs: nn.Linear) -> Pairs:
    _same("bias", ours.bias is not None, theirs.bias is not None)
    yield ours.weight, theirs.weight
    if ours.bias is not None:
        yield ours.bias, theirs.bias


def _block(
    ours: EncoderBlock | DecoderBlock,
    theirs: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer,
) -> Pairs:
    _same("norm_first", ours.add_norm_1.norm_first, theirs.norm_first)
    yield from _attention(ours.self_attention, theirs.self_attn)
    _same("activation", ours.feed_forward.activation, _name(theirs.activation))
    _same("gated", ours.feed_forward.W_3 is not None, False)
    yield from _linear(ours.feed_forward.W_1, theirs.linear1)
    yield from _linear(ours.feed_forward.W_2, theirs.linear2)
    yield from _pairs(ours.add_norm_1.norm, theirs.norm1)
    yield from _pairs(ours.add_norm_2.norm, theirs.norm2)
    if isinstance(ours, DecoderBlock) and isinstance(
        theirs, nn.TransformerDecoderLayer
    ):
        yield from _attention(ours.cross_attention, theirs.multihead_attn)
        yield from _pairs(ours.add_norm_3.norm, theirs.norm3)


def _stack(
    ours: Encoder | Decoder, theirs: nn.TransformerEncoder | nn.TransformerDecoder
) -> Pairs:
    _same("number of blocks", len(ours.blocks), len(theirs.layers))
    _same("final norm", ours.norm is not None, theirs.norm is not None)
    for mine, other in zip(ours.blocks, theirs.layers, strict=True):
        yield from _pairs(mine, other)
    if ours.norm is not None and theirs.norm is not None:
        yield from _pairs(ours.norm, theirs.norm)


def _transformer(ours: Transformer, theirs: nn.Transformer) -> Pairs:
    yield from _pairs(ours.encoder, theirs.encoder)
    yield from _pairs(ours.decoder, theirs.decoder)


def _same(name: str, ours: object, theirs: object) -> None:
    """Refuse a pair that differs in a setting that the weights do not show."""
    require(ours == theirs, "theirs", f"have {name} {ours!r} like ours", repr(theirs))


def _name(activation: object) -> str:
    """Name the activation of a torch layer as our options do."""
    if activation is F.relu or isinstance(activation, nn.ReLU):
        return "relu"
    if activation is F.gelu:
        return "gelu"
    if isinstance(activation, nn.GELU):
        return "gelu" if activation.approximate == "none" else "gelu_tanh"
    return repr(activation)


TWINS: list[tuple[type[nn.Module], type[nn.Module], Callable[..., Pairs]]] = [
    (MultiHeadAttention, nn.MultiheadAttention, _attention),
    (LayerNorm, nn.LayerNorm, _norm),
    (RMSNorm, nn.RMSNorm, _norm),
    (EncoderBlock, nn.TransformerEncoderLayer, _block),
    (DecoderBlock, nn.TransformerDecoderLayer, _block),
    (Encoder, nn.TransformerEncoder, _stack),
    (Decoder, nn.TransformerDecoder, _stack),
    (Transformer, nn.Transformer, _transformer),
]

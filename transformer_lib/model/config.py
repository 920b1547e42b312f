"""The sizes and options that distinguish one Transformer from another."""

from dataclasses import dataclass
from typing import Any, Literal, get_type_hints

from ..checks.validation import check_values

Activation = Literal["relu", "gelu", "gelu_tanh", "silu"]
AddedPositions = Literal["sinusoidal", "learned", "none"]
Positions = Literal["sinusoidal", "learned", "rotary", "none"]
Pairs = Literal["neighbors", "halves"]


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The configuration of a model; by default, the base model of the 2017 paper.

    Args:
        vocabulary_size: V, the same for source and target.
        d_model: D, the size of the vectors that pass from layer to layer.
        n_heads: H, the heads of each attention layer; must divide D unless d_k is given.
        n_encoder_layers: the number of blocks in an encoder or encoder-only model.
        n_decoder_layers: the number of blocks in a decoder or decoder-only model.
        d_ff: the hidden size of each feed-forward network.
        dropout: the fraction of attention weights, hidden units, sub-layer outputs and
            input vectors that are set to 0 at random in training.
        max_length: the largest number of tokens in a sequence.
        positions: the positional encoding: "sinusoidal" or "learned" vectors, which are
            added to the input; "rotary" ones, which turn queries and keys; or "none".
        activation: "relu", "gelu", "silu" (also called Swish), or "gelu_tanh", the
            approximation that GPT-2 uses.
        norm_first: normalize before each sub-layer (pre-norm) instead of after it.
        final_norm: add a norm after the last block; pre-norm models always do.
        tie_embeddings: use one matrix for both embeddings and the output projection. An
            encoder-only model has one embedding and no such projection.
        bias: add biases in layer norms and projections, except in that to logits.
        norm_eps: ε in every norm.
        scale_embeddings: multiply embeddings by √d_model; GPT-2 and BERT do not.

    Options that models have taken up since 2017:

    Args:
        d_k: the size of a query and of a key in one head; by default D/H.
        n_kv_heads: how many heads of keys and values the H heads of queries share, in
            groups of equal size; by default H. 1 is multi-query attention.
        norm: "layer" for layer norm or "rms" for RMSNorm.
        gated: multiply the hidden features of each feed-forward network by a gate. With
            "silu" this is SwiGLU, with "gelu" GEGLU, and with "relu" ReGLU.
        rotary_base: the base of rotary positions; their wavelengths range from 2π to
            almost 2π·base.
        rotary_pairs: which features rotary positions turn together: "neighbors"
            (2i, 2i + 1), as in the paper, or "halves" (i, i + d_k/2), as in Llama's
            files. The weights of one are those of the other in another order.
        window: the number of tokens, itself included, that each token of a decoder may
            attend to in self-attention; by default all before it. Encoders have none.
        qk_norm: normalize each query and key by RMSNorm before they are compared.
        qkv_bias: add biases to W_Q, W_K and W_V; by default as `bias` says.

    Source: Vaswani et al. (2017), table 3; §5.1 for the vocabulary, §5.4 for dropout.
    Shazeer (2019) for n_kv_heads=1, Ainslie et al. (2023) for groups; Zhang and
    Sennrich (2019) for RMSNorm; Shazeer (2020) for gates; Su et al. (2021) for rotary
    positions; Beltagy et al. (2020), §3.1, for the window; Henry et al. (2020) for
    normalized queries and keys.
    """

    vocabulary_size: int = 37_000
    d_model: int = 512
    n_heads: int = 8
    n_encoder_layers: int = 6
    n_decoder_layers: int = 6
    d_ff: int = 2048
    dropout: float = 0.1
    max_length: int = 512
    positions: Positions = "sinusoidal"
    activation: Activation = "relu"
    norm_first: bool = False
    final_norm: bool = False
    tie_embeddings: bool = True
    bias: bool = True
    norm_eps: float = 1e-5
    scale_embeddings: bool = True
    d_k: int | None = None
    n_kv_heads: int | None = None
    norm: Literal["layer", "rms"] = "layer"
    gated: bool = False
    rotary_base: float = 10_000.0
    rotary_pairs: Pairs = "neighbors"
    window: int | None = None
    qk_norm: bool = False
    qkv_bias: bool | None = None

    def __post_init__(self) -> None:
        check_values(vars(self), get_type_hints(type(self)))

    @property
    def head_size(self) -> int:
        """d_k, whether it is given or by default D/H."""
        return self.d_k or self.d_model // self.n_heads


_names = [*TransformerConfig.__annotations__]
#: The options since 2017, with what a file means that was written before they existed.
NEWER: dict[str, Any] = {
    name: getattr(TransformerConfig, name) for name in _names[_names.index("d_k") :]
}

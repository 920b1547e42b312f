"""The sizes and options that distinguish one Transformer from another."""

from dataclasses import dataclass
from typing import Literal, get_type_hints

from ..checks.validation import check_values

Activation = Literal["relu", "gelu", "gelu_tanh"]
Positions = Literal["sinusoidal", "learned", "none"]


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The configuration of a model; its defaults are the 2017 paper's base model.

    Args:
        vocabulary_size: V, of source and target alike.
        d_model: D, the size of every vector between layers.
        n_heads: H, the number of heads of each attention; divides D.
        n_encoder_layers: the blocks of an encoder, and of an encoder-only model.
        n_decoder_layers: the blocks of a decoder, and of a decoder-only model.
        d_ff: the hidden size of each feed-forward network.
        dropout: the share of attention weights, hidden units, sub-layer outputs and
            inputs that is dropped in training.
        max_length: the largest number of positions, even without an encoding.
        positions: "sinusoidal", "learned" or "none".
        activation: "relu", "gelu", or "gelu_tanh", GPT-2's approximation of it.
        norm_first: normalize before each sub-layer (pre-norm) instead of after it.
        final_norm: normalize at the end of each stack; pre-norm always does.
        tie_embeddings: share one matrix between source, target and logits.
        bias: whether projections and norms add one; the one to the logits never does.
        norm_eps: ε of every norm.
        scale_embeddings: multiply embeddings by √d_model; GPT-2 and BERT do not.

    Source: Vaswani et al. (2017), table 3; §5.1 for the vocabulary, §5.4 for dropout.
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

    def __post_init__(self) -> None:
        check_values(vars(self), get_type_hints(type(self)))

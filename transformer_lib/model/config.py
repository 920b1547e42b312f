"""The sizes and options that distinguish one Transformer from another."""

from dataclasses import dataclass
from typing import Literal, get_type_hints

from ..checks.validation import check_values

Activation = Literal["relu", "gelu", "gelu_tanh"]
Positions = Literal["sinusoidal", "learned", "none"]


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The configuration of a model; by default, the base model of the 2017 paper.

    Args:
        vocabulary_size: V, the same for source and target.
        d_model: D, the size of the vectors that pass from layer to layer.
        n_heads: H, the number of heads in each attention layer; must divide D.
        n_encoder_layers: the number of blocks in an encoder or encoder-only model.
        n_decoder_layers: the number of blocks in a decoder or decoder-only model.
        d_ff: the hidden size of each feed-forward network.
        dropout: the fraction of attention weights, hidden units, sub-layer outputs and
            input vectors that are set to 0 at random in training.
        max_length: the largest number of tokens in a sequence.
        positions: the positional encoding, "sinusoidal", "learned" or "none".
        activation: "relu", "gelu", or "gelu_tanh", the approximation that GPT-2 uses.
        norm_first: normalize before each sub-layer (pre-norm) instead of after it.
        final_norm: add a layer norm after the last block; pre-norm models always do.
        tie_embeddings: use one matrix for both embeddings and the output projection.
        bias: add biases in layer norms and projections, except in the output's.
        norm_eps: ε in every layer norm.
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

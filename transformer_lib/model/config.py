"""The sizes and choices that make one Transformer differ from another."""

from dataclasses import dataclass, field
from typing import Literal, get_type_hints

from ..checks.validation import check_values

Activation = Literal["relu", "gelu", "gelu_tanh"]
Positions = Literal["sinusoidal", "learned", "none"]
LATER = {"later": True}  # of a field that the first files of weights do not tell


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The base model of the 2017 paper, unless told otherwise.

    Args:
        vocabulary_size: V, of source and target alike.
        d_model: D, the size of every vector between layers.
        n_heads: H, the heads of each attention; divides D.
        n_encoder_layers: the blocks of an encoder, and of an encoder-only model.
        n_decoder_layers: the blocks of a decoder, and of a decoder-only model.
        d_ff: the hidden size of each feed-forward network.
        dropout: the share dropped in training: weights, hidden units, outputs, inputs.
        max_length: the most positions, also without an encoding of them.
        positions: "sinusoidal", "learned" or "none".
        activation: "relu", "gelu", or "gelu_tanh", GPT-2's approximation of it.
        norm_first: normalise before each sub-layer (pre-norm) instead of after it.
        final_norm: normalise once more at the end of each stack. Pre-norm always does,
            since its sums are otherwise never normalised.
        tie_embeddings: one matrix for source, target and logits, where there are any.
        bias: whether projections and norms add one; that to the logits never does.
        norm_eps: ε of every norm.
        scale_embeddings: multiply a token's row by √d_model; GPT-2 and BERT do not.

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
    norm_eps: float = field(default=1e-5, metadata=LATER)
    scale_embeddings: bool = field(default=True, metadata=LATER)

    def __post_init__(self) -> None:
        check_values(vars(self), get_type_hints(type(self)))

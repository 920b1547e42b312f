"""The mathematics of the Transformer, written once and in the open.

One alphabet, in every shape and formula of the library:

    B    batch: how many sequences are read at once
    T    target length: the positions that ask, the queries
    S    source length: the positions that are looked at, the keys
    D    d_model: the size of every vector between layers
    H    n_heads: how many attentions run side by side
    d_k  D/H: the size of a query and a key in one head; d_v that of a value
    V    vocabulary size: the tokens there are

A source such as D1.16.3 is a section of document D1 of D0 … D3, the four in the order
of the README's credits; tests/notebooks/syllabus.txt lists all sections.
Masks are boolean, and True means "may attend". A public call that cannot do what it is
asked raises a TypeError, a ValueError or an IndexError before it begins, which names
the argument, what was expected and what was given.
"""

from .checkpoints import load_checkpoint, save_checkpoint
from .generation.beam_search import beam_search
from .generation.sampling import Generated, greedy, sample
from .generation.settings import Decoding, Sampling
from .model.attention import MultiHeadAttention, scaled_dot_product_attention
from .model.config import TransformerConfig
from .model.embedding import (
    PositionalEncoding,
    RotaryEncoding,
    TokenEmbedding,
    apply_rotary,
    sinusoidal_encoding,
)
from .model.layers import DecoderBlock, EncoderBlock, FeedForward
from .model.masks import causal_mask, padding_mask
from .model.norms import LayerNorm, RMSNorm
from .model.transformer import (
    Decoder,
    DecoderOnlyTransformer,
    Encoder,
    EncoderOnlyTransformer,
    Transformer,
)
from .oracles.torch_twins import load_torch
from .pretrained import load_pretrained, load_tokenizer
from .runtime.caching import Cache, caching
from .runtime.patching import patch
from .runtime.recording import record
from .text.vocabulary import Vocabulary

__all__ = [
    "Cache",
    "Decoder",
    "DecoderBlock",
    "DecoderOnlyTransformer",
    "Decoding",
    "Encoder",
    "EncoderBlock",
    "EncoderOnlyTransformer",
    "FeedForward",
    "Generated",
    "LayerNorm",
    "MultiHeadAttention",
    "PositionalEncoding",
    "RMSNorm",
    "RotaryEncoding",
    "Sampling",
    "TokenEmbedding",
    "Transformer",
    "TransformerConfig",
    "Vocabulary",
    "apply_rotary",
    "beam_search",
    "caching",
    "causal_mask",
    "greedy",
    "load_checkpoint",
    "load_pretrained",
    "load_tokenizer",
    "load_torch",
    "padding_mask",
    "patch",
    "record",
    "sample",
    "save_checkpoint",
    "scaled_dot_product_attention",
    "sinusoidal_encoding",
]

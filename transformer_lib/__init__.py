"""The mathematics of the Transformer, written once and in the open."""

from .generation.search import Generated, beam_search, greedy, sample
from .generation.settings import Decoding, Sampling
from .model.attention import MultiHeadAttention, scaled_dot_product_attention
from .model.config import TransformerConfig
from .model.embedding import PositionalEncoding, TokenEmbedding, sinusoidal_encoding
from .model.layers import DecoderBlock, EncoderBlock, FeedForward, LayerNorm
from .model.masks import causal_mask, padding_mask
from .model.stacks import Decoder, Encoder
from .model.transformer import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)
from .model.vocabulary import Vocabulary
from .oracles.torch_twins import load_torch
from .support.caching import KVCache
from .support.recording import record

__all__ = [
    "Decoder",
    "DecoderBlock",
    "DecoderOnlyTransformer",
    "Decoding",
    "Encoder",
    "EncoderBlock",
    "EncoderOnlyTransformer",
    "FeedForward",
    "Generated",
    "KVCache",
    "LayerNorm",
    "MultiHeadAttention",
    "PositionalEncoding",
    "Sampling",
    "TokenEmbedding",
    "Transformer",
    "TransformerConfig",
    "Vocabulary",
    "beam_search",
    "causal_mask",
    "greedy",
    "load_torch",
    "padding_mask",
    "record",
    "sample",
    "scaled_dot_product_attention",
    "sinusoidal_encoding",
]

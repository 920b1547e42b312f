"""The mathematics of the Transformer, written once and in the open."""

from .attention import MultiHeadAttention, scaled_dot_product_attention
from .cache import KVCache
from .config import TransformerConfig
from .decoding import Decoding, Sampling
from .embedding import PositionalEncoding, TokenEmbedding, sinusoidal_encoding
from .generation import Generated, beam_search, greedy, sample
from .interop import load_torch
from .layers import DecoderBlock, EncoderBlock, FeedForward, LayerNorm
from .masks import causal_mask, padding_mask
from .models import DecoderOnlyTransformer, EncoderOnlyTransformer, Transformer
from .recording import record
from .stacks import Decoder, Encoder
from .vocabulary import Vocabulary

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

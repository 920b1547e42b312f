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

from .checkpoints import load_checkpoint as load_checkpoint
from .checkpoints import save_checkpoint as save_checkpoint
from .generation.beam_search import beam_search as beam_search
from .generation.prediction import Decoding as Decoding
from .generation.sampling import Generated as Generated
from .generation.sampling import Sampling as Sampling
from .generation.sampling import greedy as greedy
from .generation.sampling import sample as sample
from .model.attention import MultiHeadAttention as MultiHeadAttention
from .model.attention import (
    scaled_dot_product_attention as scaled_dot_product_attention,
)
from .model.config import TransformerConfig as TransformerConfig
from .model.embedding import PositionalEncoding as PositionalEncoding
from .model.embedding import RotaryEncoding as RotaryEncoding
from .model.embedding import TokenEmbedding as TokenEmbedding
from .model.embedding import apply_rotary as apply_rotary
from .model.embedding import sinusoidal_encoding as sinusoidal_encoding
from .model.layers import DecoderBlock as DecoderBlock
from .model.layers import EncoderBlock as EncoderBlock
from .model.layers import FeedForward as FeedForward
from .model.masks import causal_mask as causal_mask
from .model.masks import padding_mask as padding_mask
from .model.norms import LayerNorm as LayerNorm
from .model.norms import RMSNorm as RMSNorm
from .model.transformer import Decoder as Decoder
from .model.transformer import DecoderOnlyTransformer as DecoderOnlyTransformer
from .model.transformer import Encoder as Encoder
from .model.transformer import EncoderOnlyTransformer as EncoderOnlyTransformer
from .model.transformer import Transformer as Transformer
from .oracles.torch_twins import load_torch as load_torch
from .pretrained import load_pretrained as load_pretrained
from .pretrained import load_tokenizer as load_tokenizer
from .runtime.caching import Cache as Cache
from .runtime.caching import caching as caching
from .runtime.patching import patch as patch
from .runtime.recording import record as record
from .text.vocabulary import Vocabulary as Vocabulary

"""Explorers: each idea of the course as a picture that the reader can push."""

from .attention.attention_bench import attention_bench
from .attention.mixing_bench import mixing_bench
from .attention.projections import projections
from .attention.scale_lab import scale_lab
from .attention.sentence_attention import sentence_attention
from .attention.softmax_bench import softmax_bench
from .embedding.tokens import tokens
from .layers.add_and_norm import add_and_norm
from .layers.deep_stack import deep_stack
from .layers.feed_forward import feed_forward
from .layers.layer_norm_lab import layer_norm_lab
from .masks.hiding_bench import hiding_bench
from .masks.leak_detector import leak_detector
from .masks.mask_lab import mask_lab
from .multi_head.head_split import head_split
from .multi_head.heads import heads
from .multi_head.split_lab import split_lab
from .positions.order_experiment import order_experiment
from .positions.positional_encoding import positional_encoding
from .positions.word_order import word_order
from .quiz import quiz
from .recurrence.rnn_or_attention import rnn_or_attention
from .toolkit.explorer import Explorer

__all__ = [
    "Explorer",
    "add_and_norm",
    "attention_bench",
    "deep_stack",
    "feed_forward",
    "head_split",
    "heads",
    "hiding_bench",
    "layer_norm_lab",
    "leak_detector",
    "mask_lab",
    "mixing_bench",
    "order_experiment",
    "positional_encoding",
    "projections",
    "quiz",
    "rnn_or_attention",
    "scale_lab",
    "sentence_attention",
    "softmax_bench",
    "split_lab",
    "tokens",
    "word_order",
]

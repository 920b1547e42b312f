"""Explorers: each idea of the course as a picture that the reader can push."""

from .attention_bench import attention_bench
from .explorer import Explorer
from .head_split import head_split
from .heads import heads
from .hiding_bench import hiding_bench
from .leak_detector import leak_detector
from .mask_lab import mask_lab
from .mixing_bench import mixing_bench
from .order_experiment import order_experiment
from .positional_encoding import positional_encoding
from .scale_lab import scale_lab
from .softmax_bench import softmax_bench
from .split_lab import split_lab
from .word_order import word_order

__all__ = [
    "Explorer",
    "attention_bench",
    "head_split",
    "heads",
    "hiding_bench",
    "leak_detector",
    "mask_lab",
    "mixing_bench",
    "order_experiment",
    "positional_encoding",
    "scale_lab",
    "softmax_bench",
    "split_lab",
    "word_order",
]

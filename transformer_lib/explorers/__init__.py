"""Explorers: each idea of the course as a picture that the reader can push."""

from .attention.attention_bench import attention_bench
from .attention.mixing_bench import mixing_bench
from .attention.scale_lab import scale_lab
from .attention.softmax_bench import softmax_bench
from .layers.layer_norm_lab import layer_norm_lab
from .masks.mask_lab import mask_lab
from .multi_head.head_split import head_split
from .multi_head.heads import heads
from .multi_head.split_lab import split_lab
from .toolkit.explorer import Explorer

__all__ = [
    "Explorer",
    "attention_bench",
    "head_split",
    "heads",
    "layer_norm_lab",
    "mask_lab",
    "mixing_bench",
    "scale_lab",
    "softmax_bench",
    "split_lab",
]

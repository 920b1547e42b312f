"""Explorers: each idea of the course as a picture that the reader can push."""

from .attention_bench import attention_bench
from .explorer import Explorer
from .hiding_bench import hiding_bench
from .leak_detector import leak_detector
from .mask_lab import mask_lab
from .mixing_bench import mixing_bench
from .scale_lab import scale_lab
from .softmax_bench import softmax_bench

__all__ = [
    "Explorer",
    "attention_bench",
    "hiding_bench",
    "leak_detector",
    "mask_lab",
    "mixing_bench",
    "scale_lab",
    "softmax_bench",
]

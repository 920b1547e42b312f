"""Explorers: each idea of the course as a picture that the reader can push."""

import inspect

from explorable import lifetime
from explorable.explorer import Explorer as Explorer

from . import torch_functions as torch_functions
from .attention.attention_bench import attention_bench as attention_bench
from .attention.coreference import coreference as coreference
from .attention.mixing_bench import mixing_bench as mixing_bench
from .attention.projections import projections as projections
from .attention.scale_lab import scale_lab as scale_lab
from .attention.sentence_attention import sentence_attention as sentence_attention
from .attention.softmax_bench import softmax_bench as softmax_bench
from .bugs.find_the_bug import find_the_bug as find_the_bug
from .embedding.nearness_training import nearness_training as nearness_training
from .embedding.tokens import tokens as tokens
from .generation.decoding import decoding as decoding
from .generation.kv_cache import kv_cache as kv_cache
from .inference.cache_costs import cache_costs as cache_costs
from .inference.online_softmax import online_softmax as online_softmax
from .inference.speculative import speculative as speculative
from .language.define import define as define
from .language.fill import fill as fill
from .language.low_rank import low_rank as low_rank
from .language.masked_words import masked_words as masked_words
from .language.masked_words_training import (
    masked_words_training as masked_words_training,
)
from .language.text_to_text import text_to_text as text_to_text
from .layers.add_and_norm import add_and_norm as add_and_norm
from .layers.deep_stack import deep_stack as deep_stack
from .layers.depth_training import depth_training as depth_training
from .layers.feed_forward import feed_forward as feed_forward
from .layers.layer_norm_lab import layer_norm_lab as layer_norm_lab
from .layers.modern_block import modern_block as modern_block
from .masks.hiding_bench import hiding_bench as hiding_bench
from .masks.leak_detector import leak_detector as leak_detector
from .masks.mask_lab import mask_lab as mask_lab
from .multi_head.head_split import head_split as head_split
from .multi_head.heads import heads as heads
from .multi_head.split_lab import split_lab as split_lab
from .positions.order_experiment import order_experiment as order_experiment
from .positions.order_training import order_training as order_training
from .positions.positional_encoding import positional_encoding as positional_encoding
from .positions.rotary import rotary as rotary
from .positions.word_order import word_order as word_order
from .quiz import quiz as quiz
from .recurrence.rnn_or_attention import rnn_or_attention as rnn_or_attention
from .training.sequence_training import sequence_training as sequence_training
from .training.training_scrubber import training_scrubber as training_scrubber
from .vision.digit_training import digit_training as digit_training
from .vision.patch_attention import patch_attention as patch_attention
from .vision.picture_writing import picture_writing as picture_writing
from .vision.pictures_and_captions import pictures_and_captions as pictures_and_captions
from .whole_model.next_word import next_word as next_word
from .whole_model.walk import walk as walk

# A call that is refused leaves no widget open that it had made by then.
for _name in [*globals()]:
    if inspect.isfunction(globals()[_name]):
        globals()[_name] = lifetime.closing_if_refused()(globals()[_name])

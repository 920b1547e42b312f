"""Every public function, given anything, works or says what is wrong with what.

One argument at a time of a call that works is replaced by each thing of a bag. Then the
call works too, or a TypeError, ValueError or IndexError names an argument of the call,
in a line that fits on a screen; nothing warns.
"""

import dataclasses
import inspect
import itertools
import re
import warnings

import numpy as np
import pytest
import torch
from small import build, told

import transformer_lib as library
from course import explorers
from course.models import costs, vision
from transformer_lib import DecoderOnlyTransformer, TransformerConfig


class Broken:
    """What fails at whatever it is asked, also for its text."""

    def _fail(self, *_):
        raise RuntimeError("broken")

    __repr__ = __len__ = __iter__ = __array__ = __index__ = __float__ = _fail
    __bool__ = __eq__ = _fail
    __hash__ = None


BAG = {
    "None": lambda: None,
    "True": lambda: True,
    "0": lambda: 0,
    "-1": lambda: -1,
    "3": lambda: 3,
    "2.5": lambda: 2.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "10**5000": lambda: 10**5000,
    "-10**5000": lambda: -(10**5000),
    "1j": lambda: 1j,
    "no text": lambda: "",
    "text": lambda: "one two",
    "long text": lambda: "x" * 100_000,
    "half a character": lambda: "a \ud800",
    "a zero": lambda: "a\0b",
    "bytes": lambda: b"ab",
    "[]": list,
    "()": lambda: (),
    "{}": dict,
    "a set": lambda: {"a", "b", "c"},
    "a frozenset": lambda: frozenset({0, 1, 2}),
    "a dict": lambda: {"a": 1, "b": 2, "c": 3},
    "(0,)": lambda: (0,),
    "(0, 9)": lambda: (0, 9),
    "(0, 1, 2)": lambda: (0, 1, 2),
    "[10**5000]": lambda: [10**5000],
    "[[10**5000]]": lambda: [[10**5000]],
    "words": lambda: ["a", "b", "c"],
    "words and none": lambda: ["a", None, "c"],
    "ragged": lambda: [[1, 2], [3]],
    "deep": lambda: [[[[1.0]]]],
    "a generator": lambda: (word for word in "abc"),
    "endless": lambda: itertools.count(),
    "endless words": lambda: itertools.repeat("a"),
    "a range": lambda: range(3),
    "an object": object,
    "broken": Broken,
    "a list of broken": lambda: [Broken()],
    "a class": lambda: int,
    "a function": lambda: len,
    "an array of none": lambda: np.array([]),
    "an array of one": lambda: np.array(3.0),
    "an array of choices": lambda: np.array(["none", "causal"]),
    "no rows": lambda: np.zeros((0, 3)),
    "2 × 3": lambda: np.ones((2, 3)),
    "wide": lambda: np.ones((2, 100)),
    "too long": lambda: np.ones((5000, 5000), bool),
    "large": lambda: np.full((3, 3), 1e300),
    "not finite": lambda: np.full((3, 3), np.nan),
    "float16": lambda: np.full((3, 3), 6e4, np.float16),
    "int8": lambda: np.full((3, 3), -128, np.int8),
    "longdouble": lambda: np.full((3, 3), 2, np.longdouble),
    "masked": lambda: np.ma.masked_array([[1.0]], [[True]]),
    "dates": lambda: np.array([["2026-01-01"]], "datetime64[D]"),
    "objects": lambda: np.array([[None, 1], [2, "a"]], object),
    "records": lambda: np.zeros(3, [("a", "f4")]),
    "a tensor": lambda: torch.ones(3, 3),
    "a meta tensor": lambda: torch.empty(3, 3, device="meta"),
    "a nested tensor": lambda: torch.nested.nested_tensor(
        [torch.ones(2, 3), torch.ones(1, 3)], layout=torch.jagged
    ),
    "an old nested tensor": lambda: torch.nested.nested_tensor(
        [torch.ones(2), torch.ones(3)], layout=torch.strided
    ),
    "a sparse tensor": lambda: torch.eye(3).to_sparse(),
    "a csr tensor": lambda: torch.eye(3).to_sparse_csr(),
    "a complex tensor": lambda: torch.ones(3, 3, dtype=torch.complex64),
    "a half tensor": lambda: torch.ones(3, 3, dtype=torch.bfloat16),
    "a bool tensor": lambda: torch.ones(3, 3, dtype=torch.bool),
    "a quantized tensor": lambda: torch.quantize_per_tensor(
        torch.ones(3, 3), 0.1, 0, torch.qint8
    ),
    "ids": lambda: torch.tensor([[1, 2, 3]]),
    "negative ids": lambda: torch.tensor([[1, -2, 3]]),
    "large ids": lambda: torch.tensor([[1, 10**12, 3]]),
    "a module": lambda: torch.nn.Linear(2, 2),
    "a dtype": lambda: torch.int64,
    "a device": lambda: torch.device("meta"),
}
THREE = np.eye(3)
WORDS = ["a", "b", "c"]
CALLS = {
    explorers.softmax_bench: {
        "scores": THREE,
        "rows": WORDS,
        "columns": WORDS,
        "multiply": 0.5,
    },
    explorers.attention_bench: {
        "Q": THREE,
        "K": THREE,
        "V": THREE,
        "tokens": WORDS,
        "memory": WORDS,
    },
    explorers.mixing_bench: {"weights": THREE, "V": THREE, "tokens": WORDS},
    explorers.projections: {
        "X": THREE,
        "W_Q": THREE,
        "W_K": THREE,
        "W_V": THREE,
        "tokens": WORDS,
        "pair": (0, 1),
    },
    explorers.sentence_attention: {
        "tokens": WORDS,
        "Q": THREE,
        "K": THREE,
        "V": THREE,
        "chosen": 1,
        "tensors": None,
        "head": 0,
    },
    explorers.scale_lab: {},
    explorers.add_and_norm: {
        "x": THREE,
        "W": THREE,
        "tokens": WORDS,
        "order": "pre-norm",
    },
    explorers.deep_stack: {"way": "add", "blocks": 2},
    explorers.depth_training: {"blocks": 2, "steps": 1},
    explorers.feed_forward: {
        "x": THREE,
        "W_1": THREE,
        "b_1": [[0.0, 0, 0]],
        "W_2": THREE,
        "b_2": [[0.0, 0, 0]],
        "tokens": WORDS,
        "features": WORDS,
    },
    explorers.layer_norm_lab: {"x": THREE, "tokens": WORDS},
    explorers.modern_block: {"network": "GELU"},
    explorers.rotary: {
        "query": [1.0, 2.0],
        "key": [1.0, 0.0],
        "p": 3,
        "r": 1,
        "base": 100,
        "pairs": "halves",
    },
    explorers.hiding_bench: {
        "scores": [1.0, 2, 3],
        "values": [1.0, 2, 3],
        "tokens": WORDS,
        "hidden": [1],
    },
    explorers.leak_detector: {
        "tokens": WORDS,
        "other": "robot",
        "model": "second unmasked",
    },
    explorers.mask_lab: {
        "scores": THREE,
        "V": THREE,
        "tokens": WORDS,
        "cross": (THREE, THREE, WORDS),
        "mask": "causal",
        "real": 2,
    },
    explorers.head_split: {"tokens": WORDS, "d_model": 8, "n_heads": 2, "seed": 7},
    explorers.heads: {
        "sentence": "the cat sat",
        "model": "with supervision",
        "head": 4,
        "part": "remove",
    },
    explorers.split_lab: {"d_model": 8, "n_heads": 2, "tokens": WORDS},
    explorers.order_training: {
        "task": "two to the left",
        "ways": ["none"],
        "steps": 20,
    },
    explorers.patch_attention: {
        "number": 9,
        "block": 1,
        "head": "2",
        "asks": 0,
        "right": 1,
        "down": 0,
    },
    explorers.picture_writing: {
        "caption": "a red box",
        "step": 1,
        "temperature": 0.5,
        "seed": 1,
        "later": "a blue box",
        "after": 9,
    },
    explorers.pictures_and_captions: {
        "caption": "a red box",
        "temperature": 0.1,
        "asks": "each caption",
        "pictures": 2,
    },
    explorers.positional_encoding: {
        "d_model": 8,
        "length": 8,
        "base": 10.0,
        "p": 1,
        "k": 2,
        "pair": 0,
    },
    explorers.word_order: {"sentence": "a b c", "order": [2, 1, 0], "strength": 0.5},
    explorers.rnn_or_attention: {"length": 8, "d_model": 8, "kind": "RNN"},
    explorers.tokens: {
        "sentence": "Ajish works",
        "vocabulary": None,
        "E": None,
        "show": "look-up",
    },
    explorers.quiz: {"questions": "masks"},
    explorers.coreference: {
        "sentence": "The cat sat on the mat, and it was soft",
        "look": "first",
        "cut": "none",
    },
    explorers.next_word: {
        "sentence": "Ajish works as an AI",
        "parameters": "random",
    },
    explorers.decoding: {
        "model": build(DecoderOnlyTransformer),
        "vocabulary": library.Vocabulary([*"abcdefghijk"]),
        "source": "a b c",
        "strategy": "sample",
        "step": 1,
        "texts": 2,
        "text_in_view": 1,
        "temperature": 1.0,
        "top_k": 3,
        "top_p": 0.5,
        "seed": 1,
        "length_penalty": 0.0,
        "longest": 6,
        "end": "d",
    },
    explorers.kv_cache: {
        "model": build(DecoderOnlyTransformer),
        "vocabulary": library.Vocabulary([*"abcdefghijk"]),
        "source": "a b c",
        "step": 1,
        "layer": 1,
        "head": 2,
        "attention": "self-attention",
        "end": "d",
    },
    explorers.cache_costs: {
        "model": "Qwen3 8B",
        "heads": "GQA",
        "window": "4,096",
        "tokens": 2048,
        "sequences": 4,
    },
    explorers.online_softmax: {"tile": 4, "order": "rising", "step": 1},
    explorers.speculative: {
        "word": "glorpitis",
        "draft_length": 2,
        "temperature": 1.0,
        "seed": 1,
        "step": 1,
    },
    explorers.digit_training: {"number": 3, "way": "nothing", "steps": 1},
    explorers.sequence_training: {"letters": "abc", "variant": "baseline", "steps": 1},
    explorers.masked_words: {
        "sentence": "the cat sat",
        "hidden": 2,
        "sees": "both sides",
    },
    explorers.masked_words_training: {
        "sentence": "the cat sat",
        "hidden": 2,
        "steps": 1,
    },
    explorers.define: {
        "word": "glorpitis",
        "part_of_speech": "verb",
        "step": 1,
        "temperature": 1.0,
        "top_k": 3,
        "top_p": 0.5,
        "seed": 1,
        "layer": 1,
        "head": "2",
        "begins": "a small",
        "model": None,
        "tokenizer": None,
        "end": "<|endoftext|>",
    },
    explorers.find_the_bug: {"cases": [1, 2], "case": 2},
    explorers.fill: {"entry": "my own", "hidden": 2, "own": "a dog: that barks"},
    explorers.low_rank: {"rank": 8},
    explorers.text_to_text: {
        "sentence": "I love AI",
        "task": "question",
        "question": "who loves AI ?",
        "prefix": "none",
        "head": "1",
    },
    explorers.training_scrubber: {
        "found": None,
        "sentence": "I love AI",
        "step": 1000,
        "block": 1,
    },
    explorers.walk: {
        "model": build(DecoderOnlyTransformer),
        "vocabulary": library.Vocabulary([*"abcdefghijk"]),
        "source": "a b c",
        "target": None,
        "patches": {},
        "step": 2,
        "layer": 1,
        "head": 2,
        "token": 2,
        "feature": 2,
        "compare": "difference",
    },
}
SMALL = {"vocabulary_size": 11, "d_model": 12, "n_heads": 3, "d_ff": 24}
CONFIG = TransformerConfig(**SMALL, n_encoder_layers=1, n_decoder_layers=1)
MODEL = build(DecoderOnlyTransformer)
X, IDS = torch.ones(1, 3, 12), torch.tensor([[3, 4, 5]])
WRITING = {"model": MODEL, "ids": IDS, "decoding": told(DecoderOnlyTransformer)}
SIZES = {field.name: field.default for field in dataclasses.fields(TransformerConfig)}
LIBRARY = {
    library.causal_mask: {"length": 3, "past": 1, "window": 2},
    library.padding_mask: {"sequences": torch.tensor([2, 3]), "length": 3},
    library.sinusoidal_encoding: {"length": 3, "d_model": 4, "base": 10.0},
    library.scaled_dot_product_attention: {
        "q": X,
        "k": X,
        "v": X,
        "mask": None,
        "dropout_rate": 0.0,
    },
    library.apply_rotary: {
        "x": torch.randn(1, 2, 3, 4),
        "rotation": (torch.ones(3, 4), torch.zeros(3, 4)),
        "rotary_pairs": "halves",
    },
    library.LayerNorm: {"d_model": 4, "eps": 1e-5, "bias": True},
    library.RMSNorm: {"d_model": 4, "eps": 1e-5},
    library.FeedForward: {
        "d_model": 4,
        "d_ff": 8,
        "dropout": 0.0,
        "activation": "relu",
        "bias": True,
        "gated": True,
    },
    library.MultiHeadAttention: {
        "d_model": 4,
        "n_heads": 2,
        "dropout": 0.0,
        "bias": True,
        "d_k": 3,
        "n_kv_heads": 1,
        "qkv_bias": None,
        "qk_norm": True,
        "norm_eps": 1e-5,
        "window": 2,
        "rotary_pairs": None,
    },
    library.PositionalEncoding: {"max_length": 4, "d_model": 4, "kind": "learned"},
    library.RotaryEncoding: {
        "max_length": 4,
        "d_k": 4,
        "rotary_base": 10.0,
        "rotary_pairs": "halves",
    },
    library.TokenEmbedding: {"vocabulary_size": 4, "d_model": 4, "scaled": True},
    library.TransformerConfig: SIZES,
    library.Encoder: {"config": CONFIG},
    library.Decoder: {"config": CONFIG},
    library.EncoderBlock: {"config": CONFIG},
    library.DecoderBlock: {"config": CONFIG},
    library.Transformer: {"config": CONFIG},
    library.EncoderOnlyTransformer: {"config": CONFIG},
    library.DecoderOnlyTransformer: {"config": CONFIG},
    library.Decoding: {
        "max_length": 8,
        "end_id": 1,
        "pad_id": 0,
        "start_id": 2,
        "use_cache": True,
    },
    library.Sampling: {"temperature": 1.0, "top_k": 2, "top_p": 0.5},
    library.Vocabulary: {"words": WORDS, "pad": "a", "unknown": "b"},
    library.greedy: WRITING,
    library.sample: {**WRITING, "sampling": None, "generator": None},
    library.beam_search: {**WRITING, "beams": 2, "length_penalty": 0.0, "n_best": 1},
    library.load_torch: {"ours": MODEL, "theirs": MODEL},
    library.Cache: {"model": MODEL},
}

COURSE = {
    costs.costs: {
        "config": CONFIG,
        "length": 3,
        "past": 1,
        "bytes_per_number": 2,
    },
    vision.PatchEmbedding: {"channels": 1, "patch_size": 2, "d_model": 4},
    vision.VisionTransformer: {
        "config": CONFIG,
        "channels": 1,
        "side": 6,
        "patch_size": 3,
    },
}


def arguments(calls):
    """Each function with a call that works, and one of its arguments."""
    return [
        pytest.param(function, call, name, id=f"{function.__name__}-{name}")
        for function, call in calls.items()
        for name in call
    ]


def amiss(function, call, name):
    """What a call says that fits no refusal, for each thing in an argument's place."""
    known = "|".join([*inspect.signature(function).parameters, "score", "part"])
    for kind, make in BAG.items():
        if (function, kind) == (library.Vocabulary, "endless words"):
            continue  # it may be as long as one likes
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = make()
            warnings.simplefilter("error")
            try:
                function(**{**call, name: given})
            except (TypeError, ValueError, IndexError) as error:
                said = str(error)
                if not re.search(rf"\b({known})(\b|_)", said) or len(said) > 600:
                    yield f"{kind}: {type(error).__name__}: {said[:150]}"
            except BaseException as error:
                yield f"{kind}: {type(error).__name__}: {str(error)[:150]}"


@pytest.mark.parametrize(("function", "call", "name"), arguments(CALLS))
def test_an_explorer_works_or_says_what_is_wrong_with_what(function, call, name):
    assert list(amiss(function, call, name)) == []


@pytest.mark.parametrize(("function", "call", "name"), arguments(LIBRARY | COURSE))
def test_the_library_works_or_says_what_is_wrong_with_what(function, call, name):
    assert list(amiss(function, call, name)) == []


def test_every_explorer_is_called_with_each_of_its_arguments():
    public = {f for f in vars(explorers).values() if inspect.isfunction(f)}
    any_number = {explorers.order_experiment, explorers.nearness_training}
    assert public - any_number == set(CALLS)
    for function, call in CALLS.items():
        assert set(inspect.signature(function).parameters) == set(call)


def test_every_public_name_of_the_library_is_called():
    public = {x for x in vars(library).values() if callable(x)}
    with_files = {library.load_checkpoint, library.save_checkpoint}
    with_files |= {library.load_pretrained, library.load_tokenizer}
    around_a_pass = {library.caching, library.patch, library.record}
    assert public - with_files - around_a_pass - {library.Generated} == set(LIBRARY)

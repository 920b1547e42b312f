"""Llama, Mistral, Qwen2 and Qwen3: pre-norm, RMSNorm, SwiGLU and rotary positions."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from ..checkpoints import build_config
from ..checks.validation import LARGEST_SIZE, brief, require
from ..model.config import TransformerConfig
from ..model.transformer import DecoderOnlyTransformer
from .folder import ACTIVATIONS, CONFIG, KNOWN, check_settings, read_options

#: Patterns of the weights that are not read, and why.
LEFT_OUT = {
    r"layers\.\d+\.self_attn\.rotary_emb\.inv_freq": "computed, not learned",
    r"lm_head\.weight": "a copy of the embedding, if both are tied",
    r"(score|qa_outputs)\..*": "heads for other tasks",
}
#: What the files call our parts; n is the number of a block.
NAMES = {
    "embedding": "embed_tokens",
    "decoder.blocks.n.add_norm_1.norm": "layers.n.input_layernorm",
    "decoder.blocks.n.self_attention.W_Q": "layers.n.self_attn.q_proj",
    "decoder.blocks.n.self_attention.W_K": "layers.n.self_attn.k_proj",
    "decoder.blocks.n.self_attention.W_V": "layers.n.self_attn.v_proj",
    "decoder.blocks.n.self_attention.W_O": "layers.n.self_attn.o_proj",
    "decoder.blocks.n.self_attention.q_norm": "layers.n.self_attn.q_norm",
    "decoder.blocks.n.self_attention.k_norm": "layers.n.self_attn.k_norm",
    "decoder.blocks.n.add_norm_2.norm": "layers.n.post_attention_layernorm",
    "decoder.blocks.n.feed_forward.W_1": "layers.n.mlp.gate_proj",
    "decoder.blocks.n.feed_forward.W_2": "layers.n.mlp.down_proj",
    "decoder.blocks.n.feed_forward.W_3": "layers.n.mlp.up_proj",
    "decoder.norm": "norm",
    "output": "lm_head",
}
HEADS, KV_HEADS = "num_attention_heads", "num_key_value_heads"
SIZES = {
    "vocabulary_size": "vocab_size",
    "d_model": "hidden_size",
    "n_heads": HEADS,
    "n_kv_heads": KV_HEADS,
    "d_k": "head_dim",
    "n_decoder_layers": "num_hidden_layers",
    "d_ff": "intermediate_size",
    "max_length": "max_position_embeddings",
}
#: What is told of rotary positions: no scaling, and all features of a head are turned.
ROTARY = {
    "rope_theta": ...,
    "rope_type|type": ("default",),
    "partial_rotary_factor": (None, 1),
}
#: What a configuration may say besides sizes, for all of them and for each.
SHARED = KNOWN | {
    "rms_norm_eps|rope_theta|rope_parameters": ...,
    "rope_scaling": (None,),
}
WINDOWED: dict[str, Any] = {
    "use_sliding_window": (True, False),
    "sliding_window|layer_types": ...,
    "max_window_layers": range(LARGEST_SIZE + 1),
}
OWN: dict[str, dict[str, Any]] = {
    "llama": {"attention_bias|mlp_bias": (True, False), "pretraining_tp": ...},
    "mistral": {"sliding_window": ...},
    "qwen2": WINDOWED,
    "qwen3": WINDOWED | {"attention_bias": (False,)},
}


def build(settings: dict[str, Any], tensors: Mapping[str, Tensor]) -> Any:
    """Build a model by config.json; the tensors show whether its head is tied."""
    kind = settings["model_type"]
    settings = _with_defaults(settings)
    options = read_options(settings, SIZES, tensors, NAMES, OWN[kind] | SHARED)
    bias = settings.get("mlp_bias", False)
    own_bias = settings.get("attention_bias", False)
    wanted = "be as mlp_bias, for our biases are in both"
    require(own_bias == bias, f"attention_bias of {CONFIG}", wanted, own_bias)
    options |= dict(
        positions="rotary",
        activation=ACTIVATIONS[settings.get("hidden_act", "silu")],
        norm_first=True,
        bias=bias,
        norm_eps=settings.get("rms_norm_eps", 1e-6),
        norm="rms",
        gated=True,
        rotary_base=_base(settings),
        rotary_pairs="halves",
        window=_window(settings),
        qk_norm=kind == "qwen3",
        qkv_bias=True if kind == "qwen2" else None,
    )
    return DecoderOnlyTransformer(build_config(TransformerConfig, options))


def _with_defaults(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Add what a configuration need not say, as transformers does."""
    told = {"tie_word_embeddings": False} | {**settings}
    kind = told["model_type"]
    D: Any = told.get("hidden_size")
    H: Any = told.get(HEADS)
    if kind == "llama":
        told.setdefault(KV_HEADS, None)
    else:
        told.setdefault("sliding_window", 4096)
    if kind in ("qwen2", "qwen3"):
        told.setdefault("max_window_layers", 28)
    if told.get(KV_HEADS, 0) is None:
        told[KV_HEADS] = H
    if told.get("head_dim") is None:
        whole = isinstance(D, int) and isinstance(H, int) and H > 0
        told["head_dim"] = 128 if kind == "qwen3" else D // H if whole else None
    return told


def _base(settings: Mapping[str, Any]) -> Any:
    """Read the base of rotary positions, and refuse any scaling of them."""
    base = settings.get("rope_theta", 10_000.0)
    told = settings.get("rope_parameters")
    if told is None:
        return base
    check_settings(f"rope_parameters of {CONFIG}", told, ROTARY)
    return told.get("rope_theta", base)


def _window(settings: Mapping[str, Any]) -> Any:
    """Read the window, which must be the same in every layer."""
    kind, window = settings["model_type"], settings.get("sliding_window")
    if kind in ("llama", "mistral"):
        return window
    n, full, sliding = settings["num_hidden_layers"], "full_attention", None
    below = n  # the first layers, which have no window
    if settings.get("use_sliding_window", False) and window is not None:
        sliding = "sliding_attention"
        below = min(n, settings["max_window_layers"])
    kinds = settings.get("layer_types") or [full] * below + [sliding] * (n - below)
    one = kinds in ([full] * n, [sliding] * n)
    wanted = f"be {full} in all layers{f' or {sliding} in all' if sliding else ''}"
    require(one, f"layer_types of {CONFIG}", wanted, brief(kinds))
    return None if kinds[0] == full else window

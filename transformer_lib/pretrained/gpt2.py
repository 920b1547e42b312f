"""GPT-2: a decoder-only Transformer, pre-norm, with learned positions."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from ..checkpoints import build_config
from ..model.config import TransformerConfig
from ..model.transformer import DecoderOnlyTransformer
from .folder import ACTIVATIONS, read_options

#: Patterns of the weights that are not read, and why.
LEFT_OUT = {
    r"h\.\d+\.attn\.(bias|masked_bias)": "the causal mask, which `causal_mask` makes",
    r"lm_head\.weight": "a copy of the embedding, if both are tied",
    r"(score|classifier|qa_outputs|multiple_choice_head)\..*": "heads for other tasks",
}
#: What the files call our parts; n is the number of a block.
NAMES = {
    "embedding": "wte",
    "positions": "wpe",
    "decoder.blocks.n.add_norm_1.norm": "h.n.ln_1",
    "decoder.blocks.n.self_attention.W_Q": "h.n.attn.c_attn",
    "decoder.blocks.n.self_attention.W_K": "h.n.attn.c_attn",
    "decoder.blocks.n.self_attention.W_V": "h.n.attn.c_attn",
    "decoder.blocks.n.self_attention.W_O": "h.n.attn.c_proj",
    "decoder.blocks.n.add_norm_2.norm": "h.n.ln_2",
    "decoder.blocks.n.feed_forward.W_1": "h.n.mlp.c_fc",
    "decoder.blocks.n.feed_forward.W_2": "h.n.mlp.c_proj",
    "decoder.norm": "ln_f",
    "output": "lm_head",
}
SIZES = {
    "vocabulary_size": "vocab_size",
    "d_model": "n_embd",
    "n_heads": "n_head",
    "n_decoder_layers": "n_layer",
    "max_length": "n_positions",
    "d_ff": "n_inner",
}


def build(settings: dict[str, Any], tensors: Mapping[str, Tensor]) -> Any:
    """Build a model by config.json; the tensors show whether its head is tied."""
    if settings.get("n_inner") is None:
        settings["n_inner"] = 4 * settings.get("n_embd", 1)
    options = read_options(settings, SIZES, tensors, NAMES)
    options |= dict(
        positions="learned",
        activation=ACTIVATIONS[settings.get("activation_function", "gelu_new")],
        norm_first=True,
        norm_eps=settings.get("layer_norm_epsilon", 1e-5),
    )
    return DecoderOnlyTransformer(build_config(TransformerConfig, options))

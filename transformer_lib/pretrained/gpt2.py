"""GPT-2: a decoder-only Transformer, pre-norm, with learned positions."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from ..model.config import TransformerConfig
from ..model.transformer import DecoderOnlyTransformer
from .folder import Weights, check_told, told_activation, told_size

#: What is not read of a file, by a pattern of its names, and why.
LEFT_OUT = {
    r"h\.\d+\.attn\.(bias|masked_bias)": "the causal mask: `causal_mask` makes it",
    r"lm_head\.weight": "a copy of the embedding, where both are tied",
    r"(score|classifier|qa_outputs|multiple_choice_head)\..*": "heads for other tasks",
}
#: What a configuration may not ask for, since our blocks lack it.
PLAIN = {
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
    "add_cross_attention": False,
}


def build(told: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Any:
    """Give a model of the sizes that a configuration says.

    Args:
        told: config.json.
        tensors: not needed.
    """
    check_told(told, PLAIN)
    D = told_size(told, "n_embd")
    wide = told.get("n_inner")
    config = TransformerConfig(
        vocabulary_size=told_size(told, "vocab_size"),
        d_model=D,
        n_heads=told_size(told, "n_head"),
        n_decoder_layers=told_size(told, "n_layer"),
        d_ff=4 * D if wide is None else told_size(told, "n_inner"),
        dropout=0.0,
        max_length=told_size(told, "n_positions"),
        positions="learned",
        activation=told_activation(told, "activation_function", "gelu_new"),
        norm_first=True,
        tie_embeddings=told.get("tie_word_embeddings", True),
        norm_eps=told.get("layer_norm_epsilon", 1e-5),
        scale_embeddings=False,
    )
    return DecoderOnlyTransformer(config)


def fill(model: DecoderOnlyTransformer, weights: Weights) -> None:
    """Copy the weights: q, k and v stand side by side there, and matrices turned."""
    weights.fill(model.embedding.weight, "wte.weight")
    weights.fill(model.positions.table, "wpe.weight")
    decoder: Any = model.decoder
    for n, block in enumerate(decoder.blocks):
        at, own = f"h.{n}", block.self_attention
        projections = own.W_Q, own.W_K, own.W_V
        weights.fill_norm(block.add_norm_1.norm, f"{at}.ln_1")
        weights.fill_linear(f"{at}.attn.c_attn", *projections, turned=True)
        weights.fill_linear(f"{at}.attn.c_proj", own.W_O, turned=True)
        weights.fill_norm(block.add_norm_2.norm, f"{at}.ln_2")
        think = block.feed_forward
        weights.fill_linear(f"{at}.mlp.c_fc", think.W_1, turned=True)
        weights.fill_linear(f"{at}.mlp.c_proj", think.W_2, turned=True)
    weights.fill_norm(decoder.norm, "ln_f")
    if not model.config.tie_embeddings:
        weights.fill(model.output.weight, "lm_head.weight")
